// The games of this host. A game's folder may have a board, `board.js` and `board.css`: they are loaded when they are first needed.
// All other games have the plain board.

import { language, lasting, learn, t } from "./words.js";

let known = null;

/** The games as the shell names them: name -> `{seats: [least, most], board}`. */
export function games() {
  const told = () => JSON.parse(document.querySelector("meta[name=games]").content);
  known ??= new Map(told().map((one) => [one.name, one]));
  return known;
}

/** The levels at which the host plays a game. */
export const levelsOf = (name) => games().get(name)?.levels ?? ["easy", "medium", "hard"];

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
    await Promise.all([game?.load?.(t), learnGame(name)]);
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

/** Learn the words of a game, if it has a catalogue in this language. */
export async function learnGame(name) {
  if (games().get(name).languages.includes(language)) await learn(`./games/${name}/board-words-${language}.json`);
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

const limit = (times) => t("You have {times}. Who takes longer loses.", { times });

/** The times of a match with these settings (`move_time` and the like), as a sentence; "": there are none. */
export function timesOf(name, settings = {}) {
  const times = games().get(name)?.times ?? {};
  if (settings.move_days) return limit(t("{time} for a move", { time: lasting(settings.move_days * 86400) }));
  const move = Number(settings.move_time ?? times.move ?? 0);
  const begin = Number(settings.setup_time ?? (times.begin === times.move ? 0 : times.begin) ?? 0);
  const game = Number(settings.game_time ?? 0);
  const parts = [
    begin > 0 && t("{time} to set up", { time: lasting(begin) }), move > 0 && t("{time} for a move", { time: lasting(move) }), game > 0 && t("{time} for all moves", { time: lasting(game) }),
    game > 0 && settings.increment > 0 && t("{time} more after each move", { time: lasting(Number(settings.increment)) }),
  ].filter(Boolean);
  return parts.length ? limit(parts.join(t(", and "))) : "";
}

const SETTINGS = {
  move_time: (n) => t("{n} s a move", { n }),
  game_time: (n) => t("{n} s for all moves", { n }),
  increment: (n) => t("and {n} s a move", { n }),
  expert: () => t("expert rules"),
  deal: (cards) => t("cards {cards}", { cards: cards.replaceAll(",", ", ").replaceAll("/", " / ") }),
};

/** The settings of a table that differ from the usual ones, in words. */
export function settingWords({ move_days, move_time, setup_time, ...settings } = {}) {
  if (move_days) return [t("{time} a move", { time: lasting(move_days * 86400) }), ...settingWords(settings)];
  settings = { move_time, setup_time, ...settings };
  const unusual = Object.entries(settings ?? {}).filter(([, value]) => ![undefined, "", "0", "no", "false"].includes(value));
  return unusual.map(([name, value]) => SETTINGS[name]?.(value) ?? `${name.replaceAll("_", " ")} ${value}`);
}
