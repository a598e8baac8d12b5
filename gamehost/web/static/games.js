// The games of this host. A game's folder may have a board, `board.js` and `board.css`: they are loaded when they are first needed.
// All other games have the plain board.

let known = null;

/** The games as the shell names them: name -> `{seats: [least, most], board}`. */
export function games() {
  const told = () => JSON.parse(document.querySelector("meta[name=games]").content);
  known ??= new Map(told().map((one) => [one.name, one]));
  return known;
}

/** The level of a house player, by its name, such as easy.1; undefined: somebody else has this name. */
export const levelOf = (name) => /^(random|easy|medium|hard)\.\d/.exec(name)?.[1];

/** The title of a game, whether it is played here or not: `paper-soccer` is Paper Soccer. */
export function titleOf(name) {
  return name.split("-").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}

/** Modules by name of the game; those that are ready for a whole board have `true` beside. */
const ready = new Map();
const asked = new Map();

/** The module of a game that is loaded already; otherwise `undefined`. `whole`: with what it needs for more than a small board. */
export function loaded(name, whole = true) {
  const found = ready.get(name);
  return found && (found.whole || !whole) ? found.game : undefined;
}

/** A style comes before what it is for, so that a board or a page is never seen without. */
export function styled(address) {
  return new Promise((done, failed) => {
    const sheet = document.createElement("link");
    Object.assign(sheet, { rel: "stylesheet", href: new URL(address, import.meta.url), onload: done, onerror: failed });
    document.head.append(sheet);
  });
}

async function fetched(name, whole) {
  if (whole) {
    const game = await loadGame(name, false);
    await game?.load?.();
    if (game) ready.set(name, { game, whole });
    return game;
  }
  if (!games().get(name).board) {
    const plain = (await import("./plain.js")).plainGame(name);
    ready.set(name, { game: plain, whole: true });
    return plain;
  }
  const folder = `./games/${name}`;
  const [module] = await Promise.all([import(`${folder}/board.js`), styled(`${folder}/board.css`)]);
  ready.set(name, { game: module.default, whole });
  return module.default;
}

/**
 * Load the module of a game. It is `null` if this host does not play the game, or it could not be loaded: then load the page
 * again. `whole`: with what it needs for more than a small board.
 */
export function loadGame(name, whole = true) {
  if (!games().has(name)) return Promise.resolve(null);
  const key = `${name} ${whole}`;
  if (!asked.has(key)) {
    asked.set(key, fetched(name, whole).catch((error) => {
      console.warn(`The game ${name} could not be loaded:`, error.message);
      return null;
    }));
  }
  return asked.get(key);
}
