// The settings and times of a match in words, before it begins.

import { games } from "./games.js";

/** Seconds in words: `5 minutes`, `1 hour`, `90 seconds`. */
export function lasting(seconds) {
  const [count, unit] = seconds % 86400 === 0 ? [seconds / 86400, "day"] : seconds % 3600 === 0 ? [seconds / 3600, "hour"] : seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** The times of a match with these settings (`move_time` and the like), as a sentence; "": there are none. */
export function timesOf(name, settings = {}) {
  const times = games().get(name)?.times ?? {};
  if (settings.move_days) return `You have ${lasting(settings.move_days * 86400)} for a move. Who takes longer loses.`;
  const move = Number(settings.move_time ?? times.move ?? 0);
  const begin = Number(settings.setup_time ?? (times.begin === times.move ? 0 : times.begin) ?? 0);
  const game = Number(settings.game_time ?? 0);
  const parts = [
    begin > 0 && `${lasting(begin)} to set up`, move > 0 && `${lasting(move)} for a move`, game > 0 && `${lasting(game)} for all moves`,
    game > 0 && settings.increment > 0 && `${lasting(Number(settings.increment))} more after each move`,
  ].filter(Boolean);
  return parts.length ? `You have ${parts.join(", and ")}. Who takes longer loses.` : "";
}

const SETTINGS = {
  move_time: (value) => `${value} s a move`,
  game_time: (value) => `${value} s for all moves`,
  increment: (value) => `and ${value} s a move`,
  expert: () => "expert rules",
  deal: (value) => `cards ${value}`,
};

/** The settings of a table that differ from the usual ones, in words. */
export function settingWords({ move_days, move_time, setup_time, ...settings } = {}) {
  if (move_days) return [`${lasting(move_days * 86400)} a move`, ...settingWords(settings)];
  settings = { move_time, setup_time, ...settings };
  const unusual = Object.entries(settings ?? {}).filter(([, value]) => ![undefined, "", "0", "no", "false"].includes(value));
  return unusual.map(([name, value]) => SETTINGS[name]?.(value) ?? `${name.replaceAll("_", " ")} ${value}`);
}
