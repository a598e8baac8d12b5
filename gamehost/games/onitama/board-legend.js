// How moves of Onitama are written: for the page "How to play".

export const legend = [
  { written: "ox c1–c2", words: "a piece has moved from c1 to c2 with the card ox; then the ox lies beside the board" },
  { written: "ox for boar", words: "a player could not move, gave the ox back and took the boar" },
  { written: "a1", words: "the square on the left in White's first row; letters count from the left as White sees it, numbers from White's side" },
];
