// The modules of the games. Each is loaded when it is first needed.

/** The names of the games, and their titles, which are there before the modules. */
export const TITLES = { onitama: "Onitama", stratego: "Stratego", "paper-soccer": "Paper Soccer", eriantys: "Eriantys" };
export const NAMES = Object.keys(TITLES);

/** The title of a game; its name, if the page does not know it. */
export function titleOf(name) {
  return TITLES[name] ?? name;
}

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

/** Load the module of a game. It is `null` if the page does not know the game or could not load it: then load the page again. */
export function loadGame(name) {
  if (!Object.hasOwn(LOADS, name)) return Promise.resolve(null);
  if (!asked.has(name)) {
    asked.set(name, fetched(name).catch((error) => {
      console.warn(`The game ${name} could not be loaded:`, error.message);
      return null;
    }));
  }
  return asked.get(name);
}
