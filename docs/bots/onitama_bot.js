// A bot for Onitama in pipe-separated lines, for Node without packages. It plays at random, as many games as you like:
//
//     node onitama_bot.js NAME [--host 127.0.0.1] [--port 8893] [--games 1]
//
// It prints what happens. If the connection is lost or the host restarts, it logs in again and plays on. It gives up when the
// host cannot be reached for 20 seconds.

"use strict";
const net = require("net");
const { parseArgs } = require("util");

// The vectors of each card: [right, forward], as the player who holds the card sees them.
const CARDS = {
  tiger: [[0, 2], [0, -1]], dragon: [[-2, 1], [2, 1], [-1, -1], [1, -1]], crab: [[-2, 0], [2, 0], [0, 1]],
  elephant: [[-1, 1], [1, 1], [-1, 0], [1, 0]], monkey: [[-1, 1], [1, 1], [-1, -1], [1, -1]],
  mantis: [[-1, 1], [1, 1], [0, -1]], crane: [[0, 1], [-1, -1], [1, -1]], boar: [[0, 1], [-1, 0], [1, 0]],
  goose: [[-1, 1], [-1, 0], [1, 0], [1, -1]], rooster: [[1, 1], [-1, 0], [1, 0], [-1, -1]],
  eel: [[-1, 1], [-1, -1], [1, 0]], cobra: [[1, 1], [1, -1], [-1, 0]], rabbit: [[1, 1], [2, 0], [-1, -1]],
  frog: [[-1, 1], [-2, 0], [1, -1]], ox: [[0, 1], [0, -1], [1, 0]], horse: [[0, 1], [0, -1], [-1, 0]],
};
const START = "ppkpp/...../...../...../PPKPP";
const [WHITE, BLACK] = [0, 1];
const { login, name, games, host, port } = readArguments();
// START tells the cards in an extension. For a server without it they must be agreed on in another way.
const DEAL = process.env.GAMEHOST_DEAL || "white=boar,ox;black=crab,eel;spare=tiger";
const GIVE_UP = 20000; // milliseconds without a connection
let gamesOver = 0;
let last = Date.now(); // when there was a connection

function readArguments() {
  const one = (value) => ({ type: "string", default: value });
  try {
    const options = { games: one("1"), host: one("127.0.0.1"), port: one("8893") };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const wrong = ["games", "port"].find((key) => !/^[1-9]\d*$/.test(values[key]));
    if (wrong) throw new Error(`--${wrong}: expected a number from 1`);
    if (positionals.length !== 1) throw new Error("expected one NAME");
    return { ...values, login: positionals[0], name: positionals[0].split(":")[0] }; // NAME:KEY: the others see the name alone
  } catch (error) {
    console.error(`node onitama_bot.js NAME [--host HOST] [--port PORT] [--games NUMBER]: ${error.message}`);
    process.exit(2);
  }
}

// The position as the server has told it. `me` and `turn` are WHITE or BLACK.
class Game {
  constructor(me, board, cards, turn) {
    this.me = me;
    this.turn = turn;
    const holders = Object.fromEntries(cards.split(";").map((part) => part.split("=")));
    this.hands = [holders.white.split(","), holders.black.split(",")];
    this.spare = holders.spare;
    this.owners = {};
    board.split("/").forEach((row, down) => [...row].forEach((piece, right) => {
      if (piece !== ".") this.owners["abcde"[right] + (5 - down)] = piece === piece.toUpperCase() ? WHITE : BLACK;
    }));
  }

  replace(old, card) {
    const hand = this.hands[this.turn];
    hand[hand.indexOf(old)] = card;
    this.turn = 1 - this.turn;
  }

  moved(card, start, end) {
    this.owners[end] = this.owners[start];
    delete this.owners[start];
    this.replace(card, this.spare);
    this.spare = card;
  }

  // The line for a random move, or for an exchange if there is no move.
  choose() {
    const side = this.me === WHITE ? 1 : -1;
    const moves = [];
    for (const start of Object.keys(this.owners).filter((square) => this.owners[square] === this.me)) {
      for (const card of this.hands[this.me]) {
        for (const [right, forward] of CARDS[card]) {
          const column = "abcde"["abcde".indexOf(start[0]) + side * right];
          const row = Number(start[1]) + side * forward;
          if (column && row >= 1 && row <= 5 && this.owners[column + row] !== this.me) {
            moves.push(`MAKE_MOVE|${card}|${start}|${column}${row}`);
          }
        }
      }
    }
    return moves.length ? moves[Math.floor(Math.random() * moves.length)] : `STALEMATE|${this.hands[this.me][0]}`;
  }
}

function connect() {
  const wire = net.connect({ host, port: Number(port) });
  const send = (line) => wire.write(line + "\n");
  let game = null;
  let connected = false;
  let unread = "";
  // Without this option the system may hold a short message back until the host has confirmed the last one.
  wire.setNoDelay(true);
  wire.setEncoding("utf8");
  wire.on("connect", () => {
    connected = true;
    send(`LOGIN|${login}`);
  });
  wire.on("error", (error) => console.log(`${name}: ${error.message}`));
  wire.on("close", () => {
    if (gamesOver >= Number(games)) return;
    if (connected) last = Date.now();
    if (Date.now() - last > GIVE_UP) {
      console.log(`${name} cannot reach the host and gives up`);
      process.exit(1);
    }
    console.log(`${name} has lost the connection and tries again`);
    setTimeout(connect, 1000);
  });
  wire.on("data", (data) => {
    const lines = (unread + data).split("\n");
    unread = lines.pop(); // the beginning of a line that is not whole yet
    lines.forEach(hear);
  });

  function hear(line) {
    const [command, ...fields] = line.split("|");
    if (command === "START") {
      console.log(`${name} plays: ${fields[0]} is White, ${fields[1]} is Black`);
      game = new Game(fields[0] === name ? WHITE : BLACK, START, fields[2] || DEAL, WHITE);
    } else if (command === "RECONNECT") {
      const [who, colour, board, cards, onTurn] = fields;
      console.log(`${name} hears that ${who} is back`);
      if (who !== name) return; // nothing has changed on the board, and a move that was sent meanwhile counts
      const me = colour === "white" ? WHITE : BLACK;
      game = new Game(me, board, cards, onTurn === name ? me : 1 - me);
    } else if (command === "MOVE_WAS_MADE") {
      game.moved(...fields);
    } else if (command === "STALEMATE_CARD") {
      game.replace(...fields);
    } else if (command === "GAME_OVER") {
      gamesOver += 1;
      console.log(`${name}: game ${gamesOver} was won by ${fields[0]}`);
      if (gamesOver >= Number(games)) wire.end();
      else send(`LOGIN|${login}`);
      return;
    } else {
      console.log(`${name} hears: ${line}`); // WAITING, LOGOUT, ERROR, INVALID_MOVE
      if (command === "ERROR" && line.includes("elsewhere")) { // to log in again would throw the other one off
        console.error(`${name} is in use elsewhere, and ends here`);
        process.exit(1);
      }
      if (command !== "INVALID_MOVE") return;
    }
    if (game.turn === game.me) send(game.choose());
  }
}

connect();
