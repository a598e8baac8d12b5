// The rules of Stratego as far as a page needs them: how a view follows the events, which moves are legal, and set-ups.
//
// Squares are numbers, y * 10 + x: A1 is 0, J10 is 99. A board is an array of 100 strings: "" is an empty square, "~" a lake,
// and a piece is its seat and its kind, such as "09" (a scout of seat 0) or "1?" (a piece of seat 1 whose kind is hidden).
// The host decides. A hint that is wrong is put right by what the host says.

export const WIDTH = 10;
const COLUMNS = "ABCDEFGHIJ";
const LAKES = new Set([42, 43, 52, 53, 46, 47, 56, 57]);
/** By seat: the number of its first square. */
export const HOME = [0, 60];
const HOME_SQUARES = 40;

/** The kinds in the order of the box, with how many of each a side has. */
export const KINDS = [
  ["1", "marshal", 1], ["2", "general", 1], ["3", "colonel", 2], ["4", "major", 3], ["5", "captain", 4], ["6", "lieutenant", 4],
  ["7", "sergeant", 4], ["8", "miner", 5], ["9", "scout", 8], ["S", "spy", 1], ["F", "flag", 1], ["B", "bomb", 6],
];
export const KIND_NAMES = Object.fromEntries(KINDS.map(([id, name]) => [id, name]));
export const COUNTS = Object.fromEntries(KINDS.map(([id, , count]) => [id, count]));
const SCOUT = "9";
const FIXED = new Set(["F", "B", "?"]);

export const squareName = (square) => COLUMNS[square % WIDTH] + (Math.floor(square / WIDTH) + 1);
export const squareNumber = (name) => (Number(name.slice(1)) - 1) * WIDTH + COLUMNS.indexOf(name[0]);
const bare = () => Array.from({ length: WIDTH * WIDTH }, (_, square) => (LAKES.has(square) ? "~" : ""));

/** A board from the host's 100 characters. `seat` is whose view it is; null: a watcher's. */
export function readBoard(squares, seat) {
  return Array.from(squares, (character) => {
    if (character === ".") return "";
    if (character === "~") return "~";
    if (character === "r" || character === "b") return (character === "r" ? "0" : "1") + "?";
    return character === "#" ? `${1 - seat}?` : `${seat}${character}`;
  });
}

/** A view of the host as this page keeps it. `trails` are the latest moves of each seat, for the two-squares rule. */
export function readView(view, seat) {
  if (view.board) return view;
  return {
    phase: view.phase, board: readBoard(view.squares, seat), ready: [...view.ready], turn: view.turn,
    trails: [[], []], last: null, fight: null, before: null,
  };
}

/** The view at the beginning of a match. */
export const opened = () => ({
  phase: "setup", board: bare(), ready: [false, false], turn: null, trails: [[], []], last: null, fight: null, before: null,
});

function placed(view, first, kinds, seat) {
  const board = [...view.board];
  for (const [offset, kind] of [...kinds].entries()) board[first + offset] = `${seat}${kind}`;
  return { ...view, board };
}

/** A set-up that the host has shown to its player, or to everybody after the end of a match. */
export const withRows = (view, seat, rows) => placed(view, HOME[seat], rows.join(""), seat);

function played(view, event) {
  const [from, to] = [squareNumber(event.from), squareNumber(event.to)];
  const board = [...view.board];
  const fought = event.kind === "fought";
  const winner = fought ? event.winner : "attacker";
  if (winner !== "defender") board[to] = winner === null ? "" : board[from];
  board[from] = "";
  const trails = [...view.trails];
  trails[event.seat] = [...trails[event.seat].slice(-4), [from, to]];
  const fight = fought ? { square: to, from, seat: event.seat, attacker: event.attacker, defender: event.defender, winner } : null;
  return { ...view, phase: "play", board, turn: event.next, trails, last: [from, to], fight, before: view.fight };
}

/** The view after an event. `seat` is whose view it is; null: a watcher's. */
export function follow(known, event, seat) {
  const view = known ? readView(known, seat) : opened();
  switch (event.kind) {
    case "opened":
      return opened();
    case "placed":
      return placed(view, squareNumber(event.square), event.piece, seat);
    case "placed-all":
      return seat === null ? view : withRows(view, seat, event.rows);
    case "ready":
      return { ...view, ready: view.ready.map((ready, place) => ready || place === event.seat) };
    case "playing": {
      let next = { ...view, phase: "play", ready: [true, true], turn: event.next };
      for (const place of [0, 1]) {
        if (next.board[HOME[place]] === "") next = placed(next, HOME[place], "?".repeat(HOME_SQUARES), place);
      }
      return next;
    }
    case "board":
      return { ...view, board: readBoard(event.squares, seat) };
    case "moved":
    case "fought":
      return played(view, event);
  }
  return view;
}

/** The borders that a way along a line crosses, each as the two squares beside it. */
function crossed([from, to]) {
  const step = Math.sign(to - from) * (Math.floor(from / WIDTH) === Math.floor(to / WIDTH) ? 1 : WIDTH);
  const borders = [];
  for (let square = from; square !== to; square += step) borders.push(Math.min(square, square + step) * 2 + (Math.abs(step) === 1 ? 0 : 1));
  return borders;
}

/** The borders that the piece on a square may not cross now. `turns`: in how many turns in a row it may; 0: in any number. */
function barred(trail, square, turns) {
  if (!turns || trail.length < turns) return [];
  const latest = trail.slice(-turns);
  let at = square;
  for (const [from, to] of [...latest].reverse()) {
    if (to !== at) return [];
    at = from;
  }
  return latest.map(crossed).reduce((common, borders) => common.filter((border) => borders.includes(border)));
}

/** The squares that a piece can move to. `turns` is the match's setting `two_squares`. */
export function targets(view, square, turns = 3) {
  const piece = view.board[square];
  if (!piece || piece === "~" || FIXED.has(piece[1])) return [];
  const no = barred(view.trails[piece[0]], square, turns);
  const found = [];
  for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
    let [x, y] = [(square % WIDTH) + dx, Math.floor(square / WIDTH) + dy];
    while (x >= 0 && x < WIDTH && y >= 0 && y < WIDTH) {
      const target = y * WIDTH + x;
      const other = view.board[target];
      if (other === "~" || other[0] === piece[0]) break;
      if (no.length && crossed([square, target]).some((border) => no.includes(border))) break;
      found.push(target);
      if (other !== "" || piece[1] !== SCOUT) break;
      [x, y] = [x + dx, y + dy];
    }
  }
  return found;
}

/** All legal moves of a seat: squares to move to, by the square to move from. Empty if it is not this seat's turn. */
export function legalMoves(view, seat, turns = 3) {
  const moves = new Map();
  if (view.phase !== "play" || view.turn !== seat) return moves;
  for (const [square, piece] of view.board.entries()) {
    if (piece[0] !== `${seat}`) continue;
    const found = targets(view, square, turns);
    if (found.length) moves.set(square, found);
  }
  return moves;
}

export const moveAction = (from, to) => `${squareName(from)}-${squareName(to)}`;

/** Set-ups, rows from the last one to the front. */
export const PRESETS = {
  Corner: ["FB8978B898", "B776S27B68", "954B935456", "699194B935"],
  Centre: ["9BFB8898B7", "87B7S45B78", "5692639654", "91594B3969"],
  Attack: ["98BFB88B89", "7B7B786B75", "694S295496", "5396194935"],
};

/** The pieces of a preset by ascending square, as `rows` of the action want them. */
export function presetRows(name, seat) {
  const rows = PRESETS[name];
  return seat === 0 ? [...rows] : [...rows].reverse();
}

/** A sound set-up that nobody can guess: a preset, turned round at random, with some pieces exchanged within their rows. */
export function shuffledRows(seat, random = Math.random) {
  const below = (count) => Math.floor(random() * count);
  const names = Object.keys(PRESETS);
  let rows = presetRows(names[below(names.length)], seat).map((row) => [...row]);
  if (below(2)) rows = rows.map((row) => row.reverse());
  for (let swap = 0; swap < 24; swap += 1) {
    const row = rows[below(rows.length)];
    const [one, other] = [below(row.length), below(row.length)];
    if (!/[FB]/.test(row[one] + row[other])) [row[one], row[other]] = [row[other], row[one]];
  }
  return rows.map((row) => row.join(""));
}

/** How many pieces of each kind are not placed yet. `placing` are 40 kinds or "", by ascending square. */
export function leftToPlace(placing) {
  const left = { ...COUNTS };
  for (const kind of placing) if (kind) left[kind] -= 1;
  return left;
}

/** The action that sends a whole set-up. */
export const rowsAction = (placing) => [0, 10, 20, 30].map((start) => placing.slice(start, start + WIDTH).join("")).join("/");

/** A move as a list shows it: `E5×E4 8:3 †`. The sign says that the attacker is gone, two of them that both are. */
export function short(event) {
  if (event.kind === "moved") return `${event.from}–${event.to}`;
  if (event.kind !== "fought") return "";
  const gone = { attacker: "", defender: " †" }[event.winner] ?? " ††";
  return `${event.from}×${event.to} ${event.attacker}:${event.defender}${gone}`;
}

/** An event in words, for those who hear the page. */
export function inWords(event, names) {
  const who = names[event.seat];
  switch (event.kind) {
    case "ready":
      return `${who} is ready`;
    case "playing":
      return `Play begins; ${names[event.next ?? 0]} moves first`;
    case "moved":
      return `${who}: ${event.from} to ${event.to}`;
    case "fought": {
      const end = { attacker: "the attacker stays", defender: "the attacker is gone" }[event.winner] ?? "both are gone";
      const [attacker, defender] = [KIND_NAMES[event.attacker], KIND_NAMES[event.defender]];
      return `${who}: ${attacker} ${event.from} attacks ${defender} ${event.to}; ${end}`;
    }
  }
  return "";
}
