// A game of two players who take turns: a move is kept in the state, which both are told. The state is in memory only.
import { createRequire } from "node:module";

const { Origins, Server, SocketIO } = createRequire(import.meta.url)("boardgame.io/server");

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

// The load does not answer pings, so there are none for a day.
const transport = new SocketIO({ socketOpts: { pingInterval: 86_400_000 } });
const { appServer } = await Server({ games: [pair], origins: [Origins.LOCALHOST], transport }).run({ port: 0 });
console.log(appServer.address().port);
