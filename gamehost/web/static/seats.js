// The bars of the players above and below a board: name, wire, away, clock, and whose turn it is.

import { h, list, say, set } from "./dom.js";
import { state } from "./store.js";

/** How often a running clock is drawn, in milliseconds. */
const TICK = 200;
/** Less than this, and a clock shows tenths of a second. */
const SHORT = 10_000;

/** A clock in words: `2:05`, or `9.3` for the last seconds. */
export function clockText(milliseconds) {
  const left = Math.max(0, milliseconds);
  if (left < SHORT) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** How players come whose way is not the browser's; "" for the open wire, which browsers speak. */
const WAYS = {
  console: "by the console", house: "the host's player", onitama: "by Onitama lines", "onitama-final": "by Onitama lines", litama: "by Litama",
  "stratego-lines": "by Stratego lines", "stratego-frames": "by Stratego frames", "paper-soccer": "by XML", eriantys: "by Eriantys lines",
  "eriantys-java": "by Java",
};
export const wireWords = (wire) => (["web", "open", undefined, ""].includes(wire) ? "" : WAYS[wire] ?? `by ${wire.replaceAll("-", " ")}`);

/** Who has left, by name: the words of the host are the same for everybody. */
function leftWords({ seat, names, resigned }, loser) {
  if (seat !== loser) return `${names[loser]} has resigned, or did not come back`;
  return resigned ? "You have resigned" : "You did not come back in time";
}

/** How a match has ended, as `{title, detail}`. */
export function endWords(table) {
  const { winners, why } = table.over;
  const names = winners.map((seat) => table.names[seat]).join(" and ");
  const own = table.seat !== null && winners.includes(table.seat);
  const theirs = `${names} ${winners.length > 1 ? "have" : "has"} won`;
  const alone = own && winners.length === 1;
  const title = !winners.length ? "Draw" : alone ? "You have won" : own || table.seat === null ? theirs : "You have lost";
  if (table.over.cause === "left" && winners.length === 1 && table.names.length === 2) return { title, detail: leftWords(table, 1 - winners[0]) };
  // Of several opponents, the title does not say which one has won.
  const who = title === "You have lost" && table.names.length > 2 ? `${theirs}: ` : "";
  return { title, detail: who + (who ? why : `${why[0]?.toUpperCase() ?? ""}${why.slice(1)}`) };
}

/** What is said of a player who is not there: for how long the seat is kept, whatever the time for a move is. */
function awayWords(table, seat) {
  if (table.over) return "";
  if (table.left.has(seat)) return "has left";
  if (!table.away.has(seat)) return "";
  const left = table.kept.has(seat) && state.link === "open" ? table.kept.get(seat) - performance.now() : 0;
  return left > 0 ? `away: the seat is kept for ${clockText(left)}` : "away";
}

export class Seats {
  constructor() {
    this.above = h("div", { class: "seats" });
    this.below = h("div", { class: "seats" });
    this.table = null;
    this.timer = setInterval(() => this.tick(), TICK);
  }

  close() {
    clearInterval(this.timer);
  }

  show(table, game, view, options) {
    Object.assign(this, { table, turns: options.turns, doing: game.doing?.(view) ?? null });
    if (game.bare) return;
    const own = options.seat;
    const colours = typeof game.colours === "function" ? game.colours(view) : game.colours;
    const seat = (number) => ({ number, colour: colours?.[number] ?? "" });
    const others = table.names.map((_, number) => number).filter((number) => number !== own);
    const update = (bar, { number, colour }) => this.update(bar, number, colour, table);
    list(this.above, others.map(seat), (one) => one.number, makeBar, update);
    list(this.below, [seat(own)], (one) => one.number, makeBar, update);
    this.tick();
  }

  update(bar, number, colour, table) {
    const { mark, name, wire, away, turn } = bar.parts;
    const active = this.turns.includes(number);
    const winner = table.over?.winners.includes(number);
    set(mark, "class", `mark ${colour}`);
    say(name, table.names[number]);
    say(wire, wireWords(table.wires[number]));
    say(away, awayWords(table, number));
    bar.classList.toggle("active", active);
    say(turn, winner ? "winner" : !active ? "" : this.doing ?? (number === table.seat ? "your move" : "to move"));
  }

  /** Clocks run here by themselves between the host's words. */
  tick() {
    const { table } = this;
    for (const bar of table ? [...this.above.children, ...this.below.children] : []) say(bar.parts.away, awayWords(table, Number(bar.dataset.key)));
    if (!table?.clocks) return;
    // While the host is not there, nobody knows how its clocks go on.
    if (state.link !== "open") return;
    const passed = performance.now() - table.clocksAt;
    for (const bar of [...this.above.children, ...this.below.children]) {
      const seat = Number(bar.dataset.key);
      const runs = !table.over && this.turns.includes(seat);
      say(bar.parts.clock, clockText(table.clocks[seat] - (runs ? passed : 0)));
    }
  }
}

function makeBar() {
  const parts = {
    mark: h("span", { class: "mark", "aria-hidden": "true" }),
    name: h("strong", {}),
    wire: h("span", { class: "chip" }),
    away: h("span", { class: "away small" }),
    turn: h("span", { class: "whose small" }),
    clock: h("span", { class: "clock" }),
  };
  const bar = h("div", { class: "seat" }, Object.values(parts));
  bar.parts = parts;
  return bar;
}
