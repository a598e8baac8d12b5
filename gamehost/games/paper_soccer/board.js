// Paper Soccer in a browser. What can be done comes from the host, one point after the other.
//
// A point is [x, y] with the centre at [0, 0]. The seat that moves first ("first" below) attacks the goal at y = 6, the other
// one the goal at y = -6. `choice` is the list of points so far, until the ball stops.

const WIDE = 4;
const LONG = 5;
const GOAL = 6;

/** Texts in the language of the page, once the whole board is loaded. */
let t = (text) => text;

const name = ([x, y]) => `${x},${y}`;

function onPitch([x, y]) {
  return (Math.abs(x) <= WIDE && Math.abs(y) <= LONG) || (Math.abs(x) <= 1 && Math.abs(y) === GOAL);
}

const POINTS = [];
for (let y = GOAL; y >= -GOAL; y -= 1) for (let x = -WIDE; x <= WIDE; x += 1) if (onPitch([x, y])) POINTS.push([x, y]);

/** The corners of the pitch. */
const BORDER = [[-1, LONG], [-1, GOAL], [1, GOAL], [1, LONG], [WIDE, LONG], [WIDE, -LONG],
  [1, -LONG], [1, -GOAL], [-1, -GOAL], [-1, -LONG], [-WIDE, -LONG], [-WIDE, LONG]];

function after(view, event) {
  if (event.kind === "kickoff") return { first: event.first, moves: [], next: event.first };
  if (!view) return view;
  if (event.kind === "moved") return { ...view, moves: [...view.moves, event.points], next: event.next };
  if (event.kind === "taken-back") return { ...view, moves: event.left, next: event.seat };
  if (event.kind !== "ended") return view;
  return { ...view, moves: event.points.length ? [...view.moves, event.points] : view.moves, next: null };
}

/** Where the ball lies after all moves, and after the points of a sketch. */
const ballOf = (view, sketch = []) => sketch.at(-1) ?? view.moves.at(-1)?.at(-1) ?? [0, 0];

/** The name of a point -> what can be done with the ball there. */
const openTo = ({ can, moves }) => new Map((can ? moves : []).map((one) => [name(one.parts.points.at(-1)), one]));

function press(view, options, id) {
  const { mine, can, choice } = options;
  if (!can || mine === null) return null;
  const sketch = choice ?? [];
  if (id === name(ballOf(view, sketch)) || id === "cancel") return sketch.length ? { choice: sketch.slice(0, -1) } : null;
  const move = openTo(options).get(id);
  if (!move) return null;
  const { points } = move.parts;
  return move.more ? { choice: points } : { act: move.action, event: { kind: "moved", seat: mine, points, next: 1 - mine } };
}

// -- the picture: one step is UNIT

const UNIT = 50;
const EDGE = 22;
const WIDTH = 2 * WIDE * UNIT + 2 * EDGE;
const HEIGHT = 2 * GOAL * UNIT + 2 * EDGE;

/** Where a point is in the picture; `up` is 1 if y grows upwards, and -1 if the board is turned. */
function at([x, y], up) {
  return [WIDTH / 2 + x * UNIT * up, HEIGHT / 2 - y * UNIT * up];
}

function path(lines, up) {
  return lines.map(([from, to]) => `M${at(from, up)}L${at(to, up)}`).join("");
}

/** The side of the seat that sits below attacks upwards. */
function upwards(view, seat) {
  return view.first === seat ? 1 : -1;
}

function ground(up) {
  const ruling = [];
  for (let x = -WIDE; x <= WIDE; x += 1) ruling.push([[x, -LONG], [x, LONG]]);
  for (let y = -LONG; y <= LONG; y += 1) ruling.push([[-WIDE, y], [WIDE, y]]);
  const goals = [0, 1].map((side) => {
    const [x, y] = at([-up, side ? GOAL : -LONG], up);
    return ["rect", { class: `ps-goal ps-goal-${side}`, x, y: up > 0 ? y : y - UNIT, width: 2 * UNIT, height: UNIT }];
  });
  return [
    ["rect", { class: "ps-paper", width: WIDTH, height: HEIGHT, rx: 12 }],
    ...goals,
    ["path", { class: "ps-ruling", d: path(ruling, up) }],
    ["path", { class: "ps-border", d: `M${BORDER.map((point) => at(point, up)).join("L")}Z` }],
    ...POINTS.map((point) => ["circle", { class: "ps-point", cx: at(point, up)[0], cy: at(point, up)[1], r: 2 }]),
  ];
}

/** The numbers of the list of moves, at the edges of the paper. */
function numbers(up) {
  const texts = [];
  for (let x = -WIDE; x <= WIDE; x += 1) texts.push(["text", { class: "ps-number", x: at([x, 0], up)[0], y: HEIGHT - 6 }, String(x)]);
  for (let y = -GOAL; y <= GOAL; y += 1) texts.push(["text", { class: "ps-number", x: EDGE / 2, y: at([0, y], up)[1] + 5 }, String(y)]);
  return texts;
}

/** The lines of all moves. The second side's lines have a gap in the middle, so that colour is not all that tells them apart. */
function drawnMoves(view, up) {
  const drawn = [];
  let ball = [0, 0];
  view.moves.forEach((points, number) => {
    const side = number % 2;
    const lines = points.map((point, index) => [index ? points[index - 1] : ball, point]);
    ball = points.at(-1) ?? ball;
    const kind = `ps-line ps-side-${side} ${number === view.moves.length - 1 ? "ps-last" : ""}`;
    if (side === 0) drawn.push(["path", { class: kind, d: path(lines, up) }]);
    else drawn.push(...lines.map((one) => ["path", { class: kind, d: path([one], up), pathLength: 100 }]));
  });
  return drawn;
}

/** Whether the ball bounces off the edge of the pitch at a point. The middle of each goal line is open. */
const onBorder = ([x, y]) => Math.abs(x) === WIDE || (Math.abs(y) === LONG && x !== 0);

/** The name of a point -> the points to which lines of moves, or of the sketch, lead from it. */
function linesFrom(view, sketch) {
  const ends = new Map();
  const add = (from, to) => ends.set(name(from), [...(ends.get(name(from)) ?? []), name(to)]);
  let ball = [0, 0];
  for (const point of [...view.moves.flat(), ...sketch]) {
    add(ball, point);
    add(point, ball);
    ball = point;
  }
  return ends;
}

const BALL = [
  ["circle", { class: "ps-ball", r: 10 }],
  ["path", { class: "ps-patch", d: "M0 -4.6L4.4 -1.4L2.7 3.7H-2.7L-4.4 -1.4Z" }],
];

function draw(view, options) {
  const { seat = 0, mine, small, can } = options;
  const up = upwards(view, seat);
  const sketch = (can && options.choice) || [];
  const ball = ballOf(view, sketch);
  const [x, y] = at(ball, up);
  const marks = drawnMoves(view, up);
  if (sketch.length) {
    const lines = sketch.map((point, index) => [index ? sketch[index - 1] : ballOf(view), point]);
    marks.push(["path", { class: `ps-sketch ps-side-${view.moves.length % 2}`, d: path(lines, up) }]);
  }
  const spec = {
    width: WIDTH, height: HEIGHT, square: UNIT, key: `${up} ${small}`, ground: [...ground(up), ...(small ? [] : numbers(up))], marks,
    pieces: [{ kind: "ball", x, y, shape: BALL }],
    label: small ? "Paper Soccer" : t("Paper Soccer, ball at {point}", { point: name(ball) }),
  };
  if (small) return spec;
  const open = openTo(options);
  const lines = linesFrom(view, sketch);
  const over = [];
  const cells = POINTS.map((point) => {
    const id = name(point);
    const [cx, cy] = at(point, up);
    const words = [id];
    if (id === name(ball)) words.push(t("the ball"), sketch.length && t("take the last line back"));
    if (Math.abs(point[1]) === GOAL) words.push(goalWords(view, point, mine));
    if (onBorder(point)) words.push(t("at the border"));
    if (lines.has(id)) words.push(t("lines to {points}", { points: lines.get(id).join(t(" and ")) }));
    const move = open.get(id);
    if (move) {
      words.push(t("can be played to"), move.more && t("bounces"));
      over.push(["circle", { class: move.more ? "ps-can ps-bounce" : "ps-can", cx, cy, r: 9 }]);
    }
    const usable = move !== undefined || (sketch.length > 0 && id === name(ball));
    return { id, x: cx - 22, y: cy - 22, w: 44, h: 44, label: words.filter(Boolean).join(", "), can: usable };
  });
  return { ...spec, over, cells };
}

/** Whose goal a point lies in. The goal at y = 6 is the one that the second side keeps. */
function goalWords(view, [, y], mine) {
  const keeper = y > 0 ? 1 - view.first : view.first;
  return t(mine === null ? "a goal" : keeper === mine ? "your own goal" : "the goal that you attack");
}

export default {
  name: "paper-soccer",
  legend: () => import("./board-legend.js"),
  lessons: true,
  advice: (view, { choice }) => (choice?.length
    ? "The ball bounces, because a line ended there: play on. The ball itself takes the last step back."
    : "Choose the point to which the ball goes. The goal that you attack is at the top."),
  title: "Paper Soccer",
  about: "One ball, one pencil, bouncing lines",
  /** The marks beside names follow who moves first. */
  colours: (view) => (view?.first === 1 ? ["ps-seat-1", "ps-seat-0"] : ["ps-seat-0", "ps-seat-1"]),
  load: async (words) => void (t = words),
  sides: (view) => [0, 1].map((seat) => t("attacks the goal at {point}", { point: view?.first === seat ? "0,6" : "0,-6" })),
  sample: {
    first: 0, next: 1,
    moves: [[[1, 1]], [[1, 0]], [[0, 1]], [[0, 0], [-1, -1]], [[-1, 0], [0, 0], [1, -1]], [[1, 0], [2, 1]], [[1, 2]]],
  },
  after,
  turn: (view) => (view.next === null || view.next === undefined ? [] : [view.next]),
  draw,
  press,
  begun: (choice) => choice.map(name).join(" "),
  move(event) {
    if (event.kind === "moved") return { seat: event.seat, text: event.points.map(name).join(" ") };
    return event.kind === "ended" && event.points.length ? { seat: null, text: event.points.map(name).join(" ") } : null;
  },
  words(event, names, before) {
    const who = names[event.kind === "kickoff" ? event.first : event.kind === "ended" ? before?.next : event.seat] ?? "";
    if (event.kind === "kickoff") return t("Kick-off. {name} moves first.", { name: who });
    if (event.kind === "taken-back") return t("{name} takes a move back, and moves again.", { name: who });
    return event.points?.length ? t("{name} plays to {points}.", { name: who, points: event.points.map(name).join(t(", then ")) }) : null;
  },
  status(view, { can, choice, mine }) {
    if (!can) return {};
    if (choice?.length) return { detail: t("The ball bounces: go on. Press the ball to take a line back") };
    return view.moves.length < 2 ? { detail: t(view.first === mine ? "You attack the goal at the top; you move first" : "You attack the goal at the top") } : {};
  },
};
