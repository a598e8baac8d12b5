// How moves of Paper Soccer are written: for the page "How to play".

export const legend = [
  { written: "0,1", words: "the ball has gone to this point: 0,0 is the middle of the pitch; the first number counts to the right, the second one up" },
  { written: "1,1 2,2", words: "the ball has bounced at 1,1, and has gone on to 2,2 in the same move" },
  { written: "0,6", words: "the middle of the goal at one end; the other one is at 0,-6" },
];
