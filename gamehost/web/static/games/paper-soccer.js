// Paper Soccer: its rules, as far as a page needs them, and its pitch.
//
// A point is [x, y] with the centre at [0, 0]. The seat that moves first ("first" below) attacks the goal at y = 6, the other
// one the goal at y = -6. A line is drawn between two neighbouring points, and never twice.

const WIDE = 4;
const LONG = 5;
const GOAL = 6;

const name = ([x, y]) => `${x},${y}`;
const same = (one, other) => one[0] === other[0] && one[1] === other[1];

function onPitch([x, y]) {
  return (Math.abs(x) <= WIDE && Math.abs(y) <= LONG) || (Math.abs(x) <= 1 && Math.abs(y) === GOAL);
}

const POINTS = [];
for (let y = GOAL; y >= -GOAL; y -= 1) for (let x = -WIDE; x <= WIDE; x += 1) if (onPitch([x, y])) POINTS.push([x, y]);

/** The name of a line, the same from both ends. */
function line(one, other) {
  const swap = one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]);
  return swap ? `${name(other)} ${name(one)}` : `${name(one)} ${name(other)}`;
}

/** Whether a line stays on the pitch, and does not cut round a post. */
function inside([x, y], [x2, y2]) {
  return Math.max(Math.abs(y), Math.abs(y2)) < GOAL || Math.max(Math.abs(x), Math.abs(x2)) <= 1;
}

/** Whether a line is drawn from the start. The mouths of the goals are open. */
function onBorder([x, y], [x2, y2]) {
  if (x === x2) return Math.abs(x) === WIDE || (Math.abs(x) === 1 && (Math.abs(y) === GOAL || Math.abs(y2) === GOAL));
  const mouth = Math.max(Math.abs(x), Math.abs(x2)) <= 1;
  return y === y2 && (Math.abs(y) === GOAL || (Math.abs(y) === LONG && !mouth));
}

/** Name of a point -> the points to which a line can lead from there. */
const WAYS = new Map(POINTS.map((from) => [name(from), POINTS.filter((to) =>
  !same(from, to) && Math.max(Math.abs(from[0] - to[0]), Math.abs(from[1] - to[1])) === 1 && inside(from, to))]));

const BORDER = new Set(POINTS.flatMap((from) => WAYS.get(name(from)).filter((to) => onBorder(from, to)).map((to) => line(from, to))));

// -- rules

/** The start: the ball in the centre, the border drawn, the first side to play. `winner` is a side, or `null`. */
export function start() {
  return { ball: [0, 0], drawn: new Set(BORDER), side: 0, winner: null };
}

/** The points to which the ball can be played now. */
export function steps({ ball, drawn, winner }) {
  return winner === null ? WAYS.get(name(ball)).filter((to) => !drawn.has(line(ball, to))) : [];
}

/** The position after one line. A ball that comes to a touched point bounces: the same side goes on. */
export function step({ ball, drawn, side }, to) {
  const around = WAYS.get(name(to));
  const touched = around.some((other) => drawn.has(line(to, other)));
  const lines = new Set(drawn).add(line(ball, to));
  const next = { ball: to, drawn: lines, side, winner: null };
  if (!touched) return { ...next, side: 1 - side };
  if (Math.abs(to[1]) === GOAL) return { ...next, winner: to[1] > 0 ? 0 : 1 };
  return around.every((other) => lines.has(line(to, other))) ? { ...next, winner: 1 - side } : next;
}

const known = new WeakMap();

/** The position after all moves of a view. */
export function position(view) {
  if (!known.has(view)) known.set(view, view.moves.flat().reduce(step, start()));
  return known.get(view);
}

function after(view, event) {
  if (event.kind === "kickoff") return { first: event.first, moves: [], next: event.first };
  if (!view) return view;
  if (event.kind === "moved") return { ...view, moves: [...view.moves, event.points], next: event.next };
  if (event.kind !== "ended") return view;
  return { ...view, moves: event.points.length ? [...view.moves, event.points] : view.moves, next: null };
}

// -- what a press does: `choice` is the list of points so far, until the ball stops

function press(view, { mine, can, choice }, id) {
  if (!can || mine === null) return null;
  const sketch = choice ?? [];
  const here = sketch.reduce(step, position(view));
  if (id === name(here.ball) || id === "cancel") return sketch.length ? { choice: sketch.slice(0, -1) } : null;
  const to = steps(here).find((point) => name(point) === id);
  if (!to) return null;
  const points = [...sketch, to];
  const there = step(here, to);
  if (there.side === here.side && there.winner === null) return { choice: points };
  const action = points.map(name).join(" ");
  if (there.winner !== null) return { act: action, event: { kind: "ended", points, why: "" } };
  return { act: action, event: { kind: "moved", seat: mine, points, next: 1 - mine } };
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

function ends(drawn) {
  return [...drawn].map((text) => text.split(" ").map((point) => point.split(",").map(Number)));
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
    ["path", { class: "ps-border", d: path(ends(BORDER), up) }],
    ...POINTS.map((point) => ["circle", { class: "ps-point", cx: at(point, up)[0], cy: at(point, up)[1], r: 2 }]),
  ];
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

const BALL = [
  ["circle", { class: "ps-ball", r: 10 }],
  ["path", { class: "ps-patch", d: "M0 -4.6L4.4 -1.4L2.7 3.7H-2.7L-4.4 -1.4Z" }],
];

function draw(view, options) {
  const { seat = 0, mine, small, can } = options;
  const up = upwards(view, seat);
  const sketch = (can && options.choice) || [];
  const before = position(view);
  const here = sketch.reduce(step, before);
  const [x, y] = at(here.ball, up);
  const marks = drawnMoves(view, up);
  if (sketch.length) {
    const lines = sketch.map((point, index) => [index ? sketch[index - 1] : before.ball, point]);
    marks.push(["path", { class: `ps-sketch ps-side-${before.side}`, d: path(lines, up) }]);
  }
  const spec = {
    width: WIDTH, height: HEIGHT, key: String(up), ground: ground(up), marks,
    pieces: [{ kind: "ball", x, y, shape: BALL }],
    label: `Paper Soccer, ball at ${name(here.ball)}`,
  };
  if (small) return spec;
  const open = new Set(can ? steps(here).map(name) : []);
  const over = [];
  const cells = POINTS.map((point) => {
    const id = name(point);
    const [cx, cy] = at(point, up);
    const words = [id];
    if (id === name(here.ball)) words.push("the ball", sketch.length ? "take the last line back" : "");
    if (Math.abs(point[1]) === GOAL) words.push(goalWords(view, point, mine));
    if (open.has(id)) {
      const there = step(here, point);
      const bounces = there.side === here.side && there.winner === null;
      words.push("can be played to", bounces ? "bounces" : "", there.winner === null ? "" : outcome(there.winner, here.side));
      over.push(["circle", { class: bounces ? "ps-can ps-bounce" : "ps-can", cx, cy, r: 9 }]);
    }
    const usable = open.has(id) || (sketch.length > 0 && id === name(here.ball));
    return { id, x: cx - 22, y: cy - 22, w: 44, h: 44, label: words.filter(Boolean).join(", "), can: usable };
  });
  return { ...spec, over, cells };
}

function outcome(winner, side) {
  return winner === side ? "wins" : "loses";
}

/** Whose goal a point lies in. The goal at y = 6 is the one that the second side keeps. */
function goalWords(view, [, y], mine) {
  const keeper = y > 0 ? 1 - view.first : view.first;
  if (mine === null) return "goal";
  return keeper === mine ? "your own goal" : "the goal that you attack";
}

export default {
  name: "paper-soccer",
  title: "Paper Soccer",
  about: "One ball, one pencil, bouncing lines",
  /** The marks beside names follow who moves first. */
  colours: (view) => (view?.first === 1 ? ["ps-seat-1", "ps-seat-0"] : ["ps-seat-0", "ps-seat-1"]),
  sample: {
    first: 0, next: 1,
    moves: [[[1, 1]], [[1, 0]], [[0, 1]], [[0, 0], [-1, -1]], [[-1, 0], [0, 0], [1, -1]], [[1, 0], [2, 1]], [[1, 2]]],
  },
  after,
  turn: (view) => (view.next === null || view.next === undefined ? [] : [view.next]),
  draw,
  press,
  move(event) {
    if (event.kind === "moved") return { seat: event.seat, text: event.points.map(name).join(" ") };
    return event.kind === "ended" && event.points.length ? { seat: null, text: event.points.map(name).join(" ") } : null;
  },
  words(event, names, before) {
    if (event.kind === "kickoff") return `Kick-off. ${names[event.first]} moves first.`;
    const seat = event.kind === "moved" ? event.seat : before?.next;
    if (!event.points?.length) return null;
    return `${names[seat] ?? ""} plays to ${event.points.map(name).join(", then ")}.`;
  },
  status(view, { can, choice, mine }) {
    if (!can) return {};
    if (choice?.length) return { detail: "The ball bounces: go on. Press the ball to take a line back" };
    return { detail: view.moves.length < 2 ? `You attack the goal at the top${view.first === mine ? "; you move first" : ""}` : undefined };
  },
};
