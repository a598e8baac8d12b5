// How much time is left for a move, beside the board.

import { announce, h, say } from "./dom.js";
import { state } from "./store.js";
import { listed, t } from "./words.js";

/** A time is counted down, second by second, when less than this part of it is left. */
const SHORT = 1 / 5;
const TICK = 250;
/** A screen reader reads out the time left when it is so many seconds. */
export const TOLD = [60, 30, 10];

/** Less than so many seconds are always counted. */
const COUNTED = 600;

/** What is left of a time, rounded so that it never says more than there is: `59 min`, or `0:59` when it is short. */
export function leftWords(left, allowed) {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  if ((left < allowed * SHORT && left < 7_200_000) || seconds < COUNTED) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 5760) return t("{n} day|{n} days", { n: Math.floor(minutes / 1440) });
  return minutes >= 120 ? t("{n} h", { n: Math.floor(minutes / 60) }) : t("{n} min", { n: minutes });
}

/** The line with the time left for the present turn. */
export class Deadline {
  constructor() {
    this.element = h("p", { class: "deadline small", hidden: true });
    this.table = null;
    this.timer = setInterval(() => this.tick(), TICK);
  }

  close() {
    clearInterval(this.timer);
  }

  /** `turns`: the seats that may act; `known`: whether the connection is open. */
  show(table, turns, known) {
    if (table.due !== this.table?.due) this.told = TOLD.length;
    Object.assign(this, { table, turns, known });
    this.tick();
  }

  tick() {
    const { table, turns } = this;
    const due = table?.due && !table.over && !table.suspended && turns.length > 0 ? table.due : null;
    // A page that has not reached the host yet has nothing to say of it.
    this.element.hidden = !due || (!this.known && !state.lostAt);
    if (this.element.hidden) return;
    const [told, allowed] = due;
    const left = told - (performance.now() - table.dueAt);
    const short = left < allowed * SHORT;
    this.element.classList.toggle("short", short && this.known);
    if (!this.known) return void say(this.element, t("The host is not there: how much time is left is not known."));
    const mine = table.seat !== null && turns.includes(table.seat);
    const time = leftWords(left, allowed);
    const names = listed(turns.map((seat) => table.names[seat]));
    const words = mine ? t(short ? "You have {time} left, or you lose" : "You have {time} left", { time }) : t("{names} has {time} left|{names} have {time} left", { n: turns.length, names, time });
    say(this.element, words);
    if (mine && short) this.warn(left / 1000);
  }

  /** Say it in the live region, a few times at most. */
  warn(seconds) {
    const passed = TOLD.findLastIndex((one) => seconds <= one);
    if (passed < 0 || passed === this.told) return;
    this.told = passed;
    announce(t("{n} second left.|{n} seconds left.", { n: Math.ceil(seconds) }));
  }
}
