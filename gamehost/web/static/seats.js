// The bars of the players above and below a board: name, wire, away, clock, and turn.

import { h, list, say, set } from "./dom.js";
import { known } from "./store.js";
import { listed, reason, t, told } from "./words.js";

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

/** The names of the wires of players without a browser; "" for the open wire, which browsers use. */
const WAYS = {
  console: t("by the console"), house: t("the host's player"), onitama: t("by Onitama lines"), "onitama-final": t("by Onitama lines"), litama: t("by Litama"),
  "stratego-lines": t("by Stratego lines"), "stratego-frames": t("by Stratego frames"), "paper-soccer": t("by XML"), eriantys: t("by Eriantys lines"),
  "eriantys-java": t("by Java"), agent: t("by an agent"),
};
export const wireWords = (wire) => (["web", "open", undefined, ""].includes(wire) ? "" : WAYS[wire] ?? t("by {way}", { way: wire.replaceAll("-", " ") }));

/** The end with the name of the player who has left: the words of the host are the same for everybody. */
function leftWords({ seat, names, resigned }, loser) {
  if (seat !== loser) return t("{name} has resigned, or did not come back", { name: names[loser] });
  return resigned ? t("You have resigned") : t("You did not come back in time");
}

/** How a match has ended, as `{title, detail}`. */
export function endWords(table) {
  const { winners } = table.over;
  const why = reason(table.over.why);
  const names = listed(winners.map((seat) => table.names[seat]));
  const own = table.seat !== null && winners.includes(table.seat);
  const theirs = t("{names} has won|{names} have won", { n: winners.length, names });
  const alone = own && winners.length === 1;
  const title = !winners.length ? t("Draw") : alone ? t("You have won") : own || table.seat === null ? theirs : t("You have lost");
  if (table.over.cause === "left" && winners.length === 1 && table.names.length === 2) return { title, detail: leftWords(table, 1 - winners[0]) };
  // Of several opponents, the title does not say which one has won.
  const who = title === t("You have lost") && table.names.length > 2 ? `${theirs}: ` : "";
  return { title, detail: who + (who ? why : `${why[0]?.toUpperCase() ?? ""}${why.slice(1)}`) };
}

/** The words about an absent player: how long the seat is reserved, which does not depend on the time for a move. */
export function awayWords(table, seat) {
  if (table.over) return "";
  if (table.left.has(seat)) return t("has left");
  if (!table.away.has(seat)) return "";
  const left = table.kept.has(seat) && known() ? table.kept.get(seat) - performance.now() : 0;
  return left > 0 ? t("away: the seat is kept for {time}", { time: clockText(left) }) : t("away");
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
    Object.assign(this, { table, turns: options.turns, doing: told(game.doing?.(view) ?? null) });
    if (game.bare) return;
    const own = options.seat;
    const colours = typeof game.colours === "function" ? game.colours(view) : game.colours;
    const sides = game.sides?.(view) ?? [];
    const seat = (number) => ({ number, colour: colours?.[number] ?? "", side: sides[number] ?? "" });
    const others = table.names.map((_, number) => number).filter((number) => number !== own);
    const update = (bar, { number, colour, side }) => {
      say(bar.parts.side, side);
      this.update(bar, number, colour, table);
    };
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
    say(turn, winner ? t("winner") : !active ? "" : this.doing ?? (number === table.seat ? t("your move") : t("to move")));
  }

  /** Clocks run here by themselves between the host's words. */
  tick() {
    const { table } = this;
    for (const bar of table ? [...this.above.children, ...this.below.children] : []) say(bar.parts.away, awayWords(table, Number(bar.dataset.key)));
    if (!table?.clocks) return;
    // While the host is not there, nobody knows how its clocks go on.
    if (!known()) return;
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
    side: h("span", { class: "unseen" }),
    wire: h("span", { class: "chip" }),
    away: h("span", { class: "away small" }),
    turn: h("span", { class: "whose small" }),
    clock: h("span", { class: "clock" }),
  };
  const bar = h("div", { class: "seat" }, Object.values(parts));
  bar.parts = parts;
  return bar;
}
