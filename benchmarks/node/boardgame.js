// A game of two players who take turns: a move is kept in the state, which both are told.
//
// node boardgame.js             the state is in memory only
// node boardgame.js FOLDER      the state and the log of each match are files (FlatFile)
import { createRequire } from "node:module";

const { FlatFile, Origins, Server, SocketIO } = createRequire(import.meta.url)("boardgame.io/server");

const pair = {
  name: "pair",
  disableUndo: true,
  setup: () => ({ last: "" }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    move: ({ G }, word) => {
      G.last = word;
    },
  },
};

const [dir] = process.argv.slice(2);
// The load does not answer pings, so there are none for a day.
const transport = new SocketIO({ socketOpts: { pingInterval: 86_400_000 } });
const options = { games: [pair], origins: [Origins.LOCALHOST], transport, ...(dir && { db: new FlatFile({ dir }) }) };
const { appServer } = await Server(options).run({ port: 0 });
console.log(appServer.address().port);
