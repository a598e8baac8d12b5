// Eriantys in a browser. What can be chosen comes from the host.
//
// A view is the host's (`View` in the schema) with a few keys of this page: `stage` ("choices", "planning", "students", "steps",
// "cloud"), `walked` (whether Mother Nature has moved in this turn), `herald`
// (whether the herald is at work), `order` (who plays assistants after whom), `hand` (the own
// assistants, as last told), `lastRound`, and `done`: what the last player has changed in this turn, which the board marks.
//
// A student and its destination are one choice for the player: the student is picked up on the page, the host is asked where it
// may go, and both answers are sent together. So it can be put back, which the host's own questions do not allow.

import { SEAS, drawSea, seaGround } from "./board-sea.js";

/** Texts in the language of the page, once the whole board is loaded. */
export let t = (text) => text;

export const COLOURS = ["green", "red", "yellow", "pink", "blue"];
/** What a number of players changes: students in an entrance, and students moved in a turn. */
const MODES = { 2: [7, 3], 3: [9, 4], 4: [7, 3] };

const HERALD = 3;
const SWAPS_ENTRANCE = 7;
const SWAPS_DINING = 10;

export const sum = (heap) => Object.values(heap).reduce((total, count) => total + count, 0);

/** Nothing was done yet. */
const NOTHING = { seat: null, places: [] };

/** A view of the host as this page keeps it. */
function readView(view) {
  if (view.stage !== undefined) return view;
  const order = view.board ? [...view.board.order] : null;
  const hand = view.request?.availableAssistants ?? null;
  const read = { ...view, stage: "choices", walked: false, herald: false, order, started: [], hand, lastRound: false, done: NOTHING };
  const stage = stageOf(read, view.request ?? null);
  return { ...read, stage, walked: stage === "cloud" };
}

/** What the player whose turn it is does, from what is asked, or from what can be seen. */
function stageOf(view, request) {
  const asked = { "ask-assistant": "planning", "ask-steps": "steps", "ask-cloud": "cloud", "ask-student": "students" }[request?.kind];
  if (asked) return asked;
  const told = { PLANNING: "planning", MOVE_1: "students", MOVE_2: "steps", MOVE_3: "cloud" };
  const status = view.statuses?.map((one) => told[one]).find(Boolean);
  if (view.stage === "choices") return view.board ? (status ?? "planning") : "choices";
  if (view.stage === "planning") return "planning";
  return movedIn(view) < MODES[view.seats][1] ? "students" : view.walked ? "cloud" : "steps";
}

/** How many students have been moved in this turn. */
export function movedIn(view) {
  const player = view.board?.players[view.turn];
  return player ? Math.max(0, MODES[view.seats][0] - sum(player.entrance)) : 0;
}

export const movesOf = (view) => MODES[view.seats][1];

function begun(event) {
  const statuses = Array(event.seats).fill("WAITING");
  return readView({ seats: event.seats, expert: event.expert, board: null, turn: 0, statuses, teams: {}, request: null, won: null });
}

function withPlayer(view, seat, change) {
  const players = view.board.players.map((player, place) => (place === seat ? { ...player, ...change(player) } : player));
  return { ...view, board: { ...view.board, players } };
}

function newBoard(view, board) {
  const fresh = board.round !== view.board?.round;
  const next = { ...view, board, request: view.request, order: view.order ?? [...board.order], done: deeds ? deeds.doneBy(view, board) : NOTHING };
  if (fresh && board.round > 0) {
    const [first] = next.started.length ? next.started : next.order;
    Object.assign(next, { stage: "planning", order: next.started.length > 1 ? next.started : next.order, started: [], turn: first });
    if (next.order[0] !== first) next.order = turned(board.order, first);
  } else if (next.stage !== "planning" && next.stage !== "choices") {
    next.stage = stageOf(next, null);
  }
  return next;
}

/** A circle of seats, beginning with one of them. */
function turned(order, first) {
  const place = order.indexOf(first);
  return [...order.slice(place), ...order.slice(0, place)];
}

function assistantPlayed(view, { seat, assistant }) {
  const next = withPlayer(view, seat, (player) => ({ playedAssistant: assistant, assistantsLeft: player.assistantsLeft - 1 }));
  const waits = view.order.filter((one) => next.board.players[one].playedAssistant === null);
  return { ...next, stage: "planning", turn: waits[0] ?? null };
}

function turnStarted(view, { seat }) {
  // The first one is said at the end of the set-up: who is first in round 1.
  const first = view.board.players.every((player) => player.playedAssistant === null);
  if (first) return { ...view, turn: seat, started: [seat], stage: "planning" };
  const started = [...view.started.filter((one) => one !== seat), seat];
  return { ...view, turn: seat, started, stage: "students", walked: false, herald: false };
}

/** An island was counted: because Mother Nature stopped there, or by the herald. */
function counted(view) {
  if (view.herald) return { ...view, herald: false };
  const next = { ...view, walked: true };
  return { ...next, stage: stageOf(next, null) };
}

const FOLLOW = {
  started: (view, event) => begun(event),
  // Before the deal nobody is told what others choose, so the next one is taken from the order of the seats.
  success: (view, { seat }) => ({ ...view, request: null, turn: view.stage === "choices" ? (seat + 1) % view.seats : view.turn }),
  denied: (view) => ({ ...view, request: null }),
  status: (view, event) => ({ ...view, statuses: view.statuses.map((one, seat) => (seat === event.seat ? event.playerStatus : one)) }),
  board: (view, event) => newBoard(view, event.board),
  "played-assistant": assistantPlayed,
  "played-character": (view, event) => ({
    ...view, herald: event.character === HERALD, board: { ...view.board, activeCharacter: event.character },
  }),
  "island-owner": counted,
  "no-entry-used": counted,
  "start-of-turn": turnStarted,
  "end-of-turn": (view) => ({ ...view, request: null, done: { ...view.done, over: true } }),
  "last-round": (view) => ({ ...view, lastRound: true }),
  won: (view, event) => ({ ...view, request: null, turn: null, won: event }),
  // Not of the host: the own student, shown at once.
  "student-moved": studentMoved,
};

/** The view after an event. */
function follow(known, event) {
  const view = known ? readView(known) : null;
  if (event.kind.startsWith("ask-")) return asked(view, event);
  const change = FOLLOW[event.kind];
  return change && (view || event.kind === "started") ? change(view, event) : view;
}

function asked(view, event) {
  const next = { ...view, request: event, turn: event.seat, hand: event.availableAssistants ?? view.hand };
  return { ...next, stage: stageOf(next, event) };
}

function studentMoved(view, { seat, colour, destination }) {
  const board = { ...view.board };
  const add = (heap, count) => ({ ...heap, [colour]: heap[colour] + count });
  board.islands = board.islands.map((island) => (island.number === destination ? { ...island, students: add(island.students, 1) } : island));
  return withPlayer({ ...view, board, request: null }, seat, (player) => ({
    entrance: add(player.entrance, -1),
    diningRoom: destination === 0 ? add(player.diningRoom, 1) : player.diningRoom,
  }));
}

// -- what is asked

/** Where the students that a character asks for lie: "card", "entrance", "dining", or "any" for a colour. */
function offeredFrom(view) {
  const { request, board } = view;
  if (request?.kind === "ask-colour") return "any";
  if (request?.kind !== "ask-card-student") return null;
  if (board.activeCharacter === SWAPS_ENTRANCE) return request.mayStop ? "card" : "entrance";
  if (board.activeCharacter === SWAPS_DINING) return request.mayStop ? "entrance" : "dining";
  return "card";
}

// -- on a page

const GAP = 10;
const CARDS = 96;
const CHOICES = 76;

/** The modules that draw what lies beside the sea, that find what a board changes, and of words. A small board needs none of them. */
let beside = null;
let deeds = null;
let said = null;

const emptyHeap = () => Object.fromEntries(COLOURS.map((colour) => [colour, 0]));

/** The board before the deal: islands without students. */
function bareBoard(seats) {
  return {
    round: 0, players: [], clouds: Array.from({ length: seats }, emptyHeap), motherNature: 1, professors: {}, bag: 120, characters: [],
    islands: Array.from({ length: 12 }, (_, place) => ({
      number: place + 1, members: [place + 1], students: emptyHeap(), tower: null, towers: 0, noEntryTiles: 0,
    })),
    activeCharacter: null, coinsSupply: null, order: [],
  };
}

function viewed(known) {
  const view = known ? readView(known) : { seats: 2, expert: false, board: null, turn: null, statuses: [], request: null, stage: "choices" };
  return view.board ? view : { ...view, board: bareBoard(view.seats) };
}

/** What this page may answer: the cells that lead somewhere, each with its actions. */
function openTo(view, options) {
  const open = new Map();
  if (!options.can) return open;
  const asked = view.request?.kind;
  const picked = asked === "ask-student" ? (options.choice?.student ?? null) : null;
  const from = offeredFrom(view);
  for (const { action } of options.moves) {
    const [word, value] = action.split(" ");
    if (word === "destination" && picked) destinationCell(open, [`student ${picked}`, action], value, [picked], moved(picked, value));
    else if (word === "destination") destinationCell(open, action, value, COLOURS);
    else if (word === "steps") open.set(`island ${afterSteps(view, Number(value))}`, { act: action, steps: Number(value) });
    else if (word === "student" && asked === "ask-student") open.set(`entrance ${value}`, { choice: { student: value } });
    else if (word === "student" && value !== "none" && (from === "entrance" || from === "dining")) open.set(`${from} ${value}`, { act: action });
    else if (word === "cloud" || word === "character") open.set(action, { act: action });
    else open.set(`answer ${action}`, { act: action });
  }
  // The list is of what can be done with the student that is picked up; another one can be picked up instead.
  for (const colour of picked ? view.request.students : []) open.set(`entrance ${colour}`, { choice: { student: colour } });
  return open;
}

const moved = (colour, place) => ({ kind: "student-moved", colour, destination: Number(place) });

function destinationCell(open, act, value, colours, event) {
  if (value !== "0") open.set(`island ${value}`, { act, event });
  else for (const colour of colours) open.set(`dining ${colour}`, { act, event });
}

const afterSteps = ({ board }, steps) => ((board.motherNature - 1 + steps) % board.islands.length) + 1;

/** The order in which schools are shown: the own one first, then around the table. */
function schoolOrder(board, options) {
  const order = board.order.length ? board.order : options.names.map((_, seat) => seat);
  const first = Math.max(0, order.indexOf(options.seat));
  return [...order.slice(first), ...order.slice(0, first)];
}

/** Where everything lies. */
function layoutOf(view, options, open) {
  const { board } = view;
  const layout = options.small || options.wide ? "wide" : "tall";
  const sea = SEAS[layout];
  const plays = options.mine !== null && options.mine !== undefined;
  const rows = { layout, sea: { x: 0, y: 0 }, choices: null, characters: null, schools: [], width: sea.width, height: sea.height };
  if (options.small) return rows;
  const sizeOf = (seat) => beside.SCHOOLS[layout === "tall" ? "tall" : seat === options.mine ? "own" : "wide"];
  const order = schoolOrder(board, options);
  const school = (seat, x, y) => {
    rows.schools.push({ seat, x, y, size: sizeOf(seat) });
    // Before the deal there is a name, and maybe a team.
    return y + (board.players[seat] ? sizeOf(seat).height : sizeOf(seat).head + 12) + GAP;
  };
  if (layout === "wide") {
    let y = sea.height + GAP;
    if (plays) [rows.choices, y] = [y, y + CHOICES + GAP];
    if (board.characters.length) [rows.characters, y] = [y, y + CARDS + GAP];
    let right = 0;
    for (const seat of order) right = school(seat, sea.width + GAP, right);
    return { ...rows, width: sea.width + GAP + beside.SCHOOLS.wide.width, height: Math.max(y, right) - GAP };
  }
  // There is little room: the row of choices is there when it is what is asked for, beside what can be pressed with it.
  const asked = plays && said.choiceCards(view, options, open).some(({ id }) => open.has(id));
  const below = asked && [...open.keys()].some((id) => /^(entrance|dining) /.test(id));
  rows.sea.y = asked && !below ? CHOICES + GAP : 0;
  let y = rows.sea.y + sea.height + GAP;
  rows.choices = below ? y : asked ? 0 : null;
  if (below) y += CHOICES + GAP;
  const [own, others] = plays ? [order.slice(0, 1), order.slice(1)] : [[], order];
  for (const seat of own) y = school(seat, 0, y);
  if (board.characters.length) [rows.characters, y] = [y, y + CARDS + GAP];
  for (const seat of others) y = school(seat, 0, y);
  return { ...rows, height: y - GAP };
}

const DOING_WORDS = { choices: "chooses", planning: "chooses", students: "moves", steps: "moves", cloud: "moves" };

function schoolOptions(view, options, rows, { lit, words, done }) {
  return rows.schools.map((place) => ({
    ...place, lit, words, done, expert: view.expert, own: place.seat === options.mine, turn: view.turn === place.seat,
    name: options.names[place.seat] ?? "", doing: view.turn === place.seat && !view.won ? t(DOING_WORDS[view.stage]) : null, chosen: options.choice?.student ?? null,
  }));
}

function shift(spec, { x, y }) {
  const moved = (shapes) => (shapes.length ? [["g", { transform: `translate(${x} ${y})` }, ...shapes]] : []);
  return {
    marks: moved(spec.marks), over: moved(spec.over), cells: spec.cells.map((cell) => ({ ...cell, x: cell.x + x, y: cell.y + y })),
    pieces: spec.pieces.map((one) => ({ ...one, x: one.x + x, y: one.y + y })),
  };
}

function draw(known, options) {
  const view = viewed(known);
  const open = options.small ? new Map() : openTo(view, options);
  const rows = layoutOf(view, options, open);
  const lit = new Set(open.keys());
  const words = options.small ? null : said.wordsFor(view, open);
  const steps = new Map([...open].filter(([, answer]) => answer.steps).map(([id, answer]) => [Number(id.split(" ")[1]), answer.steps]));
  const atSea = { marks: [], pieces: [], over: [], cells: options.small ? [] : said.seaCells(view, rows.layout, lit, words) };
  const done = new Set(view.done?.places);
  const told = options.small || !view.board.round ? [] : [t("{n} in the bag", { n: view.board.bag }), t("round {n}", { n: view.board.round })];
  drawSea(view.board, rows.layout, lit, atSea, steps, done, told);
  const spec = shift(atSea, rows.sea);
  if (!options.small) drawRest(view, options, rows, { open, lit, words, done }, spec);
  const group = (shapes) => [["g", { class: "er-eriantys" }, ...shapes]];
  return {
    width: rows.width, height: rows.height, label: "Eriantys", key: `${rows.layout} ${rows.sea.y} ${options.small}`,
    ground: group([["g", { transform: `translate(${rows.sea.x} ${rows.sea.y})` }, ...seaGround(rows.layout)]]),
    marks: group(spec.marks), pieces: spec.pieces, over: group(spec.over), cells: spec.cells,
  };
}

function drawRest(view, options, rows, { open, lit, words, done }, spec) {
  const { board } = view;
  const width = SEAS[rows.layout].width;
  const first = spec.cells.splice(0);
  if (rows.choices !== null) {
    const cards = said.choiceCards(view, options, open);
    const place = { x: 0, y: rows.choices, width, lit, title: said.choiceHint(view, options) };
    beside.drawChoices(cards, place, spec);
    spec.cells.push(...beside.choiceCells(cards, place));
  }
  spec.cells.push(...first);
  for (const [place, card] of rows.characters === null ? [] : board.characters.entries()) {
    const each = Math.min(160, width / 3);
    const where = { x: place * each, y: rows.characters, width: each, lit, words, active: board.activeCharacter === card.character };
    beside.drawCharacter(card, where, spec);
    spec.cells.push(beside.characterCell(card, where));
  }
  for (const school of schoolOptions(view, options, rows, { lit, words, done })) {
    if (!board.players[school.seat]) {
      const team = Object.keys(view.teams ?? {}).find((one) => view.teams[one].includes(school.seat));
      beside.drawEmptySchool({ ...school, team }, spec);
      spec.cells.push(beside.emptySchoolCell({ ...school, team }));
      continue;
    }
    beside.drawSchool(board.players[school.seat], school, spec);
    spec.cells.push(...beside.schoolCells(board.players[school.seat], school.seat, school));
  }
}

function press(known, options, id) {
  const view = viewed(known);
  const answer = openTo(view, options).get(id);
  if (!answer || (answer.choice && options.choice?.student === answer.choice.student)) return { choice: null };
  if (answer.choice) return answer;
  return { act: answer.act, event: answer.event ? { ...answer.event, seat: options.mine } : null };
}

/** A match in its middle, for the small board on the page of tables. */
function sample() {
  const board = bareBoard(3);
  const put = (place, students, tower = null, towers = 0) => Object.assign(board.islands[place], { students: { ...emptyHeap(), ...students }, tower, towers });
  put(0, { pink: 1 });
  put(1, { yellow: 2, green: 2, red: 1 }, "white", 1);
  put(2, { yellow: 1 }, "black", 1);
  put(3, { green: 1 });
  put(4, { yellow: 2, red: 1 }, "white", 1);
  put(5, { yellow: 1, blue: 2, green: 1 }, "black", 1);
  put(7, { blue: 1, red: 2, pink: 2 }, "white", 1);
  put(8, { blue: 3, green: 1 }, "black", 1);
  put(10, { blue: 2, pink: 1 }, "grey", 1);
  board.clouds = [{ ...emptyHeap(), green: 1, red: 2, pink: 1 }, { ...emptyHeap(), yellow: 1, blue: 2 }, { ...emptyHeap(), blue: 3, pink: 1 }];
  return { seats: 3, expert: false, board: { ...board, motherNature: 2, round: 4, bag: 48 }, turn: 0, statuses: [], teams: {}, request: null, won: null };
}

export default {
  async load(words) {
    t = words;
    [beside, deeds, said] = await Promise.all([import("./board-school.js"), import("./board-changes.js"), import("./board-words.js")]);
  },
  name: "eriantys",
  legend: () => import("./board-legend.js"),
  lessons: true,
  advice: (known, options) => beside.advice(viewed(known).request, options.choice),
  title: "Eriantys",
  about: "Islands, students and Mother Nature",
  sample: sample(),
  bare: true,
  seats: { 2: "two", 3: "three", 4: "four, in two teams" },
  wishes: [{ name: "expert", label: "Rules", options: [["", "simple"], ["true", "expert, with characters"]] }],
  after: (view, event) => follow(view, event),
  turn: (view) => (view && !view.won && view.turn !== null && view.turn !== undefined ? [view.turn] : []),
  draw,
  press,
  begun: (choice) => (choice.student ? `student ${choice.student}` : ""),
  move: (event, before) => said?.inShort(event, before) ?? null,
  words: (event, names, before) => said.inWords(event, names, before),
  status: (known, options) => said.status(viewed(known), options),
};
