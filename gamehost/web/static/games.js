// The modules of the games. Each is loaded when it is first needed.

export const NAMES = ["onitama", "stratego", "paper-soccer", "eriantys"];

const LOADS = {
  onitama: () => import("./games/onitama.js"),
  stratego: () => import("./games/stratego.js"),
  "paper-soccer": () => import("./games/paper-soccer.js"),
  eriantys: () => import("./games/eriantys.js"),
};

const ready = new Map();
const asked = new Map();

/** The module of a game that is loaded already; otherwise `undefined`. */
export function loaded(name) {
  return ready.get(name);
}

async function fetched(name) {
  const game = (await LOADS[name]()).default;
  await game.load?.();
  ready.set(name, game);
  return game;
}

/** Load the module of a game. It is `null` if the page does not know the game, or cannot load it. */
export function loadGame(name) {
  if (!Object.hasOwn(LOADS, name)) return Promise.resolve(null);
  if (!asked.has(name)) {
    asked.set(name, fetched(name).catch((error) => {
      asked.delete(name);
      console.warn(`The game ${name} could not be loaded:`, error.message);
      return null;
    }));
  }
  return asked.get(name);
}
