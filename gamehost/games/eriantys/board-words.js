// What Eriantys says: the board, what can be chosen there, events and the status, in the language of the page.

import { inShort as changesInShort, inWords as changesInWords } from "./board-changes.js";
import { SEAS, places } from "./board-sea.js";
import { COLOURS, movedIn, movesOf, t } from "./board.js";

/** The characters: name, effect, and the effect in a few words, by line. */
export const CHARACTER_WORDS = {
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
const MESSENGER = 4;

/** Students and towers in words: how many; and one tower. */
const STUDENT_WORDS = { green: "{n} green|{n} green", red: "{n} red|{n} red", yellow: "{n} yellow|{n} yellow", pink: "{n} pink|{n} pink", blue: "{n} blue|{n} blue" };
const TOWER_WORDS = { white: "{n} white tower|{n} white towers", black: "{n} black tower|{n} black towers", grey: "{n} grey tower|{n} grey towers" };
export const studentWords = (n, colour) => t(STUDENT_WORDS[colour], { n });
export const towerWords = (n, colour) => t(TOWER_WORDS[colour], { n });
export const stepWords = (n) => t("{n} step|{n} steps", { n });
export const tileWords = (n) => t("{n} no-entry tile|{n} no-entry tiles", { n });

/** By what is asked; else by the stage. */
const ASKED_WORDS = { "ask-tower": "choose a team", "ask-wizard": "choose a wizard", "ask-colour": "choose a colour" };
const STAGE_WORDS = { choices: "choose team and wizard", planning: "play an assistant", students: "move a student", steps: "move Mother Nature", cloud: "take a cloud" };

/** What is done now, as words after a name or alone. */
function task(view) {
  const { request } = view;
  const name = () => t(CHARACTER_WORDS[view.board.activeCharacter][0]);
  if (request?.kind === "ask-card-student") return `${name()}: ${t("choose a student")}`;
  if (request?.kind === "ask-destination" && !request.diningRoom) return `${name()}: ${t("choose an island")}`;
  return t(ASKED_WORDS[request?.kind] ?? STAGE_WORDS[view.stage]);
}

/** More about it: how far the turn is, and what comes next. */
function details(view) {
  const active = CHARACTER_WORDS[view.board?.activeCharacter]?.map((one) => [one].flat().map((text) => t(text)).join(" "));
  const { kind, diningRoom } = view.request ?? {};
  if (active && (kind === "ask-card-student" || kind === "ask-colour" || (kind === "ask-destination" && !diningRoom))) return active[1];
  const most = Math.ceil((view.board?.players[view.turn]?.playedAssistant ?? 0) / 2) + (view.board?.activeCharacter === MESSENGER ? 2 : 0);
  const steps = stepWords(view.request?.maxStepsAllowed ?? most);
  const [moved, all] = [movedIn(view), movesOf(view)];
  const texts = {
    choices: () => t("Then the islands are dealt"),
    planning: () => t("Low values act first, high ones walk far"),
    students: () => `${t("{n} of {all}", { n: Math.min(moved + 1, all), all })} · ${t("to your dining room or an island")} · ${t("then Mother Nature, up to {steps}", { steps })}`,
    steps: () => t("Up to {steps}, clockwise", { steps }),
    cloud: () => t("Its students come into your entrance"),
  };
  return [texts[view.stage]?.(), active && `${active[0]}: ${active[1]}`, view.lastRound && t("last round")].filter(Boolean).join(" · ");
}

export const heapWords = (heap) => COLOURS.filter((colour) => heap[colour]).map((colour) => studentWords(heap[colour], colour)).join(", ") || t("no students");

export function islandWords(view, island) {
  const words = [
    heapWords(island.students), island.tower && towerWords(island.towers, island.tower), view.board.motherNature === island.number && t("Mother Nature"),
    island.noEntryTiles && tileWords(island.noEntryTiles),
  ];
  return t("Island {n}: {what}", { n: island.number, what: words.filter(Boolean).join(", ") });
}

export const cloudWords = (cloud, place) => t("Cloud {n}: {what}", { n: place + 1, what: heapWords(cloud) });

/** Why a match has ended: some of the host's sentences. */
const whyWords = (why) => why.split("; ").map((one) => t(one)).join("; ");

/** An event in words, or `null`. */
export function inWords(event, names, before) {
  const name = names[event.seat];
  switch (event.kind) {
    case "board": return changesInWords(event.board, before, names);
    case "played-assistant": return t("{name} plays assistant {n}", { name, n: event.assistant });
    case "played-character": return t("{name} uses the {character}", { name, character: t(CHARACTER_WORDS[event.character][0]) });
    case "start-of-turn": return t("{name} is on turn", { name });
    case "island-owner": return t(event.owner === null ? "Island {n}: nobody's" : "Island {n}: towers of {name}", { n: event.island.number, name: names[event.owner] });
    case "no-entry-used": return t("A no-entry tile protects island {n}", { n: event.island });
    case "unified": return t("Islands merge");
    case "last-round": return t("This is the last round");
    case "won": return t("{names} won: {why}", { names: event.seats.map((seat) => names[seat]).join(t(" and ")), why: whyWords(event.why) });
  }
  return null;
}

/** An event as a line of the list of moves, or `null`. */
export function inShort(event, before) {
  switch (event.kind) {
    case "played-assistant": return { seat: event.seat, text: t("assistant {n}", { n: event.assistant }) };
    case "played-character": return { seat: event.seat, text: t(CHARACTER_WORDS[event.character][0]) };
    case "board": return changesInShort(event.board, before);
  }
  return null;
}

/** The line above the moves. */
export function status(view, options) {
  if (view.won || view.turn === null) return {};
  const words = task(view);
  const mine = view.turn === options.mine;
  const picked = mine && options.choice?.student;
  const title = mine ? words[0].toUpperCase() + words.slice(1) : `${options.names[view.turn] ?? ""}: ${words}`;
  return { title: picked ? t("Where does the {colour} student go?", { colour: t(picked) }) : title, detail: details(view) };
}

// -- on the board

/** The row of choices: what is asked and lies nowhere on the board, or the own hand. */
export function choiceCards(view, options, open) {
  const answer = (id) => {
    const [, kind, value] = id.split(" ");
    const steps = kind === "assistant" ? stepWords(Math.ceil(value / 2)) : "";
    const labels = {
      assistant: () => t("Play assistant {n}: Mother Nature walks up to {steps}", { n: value, steps }),
      tower: () => t("Team {colour}", { colour: t(value) }), wizard: () => t("Wizard {n}", { n: value }),
    };
    const other = () => (value === "none" ? t("No more students") : t("Choose {colour}", { colour: t(value) }));
    return { id, kind, value, note: kind === "wizard" ? t("wizard") : steps, label: (labels[kind] ?? other)() };
  };
  if (view.request?.kind === "ask-assistant" && view.request.seat === options.mine) return view.request.availableAssistants.map((value) => answer(`answer assistant ${value}`));
  const asked = [...open.keys()].filter((id) => id.startsWith("answer ")).map(answer);
  if (asked.length || !view.hand || options.mine === null) return asked;
  const played = view.board.players[options.mine]?.playedAssistant;
  return view.hand.filter((value) => value !== played).map((value) => answer(`answer assistant ${value}`));
}

/** What stands in the row of choices if nothing lies there. */
export function choiceHint(view, options) {
  if (options.can) return t("Choose on the board");
  const left = view.board.players[options.mine]?.assistantsLeft;
  return left === undefined ? "" : t("You have {n} assistant in your hand|You have {n} assistants in your hand", { n: left });
}

/** By the kind of a cell. */
const PRESS_WORDS = { island: "Put here.", dining: "Put here.", cloud: "Take.", character: "Use.", entrance: "Choose." };

/** What a press would do, in front of the name of a cell. */
export function wordsFor(view, open) {
  return (id) => {
    const answer = open.get(id);
    if (!answer) return "";
    const [part] = id.split(" ");
    const words = answer.choice ? t("Pick up a student.") : answer.steps ? t("{steps} to here.", { steps: stepWords(answer.steps) }) : t(PRESS_WORDS[part] ?? "");
    return words && `${words} `;
  };
}

/** The buttons of islands and clouds. */
export function seaCells(view, layout, lit, words) {
  const sea = SEAS[layout];
  const { islands, clouds } = places(view.board, layout);
  return [
    ...islands.map(({ island, middle: [x, y], lobes }) => {
      const xs = lobes.map(([, point]) => point[0]);
      const ys = lobes.map(([, point]) => point[1]);
      const id = `island ${island.number}`;
      return {
        id, x: Math.min(x, ...xs) - sea.r, y: Math.min(y, ...ys) - sea.r,
        w: Math.max(...xs) - Math.min(...xs) + 2 * sea.r, h: Math.max(...ys) - Math.min(...ys) + 2 * sea.r,
        label: `${words(id)}${islandWords(view, island)}`, can: lit.has(id), chosen: false, drag: false,
      };
    }),
    ...clouds.map(({ heap: students, place, x, y }) => {
      const id = `cloud ${place}`;
      const label = `${words(id)}${cloudWords(students, place)}`;
      return { id, x: x - 48, y: y - 32, w: 96, h: 60, label, can: lit.has(id), chosen: false, drag: false };
    }),
  ];
}
