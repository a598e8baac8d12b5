// Stratego in a browser. What can be moved comes from the host; the set-up is board-setup.js.
//
// Squares are numbers, y * 10 + x: A1 is 0, J10 is 99. A board is an array of 100 strings: "" is an empty square, "~" a lake,
// and a piece is its seat and its kind, such as "09" (a scout of seat 0) or "1?" (a piece of seat 1 whose kind is hidden).
// In the picture a square is 60 units wide. The sides are told apart by shape too: blocks of seat 0 have battlements, those of
// seat 1 a round top.

const WIDTH = 10;
const COLUMNS = "ABCDEFGHIJ";
const LAKES = new Set([42, 43, 52, 53, 46, 47, 56, 57]);
/** By seat: the number of its first square. */
export const HOME = [0, 60];
const HOME_SQUARES = 40;

export const KIND_NAMES = {
  1: "marshal", 2: "general", 3: "colonel", 4: "major", 5: "captain", 6: "lieutenant", 7: "sergeant", 8: "miner", 9: "scout",
  S: "spy", F: "flag", B: "bomb",
};

export const squareName = (square) => COLUMNS[square % WIDTH] + (Math.floor(square / WIDTH) + 1);
const squareNumber = (name) => (Number(name.slice(1)) - 1) * WIDTH + COLUMNS.indexOf(name[0]);
const bare = () => Array.from({ length: WIDTH * WIDTH }, (_, square) => (LAKES.has(square) ? "~" : ""));

/** A board from the host's 100 characters. `seat` is whose view it is; null: a watcher's. */
function readBoard(squares, seat) {
  return Array.from(squares, (character) => {
    if (character === ".") return "";
    if (character === "~") return "~";
    if (character === "r" || character === "b") return (character === "r" ? "0" : "1") + "?";
    return character === "#" ? `${1 - seat}?` : `${seat}${character}`;
  });
}

/** A view of the host as this page keeps it. */
function readView(view, seat) {
  if (view.board) return view;
  return {
    phase: view.phase, board: readBoard(view.squares, seat), ready: [...view.ready], turn: view.turn,
    last: null, fight: null, before: null,
  };
}

/** The view at the beginning of a match. */
const opened = () => ({
  phase: "setup", board: bare(), ready: [false, false], turn: null, last: null, fight: null, before: null,
});

function placed(view, first, kinds, seat) {
  const board = [...view.board];
  for (const [offset, kind] of [...kinds].entries()) board[first + offset] = `${seat}${kind}`;
  return { ...view, board };
}

/** A set-up that the host has shown to its player, or to everybody after the end of a match. */
const withRows = (view, seat, rows) => placed(view, HOME[seat], rows.join(""), seat);

function played(view, event) {
  const [from, to] = [squareNumber(event.from), squareNumber(event.to)];
  const board = [...view.board];
  const fought = event.kind === "fought";
  const winner = fought ? event.winner : "attacker";
  if (winner !== "defender") board[to] = winner === null ? "" : board[from];
  board[from] = "";
  const fight = fought ? { square: to, from, seat: event.seat, attacker: event.attacker, defender: event.defender, winner } : null;
  return { ...view, phase: "play", board, turn: event.next, last: [from, to], fight, before: view.fight };
}

/** The view after an event. `seat` is whose view it is; null: a watcher's. */
function follow(known, event, seat) {
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

// -- how it looks

export const CELL = 60;
export const SIZE = CELL * 10;

const BATTLEMENTS = "M-23 23V-17q0-4 4-4h5v4h8v-4h12v4h8v-4h5q4 0 4 4V23q0 3-3 3H-20q-3 0-3-3Z";
const ROUND = "M-23 23V-8C-22-18-12-21 0-21S22-18 23-8V23q0 3-3 3H-20q-3 0-3-3Z";
const SHAPES = [BATTLEMENTS, ROUND];

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
function ground() {
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
function fight({ seat, attacker, defender, winner }) {
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

// -- on a page

/** Texts in the language of the page, once the whole board is loaded. */
export let t = (text) => text;
/** The modules of the set-up, of marks, and of words. A small board needs none of them. */
let setting = null;
let noting = null;
let saying = null;

/** Whether a player sets up on this page now. */
export const settingUp = (view, options) =>
  view.phase === "setup" && options.mine !== null && options.mine !== undefined && !view.ready[options.mine] && !options.small;

const FRAME = 8;
const LABELS = 28;
/** How long a fight shows both kinds, in milliseconds. */
const FIGHT = 1700;

/** The view as this module keeps it; before the first event, the empty board. */
const viewed = (view, options) => (view ? readView(view, options.mine ?? null) : opened());

/** The middle of a square. The player of `seat` sits below. */
const spotFor = (seat) => (square) => {
  const [x, y] = [square % WIDTH, Math.floor(square / WIDTH)];
  return [((seat === 1 ? 9 - x : x) + 0.5) * CELL, ((seat === 1 ? y : 9 - y) + 0.5) * CELL];
};

function labels(seat) {
  const texts = [];
  for (let place = 0; place < WIDTH; place += 1) {
    const [x, y] = spotFor(seat)(place * WIDTH + place);
    texts.push(["text", { x: -18, y: y + 6, class: "st-label" }, place + 1]);
    texts.push(["text", { x, y: SIZE + 25, class: "st-label" }, "ABCDEFGHIJ"[place]]);
  }
  return texts;
}

/** What can be moved: squares to move to, by the square to move from. */
function movesOf({ can, moves }) {
  const found = new Map();
  for (const { parts } of can ? moves : []) {
    if (parts.kind !== "move") continue;
    const from = squareNumber(parts.from);
    found.set(from, [...(found.get(from) ?? []), squareNumber(parts.to)]);
  }
  return found;
}

function playMarks(view, options, spot) {
  const box = (square, name) => {
    const [x, y] = spot(square);
    return ["rect", { x: x - 28, y: y - 28, width: 56, height: 56, rx: 5, class: `st-${name}` }];
  };
  const marks = (view.last ?? []).map((square) => box(square, "last"));
  const from = options.choice?.from;
  if (from === undefined || !options.can) return marks;
  marks.push(box(from, "chosen"));
  for (const square of movesOf(options).get(from) ?? []) {
    const [x, y] = spot(square);
    marks.push(view.board[square] ? ["circle", { cx: x, cy: y, r: 28, class: "st-take" }] : ["circle", { cx: x, cy: y, r: 9, class: "st-can" }]);
  }
  return marks;
}

function piecesOf(view, options, spot) {
  const board = [...view.board];
  if (settingUp(view, options)) {
    setting.setupOf(view, options).placing.forEach((kind, place) => (board[HOME[options.mine] + place] = kind && `${options.mine}${kind}`));
  }
  const pieces = [];
  for (const [square, name] of board.entries()) {
    if (name === "" || name === "~") continue;
    const [x, y] = spot(square);
    pieces.push({ kind: name, x, y, shape: [piece(name)], at: String(square) });
  }
  return pieces;
}

/** The fights to show for a moment: the latest, and the one before it, which the answer would hide at once. */
function fights(view, options, spot) {
  const shown = options.fresh ? (options.stepping ? [view.fight] : [view.before, view.fight]) : [];
  return shown.filter(Boolean).map((fought) => {
    const [x, y] = spot(fought.square);
    const inside = (place, half) => Math.min(Math.max(place, half), SIZE - half);
    return ["g", { transform: `translate(${inside(x, 68)} ${inside(y, 40)})` }, fight(fought)];
  });
}

function cellsOf(view, options, spot) {
  const setup = settingUp(view, options);
  const moves = movesOf(options);
  const marks = noting?.marksOf(options);
  const state = setup ? setting.setupOf(view, options) : null;
  /** Up the board, or against an enemy: what a guided game proposes. */
  const leads = (start, to) => view.board[to] !== "" || spot(to)[1] < spot(start)[1];
  const cells = [];
  for (let row = 0; row < WIDTH; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const square = options.seat === 1 ? row * WIDTH + 9 - column : (9 - row) * WIDTH + column;
      const place = square - HOME[options.mine ?? 0];
      if (setup && !(place >= 0 && place < 40)) continue;
      const [x, y] = spot(square);
      const from = options.choice?.from;
      const reached = moves.get(from)?.includes(square) ?? false;
      cells.push({
        id: String(square), x: x - CELL / 2, y: y - CELL / 2, w: CELL, h: CELL,
        label: setup ? setting.placeLabel(view, options, square) : saying.describe(view, options, square, moves, marks),
        can: setup ? state.held !== null || state.placing[place] !== "" : moves.has(square) || reached,
        chosen: setup ? state.from === place : from === square,
        advised: !setup && (reached ? leads(from, square) : (moves.get(square) ?? []).some((to) => leads(square, to))),
        drag: setup ? state.placing[place] !== "" : moves.has(square),
      });
    }
  }
  return setup ? [...setting.trayCells(view, options), ...cells] : cells;
}

/** Move everything from the corner of the field to its place in the picture. */
function shifted(spec, x, y) {
  const group = (shapes) => [["g", { transform: `translate(${x} ${y})`, class: "st-stratego" }, ...shapes.filter(Boolean)]];
  return {
    ...spec, ground: group(spec.ground), marks: group(spec.marks), over: spec.over.length ? group(spec.over) : [],
    pieces: spec.pieces.map((one) => ({ ...one, x: one.x + x, y: one.y + y })),
    cells: spec.cells.map((cell) => ({ ...cell, x: cell.x + x, y: cell.y + y })),
  };
}

/** What lies over the pieces: what is noted about them, fights, and the choice of a mark. */
function above(view, options, spot, spec) {
  spec.over.push(...(noting?.drawMarks(options, spot, view.board) ?? []), ...fights(view, options, spot));
  if (!noting || options.choice?.marked === undefined) return spec;
  const asked = noting.choices(options, spot);
  spec.over.push(asked.over);
  const focus = `mark ${Object.keys(KIND_NAMES)[0]}`;
  return { ...spec, focus, cells: [...asked.cells, ...spec.cells.filter((cell) => !asked.covers(cell))] };
}

function draw(known, options) {
  const view = viewed(known, options);
  const spot = spotFor(options.seat);
  const setup = settingUp(view, options);
  const edge = options.small ? 0 : LABELS;
  const spec = {
    width: SIZE + 2 * FRAME + edge, height: SIZE + 2 * FRAME + edge, label: "Stratego", square: CELL,
    key: `${options.seat} ${options.small}`,
    ground: [...ground(), ...(options.small ? [] : labels(options.seat))],
    marks: setup ? setting.setupMarks(view, options, spot) : options.small ? [] : playMarks(view, options, spot),
    pieces: piecesOf(view, options, spot),
    over: options.small || !setup ? [] : [setting.tray(view, options)],
    cells: options.small ? [] : cellsOf(view, options, spot),
  };
  return shifted(options.small || setup ? spec : above(view, options, spot, spec), FRAME + edge, FRAME);
}

/** A press on a square in play: pick a piece up, put it down, or move it. */
function pressPlay(view, options, id) {
  const square = Number(id);
  const from = options.choice?.from;
  if (id === "cancel" || from === square) return { choice: null };
  const marked = noting?.pressMark(view, options, id);
  if (marked) return marked;
  if (!options.can) return { choice: null };
  const moves = movesOf(options);
  if (moves.has(square)) return { choice: { from: square } };
  if (!moves.get(from)?.includes(square)) return { choice: null };
  const event = { kind: "moved", seat: options.mine, from: squareName(from), to: squareName(square), next: 1 - options.mine };
  return { act: `${event.from}-${event.to}`, event: view.board[square] ? null : event };
}

function press(known, options, id) {
  const view = viewed(known, options);
  return settingUp(view, options) ? setting.pressSetup(view, options, id) : pressPlay(view, options, id);
}

function turn(known) {
  if (!known) return [];
  if (known.phase === "setup") return [0, 1].filter((seat) => !known.ready[seat]);
  return known.turn === null ? [] : [known.turn];
}

/** A match in its middle, for the small board on the page of tables. */
function sample() {
  const red = "r".repeat(30) + "rrr.rrr.rr" + "....r.....";
  const blue = "....b....." + "bb.bbb.bbb" + "b".repeat(30);
  const squares = [...(red + blue)].map((character, square) => ([42, 43, 52, 53, 46, 47, 56, 57].includes(square) ? "~" : character));
  return { phase: "play", squares: squares.join(""), ready: [true, true], turn: 0 };
}

/** A move as a list shows it: `E5×E4 8:3 †`. The sign says that the attacker is gone, two of them that both are. */
function short(event) {
  if (event.kind === "moved") return `${event.from}–${event.to}`;
  if (event.kind !== "fought") return "";
  const gone = { attacker: "", defender: " †" }[event.winner] ?? " ††";
  return `${event.from}×${event.to} ${event.attacker}:${event.defender}${gone}`;
}

export default {
  async load(words) {
    t = words;
    [setting, noting, saying] = await Promise.all([import("./board-setup.js"), import("./board-marks.js"), import("./board-words.js")]);
  },
  name: "stratego",
  lost: (log) => saying.lost(log),
  legend: () => import("./board-legend.js"),
  lessons: true,
  advice(known, options) {
    const view = viewed(known, options);
    if (settingUp(view, options)) return "Place your forty pieces in your four rows. Shuffle places all of them; Ready begins.";
    if (options.choice?.from === undefined) return "Choose one of your pieces that can move. The lower number wins a fight.";
    return "Now a square beside it; a scout (9) runs as far as it is free. A square with an enemy is an attack.";
  },
  title: "Stratego",
  about: "Forty hidden pieces a side",
  sample: sample(),
  colours: ["red-block", "blue-block"],
  sides: () => [t("red pieces"), t("blue pieces")],
  after: follow,
  reveal: (view, event, seat) => (event.kind.startsWith("placed") ? follow(view, event, seat) : view),
  turn,
  draw,
  press,
  move: (event) => (event.kind === "moved" || event.kind === "fought" ? { seat: event.seat, text: short(event) } : null),
  words: (event, names) => saying.inWords(event, names),
  status: (known, options) => saying.status(viewed(known, options), options),
  doing: (view) => (view?.phase === "setup" ? t("sets up") : null),
  linger: (event) => (event.kind === "fought" ? FIGHT : 0),
};

