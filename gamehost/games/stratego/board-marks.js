// What a player notes about the enemy's hidden pieces, as people do on paper: a mark for a kind, which follows its piece.
//
// The page keeps marks as words, such as `12E5B`: entry `n` of the match after which the mark was made, square and kind. Where
// marks are now follows from the moves since, so that they are right after a reload, and in another browser, too.

import { CELL, KIND_NAMES, SIZE, squareName, t } from "./board.js";

/** So many changes of marks are kept for a match. */
const MARKS = 120;
const NONE = "-";

/** Where a piece is after a move or a fight; `null`: it is gone. */
function moved(square, { kind, from, to, winner }) {
  if (kind !== "moved" && kind !== "fought") return square;
  if (square === to) return winner === "defender" ? to : null;
  if (square !== from) return square;
  return kind === "moved" || winner === "attacker" ? to : null;
}

/** Where marks are after the entries of a log: name of the square -> kind. */
function placesOf(marks, log) {
  const found = new Map();
  for (const mark of marks) {
    const [, n, square, kind] = /^(\d+)([A-J]\d+)([1-9SFB-])$/.exec(mark) ?? [];
    const now = log.reduce((at, entry) => (at && entry.n > Number(n) ? moved(at, entry.event) : at), square);
    if (now && kind === NONE) found.delete(now);
    else if (now) found.set(now, kind);
  }
  return found;
}

/** The marks of a player on this page. Without the whole log nobody knows where they are now. */
export function marksOf({ kept, log }) {
  return kept && log ? placesOf(kept.table, log) : new Map();
}

function mark({ kept, log }, square, kind) {
  const place = `${log.at(-1)?.n ?? 0}${square}`;
  const others = kept.table.filter((one) => one.slice(0, -1) !== place);
  kept.keep("table", [...others, place + kind].slice(-MARKS));
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
  if (!hidden || !options.log || !options.kept || options.choice?.from !== undefined) return undefined;
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
