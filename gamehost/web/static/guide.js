// The guided first game: at each step one line says what can be done now.
//
// It knows no rules. What can be pressed comes from the host's list of moves, by way of the board. Of the presses that lead
// somewhere one is named as an example, so that a match can be played to its end by doing what the line says.

import { h, link, say } from "./dom.js";
import { endWords } from "./seats.js";

const KEPT = "guide";

/** Whether the guide is wanted in this browser. */
export const guided = () => localStorage.getItem(KEPT) === "on";
export const want = (on) => (on ? localStorage.setItem(KEPT, "on") : localStorage.removeItem(KEPT));

/** Some number that is the same for the same position. */
const spread = (n) => (n * 7919 + 13) % 104_729;

/**
 * A cell of `spec` for an example, or `null`. A press on it acts, or begins what was not begun in this position (`seen`).
 * What the game's module has marked as `advised` comes first.
 */
export function example(game, view, options, spec, n, seen) {
  const pressed = spec.cells.filter((cell) => cell.can || cell.advised).map((cell) => ({ cell, to: game.press(view, options, cell.id) })).filter(({ to }) => to);
  const acts = pressed.filter(({ to }) => to.act !== undefined);
  const begins = pressed.filter(({ to }) => to.act === undefined && to.choice && !seen.has(JSON.stringify(to.choice)));
  const best = (list) => {
    const advised = list.filter(({ cell }) => cell.advised);
    const from = advised.length ? advised : list;
    return from.length ? from[spread(n) % from.length] : null;
  };
  return best(acts) ?? best(begins) ?? best(pressed);
}

export class Guide {
  /** `hint(id)` marks a cell of the board. */
  constructor(hint) {
    this.hint = hint;
    this.words = h("p", { role: "status" });
    this.hide = h("button", { type: "button", onclick: () => this.turn(false) }, "Hide");
    this.rules = h("span", {});
    this.element = h("div", { class: "guide sheet", hidden: true }, this.words, h("div", { class: "row" }, this.rules, this.hide));
    this.seen = new Set();
    this.n = -1;
  }

  turn(on) {
    want(on);
    this.again?.();
  }

  /** `again()` draws the page again. */
  show(table, game, view, options, spec, again) {
    this.again = again;
    const wanted = guided() && table.seat !== null;
    this.element.hidden = !wanted;
    if (!wanted) return this.hint(null);
    if (!this.rules.firstChild) this.rules.append(link(`/rules/${table.game}`, { class: "button", target: "_blank" }, "The rules"));
    if (this.n !== table.n) {
      this.n = table.n;
      this.seen.clear();
    }
    if (options.choice) this.seen.add(JSON.stringify(options.choice));
    const found = options.can && !table.over ? example(game, view, options, spec, table.n, this.seen) : null;
    say(this.words, this.line(table, game, view, options, found?.cell));
    this.hint(found?.cell.id ?? null);
  }

  line(table, game, view, options, cell) {
    if (table.over) return `${endWords(table).title}. That was a whole match: play again, or against a person.`;
    if (options.turns.length && !options.turns.includes(table.seat)) return `Wait: ${options.turns.map((seat) => table.names[seat]).join(" and ")} to move.`;
    if (!cell) return options.turns.includes(table.seat) ? "The host says in a moment what you can do ..." : "Wait for the host ...";
    return `${game.advice?.(view, options) ?? "Press what is outlined: that is what you can do now."} For example, press “${cell.label}”.`;
  }
}
