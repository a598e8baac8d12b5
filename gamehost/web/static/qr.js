// A text as a QR code (ISO/IEC 18004), so that a phone can read an address from a screen. No other site is asked.
//
// Bytes, correction level M, versions 1 to 6: 106 bytes at most, and no information of a version in the picture.

/** By version: the bytes for correction of each block, the blocks, and the bytes of data in each. */
const VERSIONS = [null, [10, 1, 16], [16, 1, 28], [26, 1, 44], [18, 2, 32], [24, 2, 43], [16, 4, 27]];
/** The bits in front of the data: how they are written, how many there are. */
const HEAD = 2;
/** Level M, before the number of the mask. */
const LEVEL = 0;

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = value & 128 ? (value << 1) ^ 0x11d : value << 1;
}
const times = (one, other) => (one && other ? EXP[LOG[one] + LOG[other]] : 0);

/** The bytes for correction of a block (Reed and Solomon). */
function correction(data, count) {
  let generator = [1];
  for (let power = 0; power < count; power += 1) {
    const shifted = [...generator, 0];
    generator = shifted.map((value, place) => value ^ (place ? times(generator[place - 1], EXP[power]) : 0));
  }
  const rest = [...data, ...Array(count).fill(0)];
  for (let place = 0; place < data.length; place += 1) {
    const factor = rest[place];
    generator.forEach((value, offset) => (rest[place + offset] ^= times(value, factor)));
  }
  return rest.slice(data.length);
}

/** All bytes of a code, in the order in which they are drawn. */
function codewords(bytes, [count, blocks, size]) {
  const bits = [[4, 4], [bytes.length, 8], ...[...bytes].map((byte) => [byte, 8]), [0, 4]];
  const text = bits.map(([value, width]) => value.toString(2).padStart(width, "0")).join("");
  const data = text.match(/.{1,8}/g).map((byte) => parseInt(byte.padEnd(8, "0"), 2)).slice(0, blocks * size);
  for (let pad = 0; data.length < blocks * size; pad ^= 1) data.push(pad ? 0x11 : 0xec);
  const parts = Array.from({ length: blocks }, (_, block) => data.slice(block * size, (block + 1) * size));
  const across = (rows) => rows[0].flatMap((_, place) => rows.map((row) => row[place]));
  return [...across(parts), ...across(parts.map((part) => correction(part, count)))];
}

/** An empty picture: `null` is a place for data. */
function patterns(version) {
  const size = 17 + 4 * version;
  const cells = Array.from({ length: size }, () => Array(size).fill(null));
  const square = (row, column, half, dark) => {
    for (let y = -half; y <= half; y += 1) {
      for (let x = -half; x <= half; x += 1) {
        if (cells[row + y]?.[column + x] !== undefined) cells[row + y][column + x] = dark(Math.max(Math.abs(x), Math.abs(y)));
      }
    }
  };
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(row, column, 4, (ring) => ring !== 2 && ring !== 4);
  if (version > 1) square(size - 7, size - 7, 2, (ring) => ring !== 1);
  for (let place = 8; place < size - 8; place += 1) cells[6][place] = cells[place][6] = place % 2 === 0;
  return cells;
}

const formatPlaces = (size) => Array.from({ length: 15 }, (_, bit) => [
  bit < 6 ? [bit, 8] : bit < 8 ? [bit + 1, 8] : bit === 8 ? [8, 7] : [8, 14 - bit],
  bit < 8 ? [8, size - 1 - bit] : [size - 15 + bit, 8],
]);

/** Level and mask, in both places. Mask 0 alone is used: readers take any. */
function withFormat(cells) {
  const size = cells.length;
  let rest = LEVEL << 10;
  for (let bit = 14; bit >= 10; bit -= 1) if (rest & (1 << bit)) rest ^= 0x537 << (bit - 10);
  const bits = ((LEVEL << 10) | rest) ^ 0x5412;
  formatPlaces(size).forEach((places, bit) => places.forEach(([row, column]) => (cells[row][column] = Boolean((bits >> bit) & 1))));
  cells[size - 8][8] = true;
}

/** The rows of the code of a text, `true` for dark; `null`: the text is too long. */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = VERSIONS.findIndex((one) => one && bytes.length <= one[1] * one[2] - HEAD);
  if (version < 0) return null;
  const cells = patterns(version);
  withFormat(cells);
  const size = cells.length;
  const bits = codewords(bytes, VERSIONS[version]).flatMap((byte) => [...byte.toString(2).padStart(8, "0")].map(Number));
  let next = 0;
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right -= 1; // the column of the timing pattern
    for (let step = 0; step < size; step += 1) {
      const row = up ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (cells[row][column] !== null) continue;
        cells[row][column] = Boolean((bits[next] ?? 0) ^ ((row + column) % 2 === 0 ? 1 : 0));
        next += 1;
      }
    }
  }
  return cells;
}

/** The description of a picture of the code for `svg` in dom.js, black on white in any light; `null`: the text is too long. */
export function qrPicture(text, label) {
  const cells = qrCode(text);
  if (!cells) return null;
  const size = cells.length + 8;
  const dark = cells.flatMap((row, y) => row.map((one, x) => (one ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return ["svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
    ["rect", { width: size, height: size, fill: "#fff" }], ["path", { d: dark, fill: "#000" }]];
}
