// How Eriantys looks: students, professors, towers, islands, clouds, as descriptions of SVG (`svg` in dom.js) around 0,0; and the
// sea with twelve islands in a circle, the clouds in its middle. Islands that merge stay where they were.
//
// Each colour has a shape: green a square, red a pentagon, yellow a triangle, pink a heart, blue a diamond.

import { COLOURS } from "./board.js";

const DISC = 10;

const SHAPES = {
  green: "M-4.2-4.2H4.2V4.2H-4.2Z",
  red: "M0-5.4 5.2-1.6 3.2 4.5H-3.2L-5.2-1.6Z",
  yellow: "M0-5.6 5.4 4H-5.4Z",
  pink: "M0 5.2C-7.4-.4-4.6-5.6-1.6-4.6-.6-4.2 0-3 0-3S.6-4.2 1.6-4.6C4.6-5.6 7.4-.4 0 5.2Z",
  blue: "M0-5.8 4.8 0 0 5.8-4.8 0Z",
};

/** A student. */
export const student = (colour) => [
  "g",
  { class: `er-student er-${colour}` },
  ["circle", { r: DISC, class: "er-disc" }],
  ["path", { d: SHAPES[colour], class: "er-sign" }],
];

/** The number of students in a heap, at the lower right of its disc. */
export const count = (x, y, number) => [
  "g",
  { transform: `translate(${x + 8} ${y + 7})`, class: "er-count" },
  ["circle", { r: 7.4 }],
  ["text", { y: 3.9 }, number],
];

const hexagon = (r) => Array.from({ length: 6 }, (_, place) => {
  const angle = (Math.PI / 3) * place - Math.PI / 2;
  return `${place ? "L" : "M"}${(r * Math.cos(angle)).toFixed(1)} ${(r * Math.sin(angle)).toFixed(1)}`;
}).join("") + "Z";

/** A professor, or the place of one who is elsewhere. */
export const professor = (colour, here) => [
  "g",
  { class: here ? `er-student er-${colour}` : `er-place er-${colour}` },
  ["path", { d: hexagon(12.5), class: "er-disc" }],
  here ? ["path", { d: SHAPES[colour], class: "er-sign" }] : null,
];

/** An empty seat of a table; every third one gives a coin in the expert game. */
export const seat = (colour, x, y, coin) => [
  "g",
  { class: `er-place er-${colour}`, transform: `translate(${x} ${y})` },
  ["circle", { r: 8.6, class: "er-disc" }],
  coin ? ["circle", { r: 3.6, class: "er-coin" }] : null,
];

/** A tower. A white one is hollow, a grey one has a band, so that they differ without colours. */
export const tower = (colour) => [
  "g",
  { class: `er-tower er-${colour}` },
  ["path", { d: "M-10-13h5v4h3v-4h4v4h3v-4h5V-4l-3 4 2 13H-9L-7 0l-3-4Z", class: "er-wall" }],
  colour === "grey" ? ["path", { d: "M-6.6 3.5H6.6", class: "er-band" }] : null,
];

const motherNature = () => [
  "g",
  { class: "er-mother" },
  ["path", { d: "M0-14C5-14 6-9 5-6 5 0 13 3 12 10Q11 15 0 15T-12 10C-13 3-5 0-5-6-6-9-5-14 0-14Z", class: "er-figure" }],
  ["path", { d: "M0-14Q0-20 4-20", class: "er-stalk" }],
  ["path", { d: "M2-17Q8-23 9-17 6-14 2-17Z", class: "er-leaf" }],
];

/** A no-entry tile. */
export const noEntry = (x, y) => [
  "g",
  { class: "er-tile", transform: `translate(${x} ${y})` },
  ["circle", { r: 10 }],
  ["path", { d: "M-5.5 0H5.5" }],
];

export const coin = (x, y, number, r = 14) => [
  "g",
  { class: "er-money", transform: `translate(${x} ${y})` },
  ["circle", { r }],
  ["text", { y: r * 0.36, "font-size": r * 1.05 }, number],
];

const blobs = new Map();

/** A closed line with a shape of its own for each number, always the same one. */
function blob(number, r) {
  const key = `${number} ${r}`;
  if (!blobs.has(key)) blobs.set(key, newBlob(number, r));
  return blobs.get(key);
}

function newBlob(number, r) {
  const points = Array.from({ length: 9 }, (_, place) => {
    const noise = Math.sin(number * 12.9898 + place * 78.233) * 43758.5453;
    const far = r * (0.93 + 0.15 * (noise - Math.floor(noise)));
    const angle = (2 * Math.PI * place) / 9;
    return [far * Math.cos(angle), far * Math.sin(angle)];
  });
  const at = (place) => points[(place + points.length) % points.length];
  const near = (place, other, sign) => at(place).map((value, axis) => (value + (sign * (at(other)[axis] - at(other - 2)[axis])) / 6).toFixed(1));
  const curve = points.map((_, place) => `C${near(place, place + 1, 1)} ${near(place + 1, place + 2, -1)} ${at(place + 1).map((value) => value.toFixed(1))}`);
  return `M${at(0).map((value) => value.toFixed(1))}${curve.join("")}Z`;
}

const CLOUD = "M-44 24C-58 24-60 4-44 2-46-18-24-24-14-14-6-32 22-30 24-12 40-18 52-4 46 6 58 10 56 24 44 24Z";

/** Small waves, the same ones each time. */
function waves(width, height) {
  const found = [];
  for (let place = 0; place < 26; place += 1) {
    const x = 12 + ((place * 137.5) % (width - 44));
    const y = 14 + ((place * 89.3) % (height - 26));
    found.push(["path", { d: `M${x.toFixed(0)} ${y.toFixed(0)}q6-6 12 0t12 0`, class: "er-wave" }]);
  }
  return found;
}

// -- the sea

/** The two sizes: for wide windows and small boards, and for phones. */
export const SEAS = {
  wide: { width: 640, height: 500, rx: 254, ry: 184, r: 47, columns: 4, cloudScale: 0.96 },
  tall: { width: 400, height: 540, rx: 148, ry: 214, r: 46, columns: 2, cloudScale: 0.86 },
};
const SLOTS = 12;
/** How near the islands of a group are, in slots of the circle. */
const MERGED = 0.56;

/** Points of an ellipse at equal distances along it, clockwise from its top. */
function circle({ width, height, rx, ry }) {
  const fine = Array.from({ length: 721 }, (_, place) => {
    const angle = (Math.PI * 2 * place) / 720 - Math.PI / 2;
    return [width / 2 + rx * Math.cos(angle), height / 2 + ry * Math.sin(angle)];
  });
  const far = [0];
  for (let place = 1; place < fine.length; place += 1) {
    far.push(far[place - 1] + Math.hypot(fine[place][0] - fine[place - 1][0], fine[place][1] - fine[place - 1][1]));
  }
  return (slot) => {
    const wanted = ((((slot % SLOTS) + SLOTS) % SLOTS) / SLOTS) * far[720];
    return fine[far.findIndex((distance) => distance >= wanted)];
  };
}

const circles = { wide: circle(SEAS.wide), tall: circle(SEAS.tall) };

/** Where the islands of a group lie: the middle, and each of its islands. */
function lobes(island, at) {
  const inside = new Set(island.members);
  const first = (island.members.find((member) => !inside.has(((member + SLOTS - 2) % SLOTS) + 1)) ?? 1) - 1;
  const slots = island.members.map((member) => (member - 1 - first + SLOTS) % SLOTS);
  const middle = first + (Math.min(...slots) + Math.max(...slots)) / 2;
  return {
    middle: at(middle),
    slot: middle,
    lobes: slots.map((slot, place) => [island.members[place], at(middle + (first + slot - middle) * MERGED)]),
  };
}

/** The places of all islands and clouds; `layout` is a name of SEAS. */
export function places(board, layout) {
  const sea = SEAS[layout];
  const at = circles[layout];
  const islands = board.islands.map((island) => ({ island, ...lobes(island, at) }));
  const columns = Math.min(sea.columns, board.clouds.length);
  const rows = Math.ceil(board.clouds.length / columns);
  const clouds = board.clouds.map((heap, place) => {
    const row = Math.floor(place / columns);
    const inRow = Math.min(columns, board.clouds.length - row * columns);
    const x = sea.width / 2 + ((place % columns) - (inRow - 1) / 2) * 104 * sea.cloudScale;
    return { heap, place, x, y: sea.height / 2 - 8 + (row - (rows - 1) / 2) * 74 };
  });
  return { islands, clouds };
}

/** Students of a heap in rows around a point: each colour once, with its number. */
function heap(students, x, y, perRow, spec) {
  const colours = COLOURS.filter((colour) => students[colour]);
  for (const [place, colour] of colours.entries()) {
    const row = Math.floor(place / perRow);
    const inRow = Math.min(perRow, colours.length - row * perRow);
    const [cx, cy] = [x + ((place % perRow) - (inRow - 1) / 2) * 25, y + row * 22];
    spec.pieces.push({ kind: colour, x: cx, y: cy, shape: [student(colour)] });
    if (students[colour] > 1) spec.over.push(count(cx, cy, students[colour]));
  }
}

function drawIsland({ island, middle: [x, y], lobes }, board, sea, { lit, done }, spec) {
  const shapes = (name, r) => lobes.map(([member, [cx, cy]]) => ["path", { d: blob(member, r), transform: `translate(${cx.toFixed(1)} ${cy.toFixed(1)})`, class: `er-${name}` }]);
  const here = board.motherNature === island.number;
  spec.marks.push(["g", { class: `er-island${lit ? " er-can" : done ? " er-done" : here ? " er-here" : ""}` }, ...shapes("shore", sea.r), ...shapes("land", sea.r)]);
  const things = [...(here ? ["mother"] : []), ...Array(Math.min(island.towers, 2)).fill("tower"), ...(island.noEntryTiles ? ["tile"] : [])];
  const perRow = island.members.length > 1 && sea.columns > 2 ? 4 : 3;
  const rows = Math.ceil(COLOURS.filter((colour) => island.students[colour]).length / perRow);
  // Two rows of students need room: what is above them stands higher, and its numbers are at its top.
  const up = y - (rows > 1 ? 31 : 26);
  for (const [place, thing] of things.entries()) {
    const tx = x + (place - (things.length - 1) / 2) * 23;
    if (thing === "mother") spec.pieces.push({ kind: "mother", x: tx, y: up, shape: [motherNature()] });
    else if (thing === "tower") spec.pieces.push({ kind: `tower ${island.tower}`, x: tx, y: up, shape: [tower(island.tower)] });
    else {
      spec.over.push(noEntry(tx, up));
      if (island.noEntryTiles > 1) spec.over.push(count(tx + 1, up - 15, island.noEntryTiles));
    }
    if (thing === "tower" && island.towers > 2 && things[place + 1] !== "tower") spec.over.push(count(tx + 3, up - 18, island.towers));
  }
  // Where nothing is above them they stand higher, so that the number of the island stays free.
  heap(island.students, x, y - (rows > 1 ? (things.length ? 5 : 13) : 1), perRow, spec);
  spec.over.push(["text", { x, y: y + sea.r - 4, class: "er-number" }, island.number]);
}

function drawCloud({ heap: students, x, y }, sea, { lit, done }, spec) {
  const scale = `translate(${x} ${y}) scale(${sea.cloudScale})`;
  spec.marks.push(["path", { d: CLOUD, transform: scale, class: `er-cloud${lit ? " er-can" : done ? " er-done" : ""}` }]);
  const all = COLOURS.flatMap((colour) => Array(students[colour]).fill(colour));
  const perRow = 2;
  for (const [place, colour] of all.entries()) {
    const inRow = Math.min(perRow, all.length - Math.floor(place / perRow) * perRow);
    const cx = x - 1 + ((place % perRow) - (inRow - 1) / 2) * 26;
    spec.pieces.push({ kind: colour, x: cx, y: y - 8 + Math.floor(place / perRow) * 22, shape: [student(colour)] });
  }
}

/** A broken line along the circle, from group to group. */
function route(islands, layout) {
  const slots = islands.map(({ slot }) => slot);
  return slots.map((start, place) => {
    const far = (slots[(place + 1) % slots.length] - start + 2 * SLOTS) % SLOTS;
    const points = Array.from({ length: 7 }, (_, step) => circles[layout](start + (far * step) / 6));
    return ["path", { d: `M${points.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}`, class: "er-route" }];
  });
}

/**
 * Draw the sea into `spec`. `lit` are the ids of what can be chosen; `steps` says how far each island is, where that is asked;
 * `done` are the places that the last turn has changed; `words` stand below the clouds.
 */
export function drawSea(board, layout, lit, spec, steps, done, words) {
  const sea = SEAS[layout];
  const { islands, clouds } = places(board, layout);
  spec.marks.push(...route(islands, layout));
  for (const place of islands) {
    const changed = place.island.members.some((member) => done.has(`island ${member}`));
    drawIsland(place, board, sea, { lit: lit.has(`island ${place.island.number}`), done: changed }, spec);
    const far = steps.get(place.island.number);
    const [x, y] = place.middle;
    if (far) spec.over.push(["g", { class: "er-steps", transform: `translate(${x + sea.r - 12} ${y - sea.r + 12})` }, ["circle", { r: 12 }], ["text", { y: 5 }, far]]);
  }
  for (const cloud of clouds) drawCloud(cloud, sea, { lit: lit.has(`cloud ${cloud.place}`), done: done.has(`cloud ${cloud.place}`) }, spec);
  const rows = Math.ceil(clouds.length / sea.columns);
  const lines = sea.columns > 2 ? [words.join(" · ")] : words;
  for (const [place, text] of lines.entries()) {
    spec.marks.push(["text", { x: sea.width / 2, y: sea.height / 2 + rows * 37 + 12 + place * 18, class: "er-bag" }, text]);
  }
}

/** What lies under everything. */
export function seaGround(layout) {
  const { width, height } = SEAS[layout];
  return [["rect", { width, height, rx: 12, class: "er-sea" }], ...waves(width, height)];
}
