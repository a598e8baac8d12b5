// Eriantys on a page: the interface of a game's module, which board.js explains.
//
// A student and its destination are one choice for the player: the student is picked up on the page, and both answers are sent
// together. So it can be put back, which the host's own questions do not allow.

import {
  COLOURS, answers, details, follow, inShort, inWords, offeredFrom, plural, readView, task,
} from "./eriantys-rules.js";
import { SEAS, drawSea, seaCells, seaGround } from "./eriantys-sea.js";

const GAP = 10;
const CARDS = 96;
const CHOICES = 76;

/** The module that draws what lies beside the sea. A small board needs none of it. */
let beside = null;

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
  if (!options.can || view.request?.seat !== options.mine) return open;
  const { request } = view;
  const picked = request.kind === "ask-student" ? (options.choice?.student ?? null) : null;
  for (const action of answers(view, picked)) {
    const [word, value] = action.split(" ");
    const from = offeredFrom(view);
    if (word === "destination") destinationCell(open, action, value, null);
    else if (word === "steps") open.set(`island ${afterSteps(view, Number(value))}`, { act: action, steps: Number(value) });
    else if (word === "student" && request.kind === "ask-student") open.set(`entrance ${value}`, { choice: { student: value } });
    else if (word === "student" && value !== "none" && (from === "entrance" || from === "dining")) open.set(`${from} ${value}`, { act: action });
    else if (word === "cloud" || word === "character") open.set(action, { act: action });
    else open.set(`answer ${action}`, { act: action });
  }
  if (picked) withDestinations(view, picked, open);
  return open;
}

/** The way of a student that is picked up: both actions are sent at once. */
function withDestinations(view, colour, open) {
  const asked = { ...view, request: { kind: "ask-destination", seat: view.request.seat, islands: view.board.islands.length, diningRoom: true } };
  for (const action of answers(asked, colour)) {
    const [word, value] = action.split(" ");
    if (word === "destination") destinationCell(open, [`student ${colour}`, action], value, colour);
  }
}

function destinationCell(open, act, value, colour) {
  const event = colour && { kind: "student-moved", colour, destination: Number(value) };
  if (value !== "0") open.set(`island ${value}`, { act, event });
  else for (const one of colour ? [colour] : COLOURS) open.set(`dining ${one}`, { act, event });
}

const afterSteps = ({ board }, steps) => ((board.motherNature - 1 + steps) % board.islands.length) + 1;

/** The row of choices: what is asked and lies nowhere on the board, or the own hand. */
function choiceCards(view, options, open) {
  const answer = (id) => {
    const [, kind, value] = id.split(" ");
    const note = { assistant: plural(Math.ceil(value / 2), "step"), wizard: "wizard" }[kind] ?? "";
    const label = { assistant: `Play assistant ${value}: Mother Nature walks up to ${plural(Math.ceil(value / 2), "step")}`, tower: `Team ${value}`, wizard: `Wizard ${value}` }[kind];
    return { id, kind, value, note, label: label ?? (value === "none" ? "No more students" : `Choose ${value}`) };
  };
  if (view.request?.kind === "ask-assistant" && view.request.seat === options.mine) return view.request.availableAssistants.map((value) => answer(`answer assistant ${value}`));
  const asked = [...open.keys()].filter((id) => id.startsWith("answer ")).map(answer);
  if (asked.length || !view.hand || options.mine === null) return asked;
  const played = view.board.players[options.mine]?.playedAssistant;
  return view.hand.filter((value) => value !== played).map((value) => answer(`answer assistant ${value}`));
}

/** What stands in the row of choices if nothing lies there. */
function choiceHint(view, options) {
  if (options.can) return "Choose on the board";
  const left = view.board.players[options.mine]?.assistantsLeft;
  return left === undefined ? "" : `You have ${plural(left, "assistant")} in your hand`;
}

/** The order in which schools are shown: the own one first, then around the table. */
function schoolOrder(board, options) {
  const order = board.order.length ? board.order : options.names.map((_, seat) => seat);
  const first = Math.max(0, order.indexOf(options.seat));
  return [...order.slice(first), ...order.slice(0, first)];
}

/** Where everything lies. */
function layoutOf(view, options) {
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
    return y + sizeOf(seat).height + GAP;
  };
  if (layout === "wide") {
    let y = sea.height + GAP;
    if (plays) [rows.choices, y] = [y, y + CHOICES + GAP];
    if (board.characters.length) [rows.characters, y] = [y, y + CARDS + GAP];
    let right = 0;
    for (const seat of order) right = school(seat, sea.width + GAP, right);
    return { ...rows, width: sea.width + GAP + beside.SCHOOLS.wide.width, height: Math.max(y, right) - GAP };
  }
  let y = 0;
  if (plays) y = CHOICES + GAP;
  rows.choices = plays ? 0 : null;
  rows.sea.y = y;
  y += sea.height + GAP;
  const [own, others] = plays ? [order.slice(0, 1), order.slice(1)] : [[], order];
  for (const seat of own) y = school(seat, 0, y);
  if (board.characters.length) [rows.characters, y] = [y, y + CARDS + GAP];
  for (const seat of others) y = school(seat, 0, y);
  return { ...rows, height: y - GAP };
}

const DOING = { choices: "chooses", planning: "chooses", students: "moves", steps: "moves", cloud: "moves" };

function schoolOptions(view, options, rows, lit, words) {
  return rows.schools.map((place) => ({
    ...place, lit, words, expert: view.expert, own: place.seat === options.mine, turn: view.turn === place.seat,
    name: options.names[place.seat] ?? "", doing: view.turn === place.seat && !view.won ? DOING[view.stage] : null, chosen: options.choice?.student ?? null,
  }));
}

/** What a press would do, in front of the name of a cell. */
function wordsFor(view, open) {
  return (id) => {
    const answer = open.get(id);
    if (!answer) return "";
    if (answer.choice) return "Pick up a student. ";
    if (answer.steps) return `${plural(answer.steps, "step")} to here. `;
    return { island: "Put here. ", dining: "Put here. ", cloud: "Take. ", character: "Use. ", entrance: "Choose. " }[id.split(" ")[0]] ?? "";
  };
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
  const rows = layoutOf(view, options);
  const open = options.small ? new Map() : openTo(view, options);
  const lit = new Set(open.keys());
  const words = wordsFor(view, open);
  const steps = new Map([...open].filter(([, answer]) => answer.steps).map(([id, answer]) => [Number(id.split(" ")[1]), answer.steps]));
  const atSea = { marks: [], pieces: [], over: [], cells: options.small ? [] : seaCells(view, rows.layout, lit, words) };
  drawSea(view.board, rows.layout, lit, atSea, steps);
  const spec = shift(atSea, rows.sea);
  if (!options.small) drawRest(view, options, rows, open, lit, words, spec);
  const group = (shapes) => [["g", { class: "er-eriantys" }, ...shapes]];
  return {
    width: rows.width, height: rows.height, label: "Eriantys board", key: `${rows.layout} ${rows.sea.y} ${options.small}`,
    ground: group([["g", { transform: `translate(${rows.sea.x} ${rows.sea.y})` }, ...seaGround(rows.layout)]]),
    marks: group(spec.marks), pieces: spec.pieces, over: group(spec.over), cells: spec.cells,
  };
}

function drawRest(view, options, rows, open, lit, words, spec) {
  const { board } = view;
  const width = SEAS[rows.layout].width;
  const first = spec.cells.splice(0);
  if (rows.choices !== null) {
    const cards = choiceCards(view, options, open);
    const place = { x: 0, y: rows.choices, width, lit, title: choiceHint(view, options) };
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
  for (const school of schoolOptions(view, options, rows, lit, words)) {
    if (!board.players[school.seat]) {
      const team = Object.keys(view.teams ?? {}).find((one) => view.teams[one].includes(school.seat));
      beside.drawEmptySchool({ ...school, team }, spec);
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

function status(known, options) {
  const view = viewed(known);
  if (view.won || view.turn === null) return {};
  const words = task(view);
  const mine = view.turn === options.mine;
  const picked = mine && options.choice?.student;
  const title = mine ? words[0].toUpperCase() + words.slice(1) : `${options.names[view.turn] ?? ""}: ${words}`;
  return { title: picked ? `Where does the ${picked} student go?` : title, detail: details(view) };
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
  async load() {
    beside = await import("./eriantys-school.js");
  },
  name: "eriantys",
  title: "Eriantys",
  about: "Islands, students and Mother Nature",
  sample: sample(),
  bare: true,
  after: (view, event) => follow(view, event),
  turn: (view) => (view && view.turn !== null && view.turn !== undefined ? [view.turn] : []),
  draw,
  press,
  move: inShort,
  words: inWords,
  status,
};
