// How Stratego looks: pieces and board as descriptions of SVG (`svg` in dom.js). A square is 60 units wide.
//
// The sides are told apart by shape too: blocks of seat 0 have battlements, those of seat 1 a round top.

export const CELL = 60;
export const SIZE = CELL * 10;

const BATTLEMENTS = "M-23 23V-17q0-4 4-4h5v4h8v-4h12v4h8v-4h5q4 0 4 4V23q0 3-3 3H-20q-3 0-3-3Z";
const ROUND = "M-23 23V-8C-22-18-12-21 0-21S22-18 23-8V23q0 3-3 3H-20q-3 0-3-3Z";
export const SHAPES = [BATTLEMENTS, ROUND];

const at = (x, y, scale = 1) => `translate(${x} ${y})${scale === 1 ? "" : ` scale(${scale})`}`;
const STAR = "M0-5 1.3-1.7 4.8-1.5 2.1.7 3 4.1 0 2.2-3 4.1-2.1.7-4.8-1.5-1.3-1.7Z";
const row = (count, gap, shape) =>
  Array.from({ length: count }, (_, place) => ["g", { transform: at((place - (count - 1) / 2) * gap, 17) }, shape]);
const stars = (count) => row(count, 9, ["path", { d: STAR, class: "st-mark" }]);
const bars = (count) => row(count, 8, ["rect", { x: -2.5, y: -4, width: 5, height: 9, class: "st-mark" }]);

/** Below the numeral: stars for generals, bars for captains, and the tools of the others. */
const EMBLEMS = {
  1: stars(4),
  2: stars(3),
  3: stars(2),
  4: stars(1),
  5: bars(3),
  6: bars(2),
  7: [["path", { d: "M-9 20 0 14 9 20", class: "st-stroke" }]],
  8: [["path", { d: "M-10 16Q0 10 10 16M0 13V23", class: "st-stroke" }]],
  9: [["path", { d: "M-9 21 3 15M5 14 9 12", class: "st-stroke st-wide" }]],
};

/** The kinds without a number. */
const FIGURES = {
  S: [
    ["path", { d: "M-15 2Q0-12 15 2 0 16-15 2Z", class: "st-mark" }],
    ["circle", { cx: 0, cy: 2, r: 5.6, class: "st-hole" }],
    ["circle", { cx: 0, cy: 2, r: 2.4, class: "st-mark" }],
  ],
  F: [["path", { d: "M-11 21V-15", class: "st-stroke" }], ["path", { d: "M-9-14Q-2-19 4-14T15-14V2Q9 6 4 2T-9 3Z", class: "st-mark" }]],
  B: [
    ["circle", { cx: -2, cy: 6, r: 12, class: "st-mark" }],
    ["path", { d: "M3-5 6-10Q9-16 15-12", class: "st-stroke" }],
    ["rect", { x: -1, y: -9, width: 9, height: 6, transform: "rotate(28 3 -6)", class: "st-mark" }],
  ],
};

/** The back of a hidden piece: chevrons. */
const BACK = [-8, 0, 8].map((y) => ["path", { d: `M-12 ${y + 7}Q0 ${y - 9} 12 ${y + 7}`, class: "st-back" }]);

function face(kind) {
  if (kind === "?") return BACK;
  if (FIGURES[kind]) return FIGURES[kind];
  return [["text", { x: 0, y: 7, class: "st-rank" }, kind], ...EMBLEMS[kind]];
}

/** A piece around (0, 0), such as "09": a scout of seat 0. */
export function piece(name) {
  const seat = Number(name[0]);
  return [
    "g",
    { class: `st-block st-side${seat}` },
    ["ellipse", { cx: 0, cy: 26, rx: 23, ry: 3, class: "st-shade" }],
    ["path", { d: SHAPES[seat], class: "st-body" }],
    ...face(name[1]),
  ];
}

/** A lake of four squares, with its corner at (x, y). */
function lake(x, y) {
  const wave = (dx, dy) => ["path", { d: `M${x + dx} ${y + dy}q11-9 22 0t22 0`, class: "st-wave" }];
  const [w, h] = [CELL * 2, CELL * 2];
  const shore = `M${x + 30} ${y + 12}Q${x + w / 2} ${y + 6} ${x + w - 26} ${y + 11}Q${x + w - 9} ${y + 16} ${x + w - 11} ${y + 44}` +
    `T${x + w - 12} ${y + h - 28}Q${x + w - 16} ${y + h - 8} ${x + w - 44} ${y + h - 11}T${x + 30} ${y + h - 11}` +
    `Q${x + 8} ${y + h - 16} ${x + 12} ${y + h - 46}T${x + 12} ${y + 36}Q${x + 14} ${y + 14} ${x + 30} ${y + 12}Z`;
  return ["g", {}, ["path", { d: shore, class: "st-lake" }], wave(32, 46), wave(52, 76), wave(26, 98)];
}

/** The board without pieces. */
export function ground() {
  const lines = [];
  for (let place = 1; place < 10; place += 1) lines.push(`M${place * CELL} 0V${SIZE}M0 ${place * CELL}H${SIZE}`);
  return [
    ["rect", { x: -6, y: -6, width: SIZE + 12, height: SIZE + 12, rx: 9, class: "st-frame" }],
    ["rect", { x: 0, y: 0, width: SIZE, height: SIZE, rx: 3, class: "st-field" }],
    ["path", { d: lines.join(""), class: "st-lines" }],
    lake(CELL * 2, CELL * 4),
    lake(CELL * 6, CELL * 4),
  ];
}

/** A fight: both pieces side by side on a card. The one that is gone is faint. */
export function fight({ seat, attacker, defender, winner }) {
  const shown = (name, x, gone) => ["g", { transform: at(x, 0), class: gone ? "st-gone" : null }, piece(name)];
  return [
    "g",
    { class: "st-fight" },
    ["rect", { x: -63, y: -36, width: 126, height: 72, rx: 12, class: "st-card" }],
    shown(`${seat}${attacker}`, -31, winner !== "attacker"),
    shown(`${1 - seat}${defender}`, 31, winner !== "defender"),
    ["path", { d: "M-6-6 6 6M6-6-6 6", class: "st-cross" }],
  ];
}
