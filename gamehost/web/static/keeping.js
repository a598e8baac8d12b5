// What a player keeps, such as set-ups, and marks in a match: lists of words that only the game's board understands.
//
// A guest keeps them in this browser. An account keeps them at the host, so that they are in each of its browsers. The host is
// asked for them when a board first needs them. What the account has kept without a connection goes behind what the host has.
// Before it stands what this browser has of a game: so the set-ups of a guest are not lost who becomes an account. Marks of
// a guest stay the guest's, because the account may be the opponent.

import { send } from "./socket.js";
import { ADVICE, known, state } from "./store.js";

const [GAME, TABLES] = ["kept ", "kept tables"];
/** Of so many matches this browser keeps words. */
const MOST = 20;
/** The number of all requests. A refusal is of no interest: the match has ended just before. */
const NUMBER = 2 * ADVICE;

/** What the account `owner` keeps at the host, by the name of a game or the number of a table. */
const shelves = new Map();
let owner = null;

function read(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const isTable = (place) => typeof place === "number";
const inTables = () => new Map(read(TABLES).filter(Array.isArray));
const inBrowser = (place) => (isTable(place) ? inTables().get(place) ?? [] : read(GAME + place));

function writeInBrowser(place, words) {
  const tables = inTables();
  tables.delete(place);
  const [key, all] = isTable(place) ? [TABLES, [...tables, [place, words]].slice(-MOST)] : [GAME + place, words];
  localStorage.setItem(key, JSON.stringify(all));
}

const keep = (place, text) => send({ do: "keep", [isTable(place) ? "table" : "game"]: place, text, id: NUMBER });

/** The words of all three, each once. The newest stand last. */
export function merged(browser, host, unsent) {
  const last = [...host.filter((one) => !unsent.includes(one)), ...unsent];
  return [...browser.filter((one) => !last.includes(one)), ...last];
}

/** What `place` has. `open`: the host can be asked, as it is not in a match that is over. */
function shelfOf(place, open) {
  if (owner !== state.me.name) shelves.clear();
  owner = state.me.name;
  if (!shelves.has(place)) shelves.set(place, { words: [], unsent: [], sent: 0, asked: 0, ready: 0 });
  const shelf = shelves.get(place);
  if (open && known() && shelf.asked !== state.opened && keep(place)) Object.assign(shelf, { asked: state.opened, sent: 0 });
  for (const answer of state.kept.splice(0)) take(answer.table ?? answer.game, answer.text);
  return shelf;
}

function take(place, text) {
  const shelf = shelves.get(place);
  if (!shelf) return;
  if (text === undefined) {
    shelf.sent -= 1;
    if (shelf.sent <= 0) shelf.unsent = [];
    return;
  }
  shelf.ready = state.opened;
  shelf.words = merged(isTable(place) ? [] : inBrowser(place), text.split(" ").filter(Boolean), shelf.unsent);
  if (shelf.unsent.length) put(place, shelf);
}

/** Send the words, if the host has said before what it has. */
function put(place, shelf) {
  if (shelf.ready === state.opened && keep(place, shelf.words.join(" "))) shelf.sent += 1;
}

/** What the player of a table keeps: `game` and `table` are lists of words, and `keep` replaces one of them. */
export function keepingOf({ game, number, over, suspended }) {
  const places = { game, table: number };
  const words = (what) => (state.me?.account ? shelfOf(places[what], what === "game" || !(over || suspended)).words : inBrowser(places[what]));
  return {
    get game() {
      return words("game");
    },
    get table() {
      return words("table");
    },
    keep(what, next) {
      const before = words(what);
      if (!state.me?.account) return writeInBrowser(places[what], next);
      const shelf = shelves.get(places[what]);
      shelf.unsent.push(...next.filter((one) => !before.includes(one)));
      shelf.words = next;
      return put(places[what], shelf);
    },
  };
}
