// What the pieces of Stratego are, and how its moves are written: for the page "How to play".

import { KIND_NAMES, piece } from "./board.js";

const DOES = {
  1: "loses to a spy that attacks it", 8: "removes bombs", 9: "runs any distance", S: "beats the marshal, if it attacks", F: "whoever takes it wins",
  B: "beats all but miners, and stays",
};
const described = (kind) => `${KIND_NAMES[kind]}${DOES[kind] ? `: ${DOES[kind]}` : ""}`;

export const legend = [
  ...Object.keys(KIND_NAMES).map((kind) => ({ drawn: piece(`0${kind}`), words: described(kind) })),
  { drawn: piece("1?"), words: "a piece of the enemy: it shows its back until it fights" },
  { written: "B4–B5", words: "a piece has moved from B4 to B5" },
  { written: "B4×B5 6:5 †", words: "a lieutenant (6) on B4 attacks a captain (5) on B5, and the attacker is gone" },
  { written: "B4×B5 5:6", words: "the same the other way round: the piece that was attacked is gone" },
  { written: "B4×B5 6:6 ††", words: "equals: both are gone" },
];
