// The signs of Eriantys: for the page "How to play".

import { COLOURS } from "./board.js";
import { student } from "./board-sea.js";

export const legend = [
  ...COLOURS.map((colour) => ({ drawn: student(colour), words: `a ${colour} student` })),
  { written: "assistant 4", words: "a player has played this card: who plays the lowest moves first, and half of it, rounded up, is how far Mother Nature may walk" },
  { written: "island 5", words: "the towers of this player stand on island 5 now" },
];
