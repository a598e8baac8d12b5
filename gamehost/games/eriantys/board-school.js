// The school boards of Eriantys, the characters on the table, and the row of choices (the hand, teams, wizards, colours).

import { coin, count, noEntry, professor, seat as seatOf, student, tower } from "./board-sea.js";
import { CHARACTER_WORDS, heapWords, studentWords, tileWords, towerWords } from "./board-words.js";
import { COLOURS, t } from "./board.js";

/** Sizes of a school board: in wide windows, the own one there, and on phones. The rows of the own one are for fingers. */
export const SCHOOLS = {
  wide: { width: 520, height: 176, head: 36, row: 25, entrance: 84, pitch: 25, professors: 40, towers: 92, columns: 3 },
  own: { width: 520, height: 206, head: 36, row: 31, entrance: 84, pitch: 25, professors: 40, towers: 92, columns: 3 },
  tall: { width: 400, height: 208, head: 38, row: 31, entrance: 74, pitch: 18.6, professors: 36, towers: 62, columns: 2 },
};
const GAP = 8;
/** The parts of a board in which students can be chosen. */
const PARTS = ["entrance", "dining"];
/** How many students a table of the dining room has places for. */
const SEATS = 10;
const COIN_EVERY = 3;

/** The left edges of the four parts of a board. */
function parts(size) {
  const entrance = GAP;
  const dining = entrance + size.entrance + GAP;
  const professors = dining + size.pitch * SEATS + 8 + GAP;
  return { entrance, dining, professors, towers: professors + size.professors + GAP };
}

const rowAt = (size, place) => size.head + 6 + size.row * (place + 0.5);

/** A school board in words, with what its head says. */
function schoolWords(player, name, doing) {
  const heaps = t("{name}: entrance {entrance}; dining room {dining}", { name, entrance: heapWords(player.entrance), dining: heapWords(player.diningRoom) });
  const professors = player.professors.length ? t("professors {colours}", { colours: player.professors.map((colour) => t(colour)).join(", ") }) : t("no professors");
  const towers = player.towerHolder ? t("{towers} left", { towers: towerWords(player.towersLeft, player.tower) }) : t("team {colour}", { colour: t(player.tower) });
  return `${heaps}; ${professors}, ${towers}, ${tags(player, doing).map(([, text]) => text).join(", ")}`;
}

/** The things in a line from the right: chips beside a player's name. */
function chips(texts, right, y) {
  const drawn = [];
  let x = right;
  for (const [name, text] of [...texts].reverse()) {
    const width = text.length * 7 + 18;
    x -= width;
    drawn.push(["g", { class: `er-tag ${name && `er-${name}`}` }, ["rect", { x, y: y - 11, width, height: 22, rx: 11 }], ["text", { x: x + width / 2, y: y + 4.6 }, text]]);
    x -= 6;
  }
  return { drawn, left: x };
}

const coinWords = (n) => t("{n} coin|{n} coins", { n });

function tags(player, doing) {
  const texts = [];
  if (player.coins !== null) texts.push(["coins", coinWords(player.coins)]);
  if (player.playedAssistant !== null) texts.push(["", t("played {n}", { n: player.playedAssistant })]);
  if (doing) texts.push(["doing", doing]);
  texts.push(["", t("{n} in hand", { n: player.assistantsLeft })]);
  return texts;
}

function drawHead(player, name, doing, size, x, y) {
  const { drawn, left } = chips(tags(player, doing), x + size.width - GAP, y + size.head / 2 + 2);
  const room = Math.max(2, Math.floor((left - x - 38) / 9.4));
  const shown = [...name].length > room ? `${[...name].slice(0, room - 1).join("")}…` : name;
  return [
    ["g", { transform: `translate(${x + 20} ${y + size.head / 2 + 3}) scale(.72)` }, tower(player.tower)],
    ["svg", { x: x + 34, y, width: Math.max(0, left - x - 36), height: size.head }, ["text", { y: size.head / 2 + 8, class: "er-name" }, shown]],
    ...drawn,
  ];
}

/** Students of one colour from a point to the right: one by one, or as one disc with a count. */
function lineOf(colour, number, x, y, pitch, most, spec) {
  const shown = number > most ? 1 : number;
  for (let place = 0; place < shown; place += 1) spec.pieces.push({ kind: colour, x: x + place * pitch, y, shape: [student(colour)] });
  if (number > most) spec.over.push(count(x, y, number));
}

/** Draw a school board at (x, y) into `spec`. `lit` has the ids that can be chosen; `chosen` is the student picked up. */
export function drawSchool(player, { seat, name, doing, own, turn, expert, lit, done, chosen, size, x, y }, spec) {
  const at = parts(size);
  const box = (left, width, kind = "er-part") => ["rect", { x: x + left, y: y + size.head + 4, width, height: size.row * 5 + 4, rx: 6, class: kind }];
  spec.marks.push(
    ["rect", { x: x + 1, y: y + 1, width: size.width - 2, height: size.height - 2, rx: 11, class: turn ? "er-school er-turn" : "er-school" }],
    ...drawHead(player, name, doing, size, x, y),
    ["rect", { x: x + 4, y: y + size.head, width: size.width - 8, height: size.height - size.head - 5, rx: 8, class: "er-wood" }],
    box(at.entrance, size.entrance), box(at.dining, size.pitch * SEATS + 8), box(at.professors, size.professors), box(at.towers, size.towers),
  );
  const most = Math.floor((size.entrance - 8) / 24);
  for (const [place, colour] of COLOURS.entries()) {
    const cy = y + rowAt(size, place);
    for (const part of PARTS) {
      const usable = own && (part === "entrance" && chosen === colour ? "chosen" : lit.has(`${part} ${colour}`) && "can");
      const state = usable || (done.has(`${part} ${seat} ${colour}`) ? "done" : null);
      const width = part === "entrance" ? size.entrance : size.pitch * SEATS + 8;
      if (state) spec.marks.push(["rect", { x: x + at[part] + 1.5, y: cy - size.row / 2 + 1.5, width: width - 3, height: size.row - 3, rx: 6, class: `er-${state}` }]);
    }
    lineOf(colour, player.entrance[colour], x + at.entrance + 16, cy, 24, most, spec);
    for (let number = 1; number <= SEATS; number += 1) {
      const cx = x + at.dining + 4 + size.pitch * (number - 0.5);
      if (number > player.diningRoom[colour]) spec.marks.push(seatOf(colour, cx, cy, expert && number % COIN_EVERY === 0));
      else spec.pieces.push({ kind: colour, x: cx, y: cy, shape: [student(colour)] });
    }
    const [px, here] = [x + at.professors + size.professors / 2, player.professors.includes(colour)];
    if (here) spec.pieces.push({ kind: `professor ${colour}`, x: px, y: cy, shape: [professor(colour, true)] });
    else spec.marks.push(["g", { transform: `translate(${px} ${cy})` }, professor(colour, false)]);
  }
  const pitch = size.towers / size.columns;
  for (let number = 0; number < player.towersLeft; number += 1) {
    const [tx, ty] = [x + at.towers + pitch * ((number % size.columns) + 0.5), y + size.head + 26 + Math.floor(number / size.columns) * 36];
    spec.pieces.push({ kind: `tower ${player.tower}`, x: tx, y: ty, shape: [tower(player.tower)] });
  }
}

/** A school board before the deal: a name, and a tower if the team is known. */
export function drawEmptySchool({ name, team, size, turn, x, y }, spec) {
  spec.marks.push(
    ["rect", { x: x + 1, y: y + 1, width: size.width - 2, height: size.head + 8, rx: 11, class: turn ? "er-school er-turn" : "er-school" }],
    team ? ["g", { transform: `translate(${x + 20} ${y + 23}) scale(.72)` }, tower(team)] : null,
    ["svg", { x: x + (team ? 34 : 14), y: y + 4, width: size.width - 150, height: size.head }, ["text", { y: size.head / 2 + 6, class: "er-name" }, name]],
    ...chips(turn ? [["doing", t("chooses")]] : [], x + size.width - GAP, y + size.head / 2 + 5).drawn,
  );
}

/** The button of a school board before the deal. Nothing is done with it. */
export function emptySchoolCell({ seat, name, team, size, turn, x, y }) {
  const label = [name, team && t("team {colour}", { colour: t(team) }), turn && t("chooses")].filter(Boolean).join(", ");
  return { id: `seat ${seat}`, x, y, w: size.width, h: size.head + 8, label, can: false };
}

/** The buttons of a school board: of the own one each row of entrance and dining room, of others only what they hold. */
export function schoolCells(player, seat, { name, doing, own, lit, chosen, size, x, y, words }) {
  const at = parts(size);
  const whole = { id: `school ${seat}`, x, y, w: size.width, h: own ? size.head : size.height, label: schoolWords(player, name, doing), can: false };
  if (!own) return [whole];
  const rows = PARTS.flatMap((part) => COLOURS.map((colour, place) => {
    const id = `${part} ${colour}`;
    const students = studentWords(player[part === "entrance" ? "entrance" : "diningRoom"][colour], colour);
    const width = part === "entrance" ? size.entrance : size.pitch * SEATS + 8;
    const label = words(id) + t(["Entrance: {students}", "Dining room: {students}"][PARTS.indexOf(part)], { students });
    const picked = part === "entrance" && chosen === colour;
    return { id, x: x + at[part], y: y + rowAt(size, place) - size.row / 2, w: width, h: size.row, label, can: lit.has(id), chosen: picked };
  }));
  return [whole, ...rows];
}

/** Draw a character, `width` by 96. */
export function drawCharacter(card, { x, y, width, lit, active }, spec) {
  const [[name], , lines] = CHARACTER_WORDS[card.character].map((one) => [one].flat().map((text) => t(text)));
  const state = lit.has(`character ${card.character}`) ? " er-can" : active ? " er-active" : "";
  const middle = x + width / 2;
  const first = card.students || card.noEntryTiles !== null ? 85 : 56 + (lines.length > 1 ? 0 : 8);
  spec.marks.push(["g", { class: `er-card${state}` },
    ["rect", { x: x + 2, y: y + 2, width: width - 4, height: 92, rx: 9 }],
    ["text", { x: middle - 13, y: y + 27, class: width < 150 ? "er-title er-tight" : "er-title" }, name],
    coin(x + width - 19, y + 20, card.cost, 12),
    ...lines.map((line, place) => ["text", { x: middle, y: y + first + place * 17, class: "er-note" }, line]),
  ]);
  const colours = COLOURS.filter((colour) => card.students?.[colour]);
  for (const [place, colour] of colours.entries()) {
    const cx = middle + (place - (colours.length - 1) / 2) * 25;
    spec.pieces.push({ kind: colour, x: cx, y: y + 51, shape: [student(colour)] });
    if (card.students[colour] > 1) spec.over.push(count(cx, y + 51, card.students[colour]));
  }
  for (let place = 0; place < (card.noEntryTiles ?? 0); place += 1) spec.marks.push(noEntry(middle + (place - (card.noEntryTiles - 1) / 2) * 24, y + 51));
}

export function characterCell(card, { x, y, width, lit, active, words }) {
  const id = `character ${card.character}`;
  const [name, effect] = CHARACTER_WORDS[card.character];
  const label = [
    `${words(id)}${t(name)}`, `${coinWords(card.cost)}: ${t(effect)}`, card.students && t("with {students}", { students: heapWords(card.students) }),
    card.noEntryTiles !== null && tileWords(card.noEntryTiles), active && t("in use"),
  ];
  return { id, x, y, w: width, h: 96, label: label.filter(Boolean).join(", "), can: lit.has(id) };
}

/** A card of the row of choices around the middle of its top edge. */
function choiceCard({ kind, value, note }, width) {
  const text = (words, y, name) => ["text", { y, class: `er-${name}` }, words];
  if (kind === "student" && value !== "none") return [["g", { transform: "translate(0 26) scale(1.5)" }, student(value)], text(t(value), 64, "note")];
  if (kind === "tower") return [["g", { transform: "translate(0 27) scale(1.25)" }, tower(value)], text(t(value), 64, "note")];
  if (kind === "student") return t("No more").split(" ").map((word, line) => text(word, 30 + 22 * line, "title"));
  if (width > 50) return [text(value, 36, "big"), text(note, 60, "note")];
  return [text(value, 32, "big"), ...note.split(" ").map((word, line) => text(word, 50 + 13 * line, "note er-tiny"))];
}

/** Draw the row of choices, `width` by 76. `cards` are `{id, kind, value, note}`. */
export function drawChoices(cards, { x, y, width, lit, title }, spec) {
  const each = Math.min(92, width / Math.max(cards.length, 1));
  if (!cards.length) spec.marks.push(["text", { x: x + width / 2, y: y + 42, class: "er-hint" }, title]);
  for (const [place, card] of cards.entries()) {
    const left = x + (width - each * cards.length) / 2 + each * place;
    spec.marks.push(["g", { class: lit.has(card.id) ? "er-card er-can" : "er-card er-off" },
      ["rect", { x: left + 2, y: y + 2, width: each - 4, height: 72, rx: 8 }],
      ["g", { transform: `translate(${left + each / 2} ${y})` }, ...choiceCard(card, each)],
    ]);
  }
}

export function choiceCells(cards, { x, y, width, lit }) {
  const each = Math.min(92, width / Math.max(cards.length, 1));
  return cards.map(({ id, label }, place) => ({
    id, x: x + (width - each * cards.length) / 2 + each * place, y, w: each, h: 76, label: lit.has(id) ? label : t("Not now: {label}", { label }), can: lit.has(id),
  }));
}

/** For a guided game, by what is asked. */
const ADVICE = {
  "ask-tower": "Choose your team: the colour of your towers.", "ask-wizard": "Choose a wizard: it is on the back of your cards, and changes nothing.",
  "ask-assistant": "Play an assistant. Who plays the lowest moves first; half of it, rounded up, is how far Mother Nature may walk.",
  "ask-student": "Choose a student in your entrance.", "ask-cloud": "Take a cloud: its students come into your entrance.",
  "ask-steps": "Choose the island where Mother Nature stops. Whoever has the most influence there builds a tower.",
};

/** What a player who is guided is told, if anything is asked. */
export function advice(request, choice) {
  if (choice?.student) return "Now where the student goes: to your dining room, for the professor of its colour, or to an island, for its towers.";
  return ADVICE[request?.kind];
}
