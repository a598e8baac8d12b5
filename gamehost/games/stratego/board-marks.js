// What a player notes about the enemy's hidden pieces, as people do on paper: a mark for a kind, which follows its piece.
//
// Marks are kept in this browser alone, by table: `[n, square, kind]`, made after entry `n` of the match. Where they are now
// follows from the moves since, so that they are right after a reload, too.

import { CELL, KIND_NAMES, SIZE, squareName, t } from "./board.js";

const KEPT = "stratego-marks";
/** So many tables have marks, and so many changes of marks are kept for each. */
const [TABLES, MARKS] = [20, 120];
const NONE = "-";

/** The marks of all tables, by number; those of the table that was marked last stand last. */
function kept() {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEPT) ?? "[]"));
  } catch {
    return new Map();
  }
}

/** Where a piece is after a move or a fight; `null`: it is gone. */
function moved(square, { kind, from, to, winner }) {
  if (kind !== "moved" && kind !== "fought") return square;
  if (square === to) return winner === "defender" ? to : null;
  if (square !== from) return square;
  return kind === "moved" || winner === "attacker" ? to : null;
}

/** Where marks are after the entries of a log: name of the square -> kind. */
export function placesOf(marks, log) {
  const found = new Map();
  for (const [n, square, kind] of marks) {
    const now = log.reduce((at, entry) => (at && entry.n > n ? moved(at, entry.event) : at), square);
    if (now && kind === NONE) found.delete(now);
    else if (now) found.set(now, kind);
  }
  return found;
}

/** The marks of a player on this page. Without the whole log nobody knows where they are now. */
export function marksOf({ mine, table, log }) {
  return mine === null || mine === undefined || !log ? new Map() : placesOf(kept().get(table) ?? [], log);
}

function mark({ table, log }, square, kind) {
  const all = kept();
  const marks = [...(all.get(table) ?? []), [log.at(-1)?.n ?? 0, square, kind]].slice(-MARKS);
  all.delete(table);
  all.set(table, marks);
  localStorage.setItem(KEPT, JSON.stringify([...all].slice(-TABLES)));
}

/** What a press does while no piece is picked up: a hidden enemy piece is marked; `undefined`: nothing of this. */
export function pressMark(view, options, id) {
  const [word, kind] = id.split(" ");
  const { marked } = options.choice ?? {};
  if (word === "mark" && marked !== undefined) {
    mark(options, squareName(marked), kind);
    return { choice: null };
  }
  const hidden = view.phase === "play" && view.board[Number(id)] === `${1 - options.mine}?`;
  if (!hidden || !options.log || options.mine === null || options.choice?.from !== undefined) return undefined;
  return { choice: marked === Number(id) ? null : { marked: Number(id) } };
}

/** The marks as they are drawn on the backs of pieces. */
export function drawMarks(options, spot, board) {
  const marks = marksOf(options);
  const at = [...board.keys()].filter((square) => marks.has(squareName(square)));
  return at.map((square) => {
    const [x, y] = spot(square);
    return ["g", { class: "st-noted", transform: `translate(${x + 14} ${y - 14})` }, ["circle", { r: 12 }], ["text", { y: 5 }, marks.get(squareName(square))]];
  });
}

/** The choice of a kind for the piece that is marked: it lies over the half of the board where the piece is not. */
export function choices({ choice }, spot) {
  const ids = [...Object.keys(KIND_NAMES), NONE];
  const top = spot(choice.marked)[1] < SIZE / 2 ? CELL * 7 : CELL;
  const where = squareName(choice.marked);
  const boxes = ids.map((kind, place) => ({ kind, x: 19 + (place % 7) * 81, y: top + Math.floor(place / 7) * 66, w: 76, h: 60 }));
  const name = (kind) => t(kind === NONE ? "no mark" : KIND_NAMES[kind]);
  return {
    over: ["g", { class: "st-tray" },
      ["rect", { class: "st-panel", x: 6, y: top - 10, width: SIZE - 12, height: 146, rx: 14 }],
      ...boxes.map(({ kind, x, y, w, h }) => ["g", { class: "st-button" },
        ["rect", { x, y, width: w, height: h, rx: 10 }],
        ["text", { x: x + w / 2, y: y + h / 2 + 8 }, kind === NONE ? t("none") : kind]])],
    cells: boxes.map(({ kind, ...box }) => ({ id: `mark ${kind}`, ...box, label: t("Mark {square}: {piece}", { square: where, piece: name(kind) }), can: false })),
    covers: ({ y, h }) => y + h > top - 10 && y < top + 136,
  };
}
