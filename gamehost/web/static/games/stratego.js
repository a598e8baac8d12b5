// Stratego on a page: the interface of a game's module, which board.js explains.

import { CELL, SIZE, fight, ground, piece } from "./stratego-draw.js";
import {
  HOME, KIND_NAMES, WIDTH, follow, inWords, legalMoves, moveAction, opened, readView, short, squareName, targets,
} from "./stratego-rules.js";

/** The module of the set-up. A small board needs none of it. */
let setting = null;

/** Whether a player sets up on this page now. */
const settingUp = (view, options) =>
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

/** The moves that may be shown: of the player of this page, on the own turn. */
const movesOf = (view, options) => (options.can ? legalMoves(view, options.mine) : new Map());

function playMarks(view, options, spot) {
  const box = (square, name) => {
    const [x, y] = spot(square);
    return ["rect", { x: x - 28, y: y - 28, width: 56, height: 56, rx: 5, class: `st-${name}` }];
  };
  const marks = (view.last ?? []).map((square) => box(square, "last"));
  const from = options.choice?.from;
  if (from === undefined || !options.can) return marks;
  marks.push(box(from, "chosen"));
  for (const square of targets(view, from)) {
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
  const shown = options.stepping ? [view.fight] : options.fresh ? [view.before, view.fight] : [];
  return shown.filter(Boolean).map((fought) => {
    const [x, y] = spot(fought.square);
    const inside = (place, half) => Math.min(Math.max(place, half), SIZE - half);
    return ["g", { transform: `translate(${inside(x, 68)} ${inside(y, 40)})` }, fight(fought)];
  });
}

function describe(view, options, square, moves) {
  const name = view.board[square];
  const where = squareName(square);
  const from = options.choice?.from;
  const reached = from !== undefined && (moves.get(from) ?? []).includes(square);
  if (!name) return `${where}, empty${reached ? ", can be moved to" : ""}`;
  const own = name[0] === `${options.mine}`;
  const side = options.mine === null || options.mine === undefined ? ["red", "blue"][name[0]] : own ? "your" : "enemy";
  const what = `${side} ${KIND_NAMES[name[1]] ?? "piece"}`;
  return `${where}, ${what}${reached ? ", can be attacked" : moves.has(square) ? ", can move" : ""}`;
}

function cellsOf(view, options, spot) {
  const setup = settingUp(view, options);
  const moves = movesOf(view, options);
  const state = setup ? setting.setupOf(view, options) : null;
  const cells = [];
  for (let row = 0; row < WIDTH; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const square = options.seat === 1 ? row * WIDTH + 9 - column : (9 - row) * WIDTH + column;
      const place = square - HOME[options.mine ?? 0];
      if (view.board[square] === "~" || (setup && !(place >= 0 && place < 40))) continue;
      const [x, y] = spot(square);
      const from = options.choice?.from;
      const reached = moves.get(from)?.includes(square) ?? false;
      cells.push({
        id: String(square), x: x - CELL / 2, y: y - CELL / 2, w: CELL, h: CELL,
        label: setup ? setting.placeLabel(view, options, square) : describe(view, options, square, moves),
        can: setup ? state.held !== null || state.placing[place] !== "" : moves.has(square) || reached,
        chosen: setup ? state.from === place : from === square,
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

function draw(known, options) {
  const view = viewed(known, options);
  const spot = spotFor(options.seat);
  const setup = settingUp(view, options);
  const edge = options.small ? 0 : LABELS;
  const spec = {
    width: SIZE + 2 * FRAME + edge, height: SIZE + 2 * FRAME + edge, label: "Stratego board",
    key: `${options.seat} ${options.small}`,
    ground: [...ground(), ...(options.small ? [] : labels(options.seat))],
    marks: setup ? setting.setupMarks(view, options, spot) : options.small ? [] : playMarks(view, options, spot),
    pieces: piecesOf(view, options, spot),
    over: options.small ? [] : setup ? [setting.tray(view, options)] : fights(view, options, spot),
    cells: options.small ? [] : cellsOf(view, options, spot),
  };
  return shifted(spec, FRAME + edge, FRAME);
}

/** A press on a square in play: pick a piece up, put it down, or move it. */
function pressPlay(view, options, id) {
  const square = Number(id);
  const from = options.choice?.from;
  if (id === "cancel" || from === square) return { choice: null };
  if (!options.can || view.turn !== options.mine) return null;
  if (view.board[square]?.[0] === `${options.mine}`) return targets(view, square, 0).length ? { choice: { from: square } } : { choice: null };
  // The two-squares rule is the host's to judge: a match may have another setting.
  if (from === undefined || !targets(view, from, 0).includes(square)) return { choice: null };
  const event = { kind: "moved", seat: options.mine, from: squareName(from), to: squareName(square), next: 1 - options.mine };
  return { act: moveAction(from, square), event: view.board[square] ? null : event };
}

function press(known, options, id) {
  const view = viewed(known, options);
  return settingUp(view, options) ? setting.pressSetup(view, options, id) : pressPlay(view, options, id);
}

function status(known, options) {
  const view = viewed(known, options);
  if (view.phase !== "setup") return {};
  if (settingUp(view, options)) return { title: "Set up your forty", detail: "Both sides set up, unseen by each other" };
  const slow = options.names.filter((_, seat) => !view.ready[seat]).join(" and ");
  return { title: "Set-up", detail: slow ? `${slow} still sets up` : "Both are ready" };
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

export default {
  async load() {
    setting = await import("./stratego-setup.js");
  },
  name: "stratego",
  title: "Stratego",
  about: "Forty hidden pieces a side",
  sample: sample(),
  colours: ["red-block", "blue-block"],
  after: follow,
  reveal: (view, event, seat) => (event.kind.startsWith("placed") ? follow(view, event, seat) : view),
  turn,
  draw,
  press,
  move: (event) => (event.kind === "moved" || event.kind === "fought" ? { seat: event.seat, text: short(event) } : null),
  words: (event, names) => inWords(event, names) || null,
  status,
  doing: (view) => (view?.phase === "setup" ? "sets up" : null),
  linger: (event) => (event.kind === "fought" ? FIGHT : 0),
};

