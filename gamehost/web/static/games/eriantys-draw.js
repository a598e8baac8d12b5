// How Eriantys looks: students, professors, towers, islands, clouds, as descriptions of SVG (`svg` in dom.js) around 0,0.
//
// Each colour has a shape: green a square, red a pentagon, yellow a triangle, pink a heart, blue a diamond.

export const DISC = 10;

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

export const motherNature = () => [
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
export function blob(number, r) {
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

export const CLOUD = "M-44 24C-58 24-60 4-44 2-46-18-24-24-14-14-6-32 22-30 24-12 40-18 52-4 46 6 58 10 56 24 44 24Z";

/** Small waves, the same ones each time. */
export function waves(width, height) {
  const found = [];
  for (let place = 0; place < 26; place += 1) {
    const x = 12 + ((place * 137.5) % (width - 44));
    const y = 14 + ((place * 89.3) % (height - 26));
    found.push(["path", { d: `M${x.toFixed(0)} ${y.toFixed(0)}q6-6 12 0t12 0`, class: "er-wave" }]);
  }
  return found;
}
