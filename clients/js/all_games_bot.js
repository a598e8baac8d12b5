// A bot for all games:
//
//     node all_games_bot.js NAME GAME... [--games 1] [--house easy] [--host 127.0.0.1] [--port 8889]
//
// It plays the games one after the other, each once or as often as --games says, against whoever comes or against a house
// player. It plays at random, but for two things: in Onitama it takes a piece when it can, and in Stratego it places all its
// pieces at once.

import { parseArgs } from "node:util";
import { Client, HostError } from "./gamehost.js";

const STRATEGO_PIECES = "12334445555666677778888899999999SFBBBBBB";

/** @template T @param {readonly T[]} items @returns {T} */
const any = (items) => items[Math.floor(Math.random() * items.length)];

/** @type {import("./gamehost.js").Choose} */
function choose(view, legal) {
  // There are too many ways to place all pieces for a list.
  if (!legal.length && view.game === "stratego") return setUp();
  if (view.game === "onitama") {
    const enemies = view.seat === 0 ? "kp" : "KP";
    const captures = legal.filter(({ parts }) => parts.to && enemies.includes(view.position.board[square(parts.to)]));
    if (captures.length) return any(captures).action;
  }
  return any(legal).action;
}

/** Where a square such as `c2` stands in the 25 characters of the board: `a1` first, then `b1`. @param {string} name */
const square = (name) => (Number(name[1]) - 1) * 5 + "abcde".indexOf(name[0]);

/** All forty pieces in any order: four rows of ten. */
function setUp() {
  const left = [...STRATEGO_PIECES];
  const pieces = STRATEGO_PIECES.replace(/./g, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
  return pieces.replace(/.{10}(?=.)/g, "$&/");
}

const { positionals: [name, ...games], values: { games: times, house, host, port } } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: "string", default: "1" }, house: { type: "string" },
    host: { type: "string", default: "127.0.0.1" }, port: { type: "string", default: "8889" },
  },
});
if (!games.length) throw new Error("expected NAME GAME..., such as: ann onitama");
const client = new Client(name, {
  host, port: Number(port), hear: ({ is, game }) => is === "seated" && console.log(`${name}: playing ${game}`),
});
try {
  for (const game of games.flatMap((one) => Array(Number(times)).fill(one))) {
    const { winners, names, why } = await client.play(game, choose, house ? { house } : {});
    console.log(`${name}: ${game} won by ${winners.map((seat) => names[seat]).join(" and ") || "nobody"}: ${why}`);
  }
} catch (error) {
  if (!(error instanceof HostError)) throw error;
  console.error(`${name}: ${error.message}`);
  process.exitCode = 1;
}
client.close();
