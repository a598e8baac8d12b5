// A room of two players: a message is told to both, if it is the sender's turn.
//
// node colyseus.js                    nothing is kept
// node colyseus.js turn|move FILE     a move is stored before it is told; store.js says how
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";

const [transaction, file] = process.argv.slice(2);
const store = file && new (await import("./store.js")).Store(file, transaction);

class Pair extends Room {
  maxClients = 2;
  turn = 0;

  onCreate() {
    this.onMessage("move", (client, word) => {
      if (this.clients[this.turn] === client) {
        this.turn ^= 1;
        if (store) store.append(this.roomId, word, () => this.broadcast("move", word));
        else this.broadcast("move", word);
      }
    });
  }
}

// The load does not answer pings.
const transport = new WebSocketTransport({ pingInterval: 0 });
const server = new Server({ greet: false, transport });
server.define("pair", Pair);
await server.listen(0, "127.0.0.1");
console.log(transport.server.address().port, store ? store.settings() : "");
