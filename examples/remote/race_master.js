// A master of a race for three players, for Node.js without packages.
//
//     node race_master.js [PORT] [HOST]
//
// Each player goes 1, 2 or 3 fields, such as <go fields="2"/>. Who comes to a field where somebody stands sends them back to the
// start. Who comes to field 20 first has won. A move that the rules forbid puts its player out of the race.

"use strict";

const net = require("net");

const PORT = Number(process.argv[2] || 8894);
const HOST = process.argv[3] || "127.0.0.1";
const LOGIN = '<gameMasterLogin id="race-js" gameType="race" playersMin="3" playersMax="3"/>';
const GOAL = 20;

// The messages of the host have a fixed form, so a few expressions read them.
const attribute = (text, tag, name) => {
  const found = text.match(new RegExp(`<${tag} ${name}="([^"]*)"`));
  return found ? found[1] : "";
};
const nicks = (text) => Array.from(text.matchAll(/<player nick="([^"]*)"/g), (found) => found[1]);

class Race {
  constructor(players) {
    this.players = players.map((nick) => ({ nick, field: 0 }));
    this.turn = 0;
  }

  // The player whose turn it is goes so many fields. Whether that wins.
  go(fields) {
    const mover = this.players[this.turn];
    mover.field += fields;
    for (const other of this.players) {
      if (other !== mover && other.field === mover.field) other.field = 0;
    }
    this.turn = (this.turn + 1) % this.players.length;
    return mover.field >= GOAL;
  }

  // A player is out. Whether it was their turn.
  leave(nick) {
    const place = this.players.findIndex((player) => player.nick === nick);
    if (place < 0) return false;
    const hadTurn = place === this.turn;
    this.players.splice(place, 1);
    if (place < this.turn) this.turn -= 1;
    this.turn %= this.players.length || 1;
    return hadTurn;
  }
}

function serve() {
  const races = new Map();
  let unread = "";
  const connection = net.connect(PORT, HOST);
  connection.setNoDelay(true);
  const say = (type, content) => connection.write(`<message type="${type}">${content}</message>`);

  const sayState = (id) => {
    const race = races.get(id);
    const fields = race.players.map((player) => `<at nick="${player.nick}" field="${player.field}"/>`).join("");
    say("gameState", `<gameId id="${id}"/><nextPlayer nick="${race.players[race.turn].nick}"/><gameState>${fields}</gameState>`);
  };

  const sayEnd = (id, winner) => {
    const results = races.get(id).players.map(
      (player) => `<player nick="${player.nick}" result="${player === winner ? "winner" : "loser"}"/>`,
    );
    say("gameState", `<gameId id="${id}"/><gameOver>${results.join("")}</gameOver><gameState/>`);
    races.delete(id);
  };

  const hear = (line) => {
    const type = attribute(line, "message", "type");
    const id = attribute(line, "gameId", "id");
    const race = races.get(id);
    if (type === "beginGame") {
      races.set(id, new Race(nicks(line)));
      sayState(id);
    } else if (type === "move" && race) {
      const mover = race.players[race.turn];
      const move = line.match(/<move><go fields=["']([123])["']\s*\/><\/move>/);
      if (!move) {
        say("playerLeftGame", `<player nick="${mover.nick}"/><gameId id="${id}"/>`);
      } else if (race.go(Number(move[1]))) {
        sayEnd(id, mover);
      } else {
        sayState(id);
      }
    } else if (type === "playerLeftGame" && race) {
      const hadTurn = race.leave(nicks(line)[0]);
      if (race.players.length < 2) races.delete(id); // the host has ended it
      else if (hadTurn) sayState(id);
    } else if (type === "loginResponse") {
      console.log(line.includes('accept="yes"') ? "registered" : `refused: ${line}`);
    }
  };

  connection.on("connect", () => say("gameMasterLogin", LOGIN));
  connection.on("data", (data) => {
    const lines = (unread + data).split("\n");
    unread = lines.pop();
    lines.forEach(hear);
  });
  connection.on("error", (error) => console.log(`no connection: ${error.message}`));
  connection.on("close", () => setTimeout(serve, 500));
}

serve();
