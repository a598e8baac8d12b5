// Absent players: how long seats are reserved (yours too, while the connection is lost), and what can be claimed then.

import { TOLD } from "./countdown.js";
import { announce, h, put, say } from "./dom.js";
import { levelsOf } from "./games.js";
import { clockText } from "./seats.js";
import { send } from "./socket.js";
import { known, state } from "./store.js";
import { listed, t } from "./words.js";

const TICK = 250;

/**
 * The words about a lost connection. `left`: how many more milliseconds the seat is reserved. `move`: the milliseconds left
 * for the own move, if its clock ends the match before that.
 */
export function lostWords(table, left, move = Infinity) {
  // The match sleeps if no other person is at the table.
  const others = table.names.some((_, seat) => seat !== table.seat && !table.away.has(seat) && !table.left.has(seat) && table.wires[seat] !== "house");
  if (!others) return t("The connection is lost. The match waits for you.");
  if (move <= 0 && move < left) return t("The connection is lost, and your time is over.");
  if (move < left) return t("The connection is lost, and your time goes on: you lose in {time}.", { time: clockText(move) });
  if (left > 0) return t("The connection is lost. Your seat is kept for {time}.", { time: clockText(left) });
  return t("The connection is lost, and your seat is not kept any more: the others can end the match now.");
}

/** The names of the players who have not come back, and when the match ends if you wait. */
export function claimWords(table, now) {
  if (!table.claims.size) return "";
  const names = listed([...table.claims.keys()].map((seat) => table.names[seat]));
  const left = Math.min(...[...table.claims.values()].map((claim) => claim.ends)) - now;
  const n = table.claims.size;
  return t("{names} has not come back in time. You decide, or wait: the match ends in {time}, or before that with the time of the absent player.|{names} have not come back in time. You decide, or wait: the match ends in {time}, or before that with the time of the absent player.", { n, names, time: clockText(left) });
}

/** The milliseconds left for your own move, until you move. */
export function ownTime(table, turns) {
  return table.due && turns.includes(table.seat) ? table.due[0] - (performance.now() - table.dueAt) : Infinity;
}

export class Absence {
  constructor(number) {
    this.number = number;
    this.element = h("div", { class: "offer absence", hidden: true });
    this.words = h("p", {});
    this.timer = setInterval(() => this.tick(), TICK);
  }

  close() {
    clearInterval(this.timer);
  }

  /** Show the claims, if they have changed. `turns`: the seats that may act. */
  show(table, turns) {
    Object.assign(this, { table, turns });
    const claims = table.over || table.suspended || !known() ? [] : [...table.claims];
    const key = JSON.stringify([known(), table.over !== null, claims]);
    if (key !== this.key) {
      this.key = key;
      this.told = TOLD.length;
      const many = table.names.length > 2;
      const ways = new Set(claims.flatMap(([, claim]) => claim.as));
      const button = (words, what, kind, more = {}) =>
        h("button", { type: "button", class: kind, "data-claim": what, onclick: () => send({ do: "claim", table: this.number, as: what, id: 0, ...more }) }, words);
      put(this.element, this.words,
        claims.length > 0 && h("div", { class: "row" }, ways.has("win") && button(many ? t("End the match") : t("Claim the win"), "win", "go"), ways.has("draw") && button(t("Call it a draw"), "draw", "")),
        ways.has("house") && h("div", { class: "row" }, h("span", { class: "small soft" }, t("Or play on against the host:")), levelsOf(table.game).map((level) => button(t(level), "house", "", { level }))));
    }
    this.tick();
    if (claims.length && this.key !== this.announced) announce(this.words.textContent);
    this.announced = this.key;
  }

  tick() {
    const { table } = this;
    const plays = table && !table.over && !table.suspended && table.seat !== null;
    const lost = plays && state.link !== "open" && state.lostAt ? state.lostAt + table.grace - Date.now() : null;
    const words = lost !== null ? lostWords(table, lost, ownTime(table, this.turns)) : plays ? claimWords(table, performance.now()) : "";
    this.element.hidden = !words;
    say(this.words, words);
    if (lost !== null) this.warn(lost, words);
  }

  warn(left, words) {
    const passed = TOLD.findLastIndex((one) => left <= one * 1000);
    if (left <= 0 || passed < 0 || passed === this.told) return;
    this.told = passed;
    announce(words);
  }
}
