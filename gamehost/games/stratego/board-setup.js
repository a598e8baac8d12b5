// The set-up of Stratego: the tray over the enemy's empty half, and what a press does there.
//
// The choice of the page during the set-up is `{placing, held, from}`. `placing` are forty kinds or "", by ascending square.
// `held` is the kind in hand, from the tray. `from` is the place of a piece that is picked up again.

import { CELL, HOME, KIND_NAMES, SIZE, piece, squareName, t } from "./board.js";

/** The kinds in the order of the box, with how many of each a side has. */
const COUNTS = new Map([["1", 1], ["2", 1], ["3", 2], ["4", 3], ["5", 4], ["6", 4], ["7", 4], ["8", 5], ["9", 8], ["S", 1], ["F", 1], ["B", 6]]);

/** Set-ups, rows from the last one to the front. */
export const PRESETS = {
  Corner: ["FB8978B898", "B776S27B68", "954B935456", "699194B935"],
  Centre: ["9BFB8898B7", "87B7S45B78", "5692639654", "91594B3969"],
  Attack: ["98BFB88B89", "7B7B786B75", "694S295496", "5396194935"],
};

/** The pieces of a preset by ascending square, as `rows` of the action want them. */
export function presetRows(name, seat) {
  const rows = PRESETS[name];
  return seat === 0 ? [...rows] : [...rows].reverse();
}

/** A sound set-up that nobody can guess: a preset, turned round at random, with some pieces exchanged within their rows. */
export function shuffledRows(seat, random = Math.random) {
  const below = (count) => Math.floor(random() * count);
  const names = Object.keys(PRESETS);
  let rows = presetRows(names[below(names.length)], seat).map((row) => [...row]);
  if (below(2)) rows = rows.map((row) => row.reverse());
  for (let swap = 0; swap < 24; swap += 1) {
    const row = rows[below(rows.length)];
    const [one, other] = [below(row.length), below(row.length)];
    if (!/[FB]/.test(row[one] + row[other])) [row[one], row[other]] = [row[other], row[one]];
  }
  return rows.map((row) => row.join(""));
}

// -- set-ups that the player keeps: words of forty kinds, from the last row to the front

const MOST = 5;

function keptSetUps({ kept }) {
  const whole = (one) => /^[1-9SFB]{40}$/.test(one) && Object.values(leftToPlace([...one])).every((left) => left === 0);
  return (kept?.game ?? []).filter(whole).slice(-MOST);
}

const rowsOf = (text) => [0, 10, 20, 30].map((start) => text.slice(start, start + 10));
/** From the last row to the front, or back: the squares of seat 1 ascend from its front. */
const turnedFor = (seat, text) => (seat === 0 ? rowsOf(text) : rowsOf(text).reverse()).join("");

function keep(placing, options) {
  const now = turnedFor(options.mine, placing.join(""));
  options.kept.keep("game", [...keptSetUps(options).filter((one) => one !== now), now].slice(-MOST));
}

/** The set-up that was kept before the one on the board; else the one that was kept last. `null`: none is kept. */
function keptBefore(placing, options) {
  const all = keptSetUps(options);
  const at = all.indexOf(turnedFor(options.mine, placing.join("")));
  const next = all.at(at > 0 ? at - 1 : -1);
  return next ? [...turnedFor(options.mine, next)] : null;
}

/** The button beside the count: it keeps what is placed, or brings what is kept; `null`: there is neither. */
function keepButton({ placing }, options) {
  if (!options.kept) return null;
  const all = keptSetUps(options);
  const box = { x: 246, y: TOP + 2, w: 88, h: HEAD };
  if (!placing.includes("") && !all.includes(turnedFor(options.mine, placing.join("")))) return { id: "keep", text: t("Keep"), label: t("Keep this set-up"), ...box };
  return all.length ? { id: "kept", text: t("Kept"), label: t("Set-up: kept, {n} of {most}", { n: all.length, most: MOST }), ...box } : null;
}

/** How many pieces of each kind are not placed yet. `placing` are 40 kinds or "", by ascending square. */
function leftToPlace(placing) {
  const left = Object.fromEntries(COUNTS);
  for (const kind of placing) if (kind) left[kind] -= 1;
  return left;
}

/** The action that sends a whole set-up. */
export const rowsAction = (placing) => [0, 10, 20, 30].map((start) => placing.slice(start, start + 10).join("")).join("/");

const EMPTY = Array(40).fill("");
const TOP = 8;
const HEIGHT = CELL * 6 - 16;
/** The heights of its head with two buttons, and of the row of buttons at its foot: for fingers. */
const [HEAD, FOOT] = [60, 84];
const READY = 106;

/** The buttons of the tray, from left to right. */
const buttonsOf = () => [
  { id: "shuffle", text: t("Shuffle"), w: 118, label: t("Shuffle: a set-up at random") },
  ...[t("Corner"), t("Centre"), t("Attack")].map((text, place) => ({ id: `preset ${Object.keys(PRESETS)[place]}`, text, w: 104, label: t("Set-up: {name}", { name: text }) })),
  { id: "clear", text: t("Clear"), w: 94, label: t("Clear: take all pieces back") },
];

/** What is placed: by this page, or as the host knows it. */
export function setupOf(view, options) {
  const first = HOME[options.mine];
  const known = view.board.slice(first, first + 40).map((name) => name.slice(1));
  const choice = options.choice?.placing ? options.choice : null;
  return { placing: choice?.placing ?? known, held: choice?.held ?? null, from: choice?.from ?? null };
}

/** Whether the host knows some pieces, placed one by one. Then the others are placed one by one too. */
const single = (view, mine) => view.board.some((name) => name[0] === `${mine}`);

function boxes(kept) {
  const kinds = [...COUNTS.keys()].map((kind, place) => ({
    id: `kind ${kind}`, kind, x: 16 + (place % 6) * 95, y: TOP + HEAD + 6 + Math.floor(place / 6) * 82, w: 92, h: 78,
  }));
  let x = 16;
  const buttons = buttonsOf().map((button) => {
    const box = { ...button, x, y: TOP + HEIGHT - FOOT - 16, h: FOOT };
    x += button.w + 6;
    return box;
  });
  return { kinds, buttons: [...buttons, ...(kept ? [kept] : []), { id: "ready", text: t("Ready"), label: t("Ready"), x: SIZE - 16 - READY, y: TOP + 2, w: READY, h: HEAD }] };
}

/** The tray as descriptions of SVG, in the units of the board. */
export function tray(view, options) {
  const { placing, held } = setupOf(view, options);
  const left = leftToPlace(placing);
  const missing = placing.filter((kind) => !kind).length;
  const { kinds, buttons } = boxes(keepButton({ placing }, options));
  return [
    "g",
    { class: "st-tray" },
    ["rect", { x: 6, y: TOP - 8, width: SIZE - 12, height: HEIGHT, rx: 14, class: "st-panel" }],
    ["text", { x: 22, y: TOP + 40, class: "st-head" }, t("Set up")],
    ["text", { x: SIZE - 34 - READY, y: TOP + 40, class: "st-count" }, missing ? t("{n} to place", { n: missing }) : t("all placed")],
    ...kinds.map(({ kind, x, y, w, h }) => [
      "g",
      { class: left[kind] ? null : "st-none" },
      held === kind ? ["rect", { x: x + 8, y: y - 2, width: w - 16, height: h + 2, rx: 10, class: "st-chosen" }] : null,
      ["g", { transform: `translate(${x + w / 2} ${y + 34}) scale(1.18)` }, piece(`${options.mine}${kind}`)],
      ["rect", { x: x + w / 2 + 8, y: y + 48, width: 34, height: 26, rx: 13, class: "st-left" }],
      ["text", { x: x + w / 2 + 25, y: y + 67, class: "st-number" }, `${left[kind]}`],
    ]),
    ...buttons.map(({ id, text, x, y, w, h }) => [
      "g",
      { class: id === "ready" ? (missing || !options.can ? "st-button st-go st-off" : "st-button st-go") : "st-button" },
      ["rect", { x, y, width: w, height: h, rx: 10 }],
      ["text", { x: x + w / 2, y: y + h / 2 + 8 }, text],
    ]),
  ];
}

/** The buttons of the tray. The squares are the page's own cells. */
export function trayCells(view, options) {
  const { placing, held } = setupOf(view, options);
  const left = leftToPlace(placing);
  const missing = placing.filter((kind) => !kind).length;
  const { kinds, buttons } = boxes(keepButton({ placing }, options));
  return [
    ...kinds.map(({ id, kind, x, y, w, h }) => ({
      id, x, y, w, h, label: t("{piece}, {n} left to place", { piece: t(KIND_NAMES[kind]), n: left[kind] }),
      can: left[kind] > 0, chosen: held === kind, drag: left[kind] > 0,
    })),
    ...buttons.map(({ id, x, y, w, h, label }) => ({
      id, x, y, w, h, label: id === "ready" && missing ? t("Ready, when all forty are placed: {n} to place", { n: missing }) : label,
      can: id === "ready" && options.can && !placing.includes(""), chosen: false, drag: false, advised: id === "shuffle" && options.can,
    })),
  ];
}

/** What a screen reader says of an own square. */
export function placeLabel(view, options, square) {
  const { placing } = setupOf(view, options);
  const kind = placing[square - HOME[options.mine]];
  return `${squareName(square)}, ${t(kind ? KIND_NAMES[kind] : "empty")}`;
}

/** What a press does during the set-up: a new choice, or the action. */
export function pressSetup(view, options, id) {
  const setup = setupOf(view, options);
  const one = single(view, options.mine);
  if (id === "cancel") return { choice: { ...setup, held: null, from: null } };
  if (id === "ready") return pressReady(setup, options, one);
  const [word, name] = id.split(" ");
  if (word === "kind") return pressKind(setup, name);
  if (word === "keep") {
    keep(setup.placing, options);
    return { choice: { ...setup, held: null, from: null } };
  }
  if (word === "kept" && !one) return { choice: { placing: keptBefore(setup.placing, options) ?? setup.placing, held: null, from: null } };
  if (word === "shuffle" || word === "preset" || word === "clear") {
    if (one) return null;
    const rows = { shuffle: () => shuffledRows(options.mine), preset: () => presetRows(name, options.mine), clear: () => [] };
    const placing = [...rows[word]().join("")];
    return { choice: { placing: placing.length ? placing : EMPTY, held: null, from: null } };
  }
  const place = Number(id) - HOME[options.mine];
  if (!(place >= 0 && place < 40)) return null;
  if (one) return setup.held && !setup.placing[place] ? { act: `${setup.held}@${squareName(Number(id))}` } : null;
  return { choice: pressPlace(setup, place) };
}

function pressReady(setup, options, one) {
  if (setup.placing.includes("") || !options.can) return null;
  return { act: one ? "ready" : rowsAction(setup.placing) };
}

function pressKind({ placing, held, from }, kind) {
  if (from !== null) {
    const back = placing.map((old, place) => (place === from ? "" : old));
    return { choice: { placing: back, held: null, from: null } };
  }
  const none = leftToPlace(placing)[kind] === 0 || held === kind;
  return { choice: { placing, held: none ? null : kind, from: null } };
}

function pressPlace({ placing, held, from }, place) {
  const now = [...placing];
  if (held !== null) {
    now[place] = held;
    return { placing: now, held: leftToPlace(now)[held] ? held : null, from: null };
  }
  if (from !== null) {
    [now[from], now[place]] = [now[place], now[from]];
    return { placing: now, held: null, from: null };
  }
  return { placing, held: null, from: placing[place] ? place : null };
}

/** What is drawn below the pieces: where a piece may be put, and which one is picked up. `spot` gives a square's middle. */
export function setupMarks(view, options, spot) {
  const { placing, held, from } = setupOf(view, options);
  const first = HOME[options.mine];
  const marks = [["rect", { x: 3, y: CELL * 6 + 3, width: SIZE - 6, height: CELL * 4 - 6, rx: 4, class: "st-home" }]];
  for (const [place, kind] of placing.entries()) {
    const [x, y] = spot(first + place);
    if (!kind && (held !== null || from !== null)) marks.push(["circle", { cx: x, cy: y, r: 8, class: "st-can" }]);
    if (place === from) marks.push(["rect", { x: x - 28, y: y - 28, width: 56, height: 56, rx: 5, class: "st-chosen" }]);
  }
  return marks;
}

