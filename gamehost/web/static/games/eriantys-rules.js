// Eriantys as far as a page needs it: how a view follows the events, what can be chosen, and both in words.
//
// A view is the host's (`View` in the schema) with a few keys of this page: `stage` ("choices", "planning", "students", "steps",
// "cloud"), `walked` (whether Mother Nature has moved in this turn), `herald`
// (whether the herald is at work), `order` (who plays assistants after whom), `hand` (the own
// assistants, as last told) and `lastRound`. What can be chosen is what the host asks: the page knows no rules but seats of tables.

export const COLOURS = ["green", "red", "yellow", "pink", "blue"];
export const TOWERS = ["black", "white", "grey"];
/** What a number of players changes: students in an entrance, and students moved in a turn. */
const MODES = { 2: [7, 3], 3: [9, 4], 4: [7, 3] };
const TABLE_SEATS = 10;

/** The characters: name, effect, and the effect in a few words, by line. */
export const CHARACTERS = {
  1: ["Monk", "put a student of this card on an island", ["student to an island"]],
  2: ["Farmer", "take professors with as many students as the holder has", ["takes professors", "at equal numbers"]],
  3: ["Herald", "resolve an island now", ["resolves an island"]],
  4: ["Messenger", "Mother Nature may walk two more steps", ["up to two", "more steps"]],
  5: ["Herbalist", "put a no-entry tile on an island", ["tile to an island"]],
  6: ["Centaur", "towers do not count in this turn", ["towers", "do not count"]],
  7: ["Jester", "swap up to three students with your entrance", ["swaps with entrance"]],
  8: ["Knight", "two more influence in this turn", ["two more influence"]],
  9: ["Harvester", "a colour does not count in this turn", ["a colour", "does not count"]],
  10: ["Minstrel", "swap up to two students of entrance and dining room", ["swaps entrance", "and dining room"]],
  11: ["Princess", "take a student of this card into your dining room", ["student to dining"]],
  12: ["Thief", "everybody returns three students of a colour", ["all return three", "of a colour"]],
};
const HERALD = 3;
const MESSENGER = 4;
const SWAPS_ENTRANCE = 7;
const SWAPS_DINING = 10;

const sum = (heap) => Object.values(heap).reduce((total, count) => total + count, 0);
export const total = sum;

/** A view of the host as this page keeps it. */
export function readView(view) {
  if (view.stage !== undefined) return view;
  const order = view.board ? [...view.board.order] : null;
  const hand = view.request?.availableAssistants ?? null;
  const read = { ...view, stage: "choices", walked: false, herald: false, order, started: [], hand, lastRound: false };
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
  const next = { ...view, board, request: view.request, order: view.order ?? [...board.order] };
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
  "end-of-turn": (view) => ({ ...view, request: null }),
  "last-round": (view) => ({ ...view, lastRound: true }),
  won: (view, event) => ({ ...view, request: null, turn: null, won: event }),
  // Not of the host: the own student, shown at once.
  "student-moved": studentMoved,
};

/** The view after an event. */
export function follow(known, event) {
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

// -- what can be chosen

const distinct = (items) => [...new Set(items)];
const choices = (word, values) => values.map((value) => `${word} ${value}`);
const hasRoom = (view, seat, colour) => view.board.players[seat].diningRoom[colour] < TABLE_SEATS;

/** The assistants that may be played: no value of another player, unless there is no other. */
function assistants({ availableAssistants, playedAssistants }) {
  const taken = new Set(playedAssistants.map(([, value]) => value));
  const free = availableAssistants.filter((value) => !taken.has(value));
  return free.length ? free : availableAssistants;
}

/** Where a student may go: the dining room if its table has a seat, and all islands. `colour`: unknown after a reload. */
function destinations(view, { seat, islands, diningRoom }, colour) {
  const room = diningRoom && (!colour || hasRoom(view, seat, colour));
  return [...(room ? [0] : []), ...Array.from({ length: islands }, (_, place) => place + 1)];
}

/** The students offered for a character. A full table takes none from the entrance, but swaps of one colour. */
function cardStudents(view, request) {
  return [...choices("student", distinct(request.students)), ...(request.mayStop ? ["student none"] : [])];
}

/** The characters that can be used now. */
function characters(view, { kind, seat }) {
  const { board } = view;
  const now = ["ask-student", "ask-destination", "ask-steps", "ask-cloud"].includes(kind);
  if (!now || !view.expert || board.activeCharacter !== null) return [];
  const player = board.players[seat];
  const possible = {
    1: (card) => sum(card.students) > 0,
    5: (card) => card.noEntryTiles > 0,
    10: () => sum(player.diningRoom) > 0,
    11: (card) => COLOURS.some((colour) => card.students[colour] && hasRoom(view, seat, colour)),
  };
  return board.characters.filter((card) => card.cost <= player.coins && (possible[card.character]?.(card) ?? true)).map((card) => card.character);
}

/** All actions that answer the open request, and the characters that can be used instead. `colour`: the student picked up. */
export function answers(view, colour = null) {
  const { request } = view;
  if (!request) return [];
  const answer = {
    "ask-tower": () => choices("tower", TOWERS.filter((tower) => request.availableTowers[tower])),
    "ask-wizard": () => choices("wizard", request.availableWizards),
    "ask-assistant": () => choices("assistant", assistants(request)),
    "ask-student": () => choices("student", distinct(request.students)),
    "ask-destination": () => choices("destination", destinations(view, request, colour)),
    "ask-steps": () => choices("steps", Array.from({ length: request.maxStepsAllowed }, (_, place) => place + 1)),
    "ask-cloud": () => choices("cloud", request.clouds),
    "ask-card-student": () => cardStudents(view, request),
    "ask-colour": () => choices("student", COLOURS),
  }[request.kind]();
  return [...answer, ...choices("character", characters(view, request))];
}

/** Where the students that a character asks for lie: "card", "entrance", "dining", or "any" for a colour. */
export function offeredFrom(view) {
  const { request, board } = view;
  if (request?.kind === "ask-colour") return "any";
  if (request?.kind !== "ask-card-student") return null;
  if (board.activeCharacter === SWAPS_ENTRANCE) return request.mayStop ? "card" : "entrance";
  if (board.activeCharacter === SWAPS_DINING) return request.mayStop ? "entrance" : "dining";
  return "card";
}

// -- in words

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const SHORT = { "ask-tower": "choose a team", "ask-wizard": "choose a wizard", "ask-colour": "choose a colour" };
const STAGES = { choices: "choose team and wizard", planning: "play an assistant", students: "move a student", steps: "move Mother Nature", cloud: "take a cloud" };

/** What is done now, as words after a name or alone. */
export function task(view) {
  const { request } = view;
  const name = CHARACTERS[view.board?.activeCharacter]?.[0];
  if (request?.kind === "ask-card-student") return `${name}: choose a student`;
  if (request?.kind === "ask-destination" && !request.diningRoom) return `${name}: choose an island`;
  return SHORT[request?.kind] ?? STAGES[view.stage];
}

/** More about it: how far the turn is, and what comes next. */
export function details(view) {
  const active = CHARACTERS[view.board?.activeCharacter];
  if (/^ask-(card-student|colour)$/.test(view.request?.kind) && active) return active[1];
  const steps = Math.ceil((view.board?.players[view.turn]?.playedAssistant ?? 0) / 2) + (view.board?.activeCharacter === MESSENGER ? 2 : 0);
  const most = view.request?.maxStepsAllowed ?? steps;
  const [moved, all] = [movedIn(view), movesOf(view)];
  const text = {
    choices: "Then the islands are dealt",
    planning: "Low values act first, high ones walk far",
    students: `${Math.min(moved + 1, all)} of ${all} · to your dining room or an island · then Mother Nature, up to ${plural(most, "step")}`,
    steps: `Up to ${plural(most, "step")}, clockwise`,
    cloud: "Its students come into your entrance",
  }[view.stage];
  return [text, active && `${active[0]}: ${active[1]}`, view.lastRound && "last round"].filter(Boolean).join(" · ");
}

const heapWords = (heap) => COLOURS.filter((colour) => heap[colour]).map((colour) => `${heap[colour]} ${colour}`).join(", ") || "no students";

export function islandWords(view, island) {
  const tower = island.tower ? `, ${plural(island.towers, `${island.tower} tower`)}` : "";
  const mother = view.board.motherNature === island.number ? ", Mother Nature" : "";
  const tiles = island.noEntryTiles ? `, ${plural(island.noEntryTiles, "no-entry tile")}` : "";
  return `Island ${island.number}: ${heapWords(island.students)}${tower}${mother}${tiles}`;
}

export const cloudWords = (cloud, place) => `Cloud ${place + 1}: ${heapWords(cloud)}`;

export function schoolWords(player, name) {
  const professors = player.professors.length ? `professors ${player.professors.join(", ")}` : "no professors";
  const coins = player.coins === null ? "" : `, ${plural(player.coins, "coin")}`;
  const towers = player.towerHolder ? `, ${plural(player.towersLeft, `${player.tower} tower`)} left` : `, team ${player.tower}`;
  return `${name}: entrance ${heapWords(player.entrance)}; dining room ${heapWords(player.diningRoom)}; ${professors}${towers}${coins}`;
}

/** An event in words, or `null`. */
export function inWords(event, names) {
  const who = names[event.seat];
  switch (event.kind) {
    case "played-assistant": return `${who} plays assistant ${event.assistant}`;
    case "played-character": return `${who} uses the ${CHARACTERS[event.character][0]}`;
    case "start-of-turn": return `${who} is on turn`;
    case "island-owner": return `Island ${event.island.number}: ${event.owner === null ? "nobody's" : `towers of ${names[event.owner]}`}`;
    case "no-entry-used": return `A no-entry tile protects island ${event.island}`;
    case "unified": return "Islands merge";
    case "last-round": return "This is the last round";
    case "won": return `${event.seats.map((seat) => names[seat]).join(" and ")} won: ${event.why}`;
  }
  return null;
}

/** An event as a line of the list of moves, or `null`. */
export function inShort(event) {
  switch (event.kind) {
    case "played-assistant": return { seat: event.seat, text: `assistant ${event.assistant}` };
    case "played-character": return { seat: event.seat, text: CHARACTERS[event.character][0] };
    case "island-owner": return event.owner === null ? null : { seat: event.owner, text: `island ${event.island.number}` };
  }
  return null;
}
