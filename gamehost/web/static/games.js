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

/** Modules by name of the game; those that are ready for a whole board have `true` beside. */
const ready = new Map();
const asked = new Map();

/** The module of a game that is loaded already; otherwise `undefined`. `whole`: with what it needs for more than a small board. */
export function loaded(name, whole = true) {
  const known = ready.get(name);
  return known && (known.whole || !whole) ? known.game : undefined;
}

async function fetched(name, whole) {
  const game = (await LOADS[name]()).default;
  if (whole) await game.load?.();
  ready.set(name, { game, whole: whole || ready.get(name)?.whole === true });
  return game;
}

/**
 * Load the module of a game. It is `null` if the page does not know the game or could not load it: then load the page again.
 * `whole`: with what it needs for more than a small board.
 */
export function loadGame(name, whole = true) {
  if (!Object.hasOwn(LOADS, name)) return Promise.resolve(null);
  const key = `${name} ${whole}`;
  if (!asked.has(key)) {
    asked.set(key, fetched(name, whole).catch((error) => {
      console.warn(`The game ${name} could not be loaded:`, error.message);
      return null;
    }));
  }
  return asked.get(key);
}
