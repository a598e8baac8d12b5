// The sea of Eriantys: twelve islands in a circle, the clouds in its middle. Islands that merge stay where they were.

import { CLOUD, blob, count, motherNature, noEntry, student, tower, waves } from "./eriantys-draw.js";
import { COLOURS, cloudWords, islandWords } from "./eriantys-rules.js";

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

function drawIsland({ island, middle: [x, y], lobes }, board, sea, lit, spec) {
  const shapes = (name, r) => lobes.map(([member, [cx, cy]]) => ["path", { d: blob(member, r), transform: `translate(${cx.toFixed(1)} ${cy.toFixed(1)})`, class: `er-${name}` }]);
  const here = board.motherNature === island.number;
  spec.marks.push(["g", { class: lit ? "er-island er-can" : here ? "er-island er-here" : "er-island" }, ...shapes("shore", sea.r), ...shapes("land", sea.r)]);
  const things = [...(here ? ["mother"] : []), ...Array(Math.min(island.towers, 2)).fill("tower"), ...(island.noEntryTiles ? ["tile"] : [])];
  for (const [place, thing] of things.entries()) {
    const tx = x + (place - (things.length - 1) / 2) * 23;
    if (thing === "mother") spec.pieces.push({ kind: "mother", x: tx, y: y - 26, shape: [motherNature()] });
    else if (thing === "tower") spec.pieces.push({ kind: `tower ${island.tower}`, x: tx, y: y - 26, shape: [tower(island.tower)] });
    else {
      spec.over.push(noEntry(tx, y - 26));
      if (island.noEntryTiles > 1) spec.over.push(count(tx + 1, y - 24, island.noEntryTiles));
    }
    if (thing === "tower" && island.towers > 2 && things[place + 1] !== "tower") spec.over.push(count(tx + 3, y - 22, island.towers));
  }
  heap(island.students, x, y - 1, island.members.length > 1 && sea.columns > 2 ? 4 : 3, spec);
  spec.over.push(["text", { x, y: y + sea.r - 4, class: "er-number" }, island.number]);
}

function drawCloud({ heap: students, x, y }, sea, lit, spec) {
  const scale = `translate(${x} ${y}) scale(${sea.cloudScale})`;
  spec.marks.push(["path", { d: CLOUD, transform: scale, class: lit ? "er-cloud er-can" : "er-cloud" }]);
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

/** Draw the sea into `spec`. `lit` are the ids of what can be chosen; `steps` says how far each island is, where that is asked. */
export function drawSea(board, layout, lit, spec, steps = new Map()) {
  const sea = SEAS[layout];
  const { islands, clouds } = places(board, layout);
  spec.marks.push(...route(islands, layout));
  for (const place of islands) {
    drawIsland(place, board, sea, lit.has(`island ${place.island.number}`), spec);
    const far = steps.get(place.island.number);
    const [x, y] = place.middle;
    if (far) spec.over.push(["g", { class: "er-steps", transform: `translate(${x + sea.r - 12} ${y - sea.r + 12})` }, ["circle", { r: 12 }], ["text", { y: 5 }, far]]);
  }
  for (const cloud of clouds) drawCloud(cloud, sea, lit.has(`cloud ${cloud.place}`), spec);
  const rows = Math.ceil(clouds.length / sea.columns);
  const words = [`${board.bag} in the bag`, `round ${board.round}`];
  const lines = sea.columns > 2 ? [words.join(" · ")] : words;
  for (const [place, text] of board.round ? lines.entries() : []) {
    spec.marks.push(["text", { x: sea.width / 2, y: sea.height / 2 + rows * 37 + 12 + place * 18, class: "er-bag" }, text]);
  }
}

/** What lies under everything. */
export function seaGround(layout) {
  const { width, height } = SEAS[layout];
  return [["rect", { width, height, rx: 12, class: "er-sea" }], ...waves(width, height)];
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
