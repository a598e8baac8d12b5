// The guided first game: at each step one line says what to press, and why.
//
// It knows no rules. What can be pressed comes from the host's list of moves, by way of the board. What is best comes from a
// stronger house player than the opponent, whom the host asks. Where there is none, one press that leads somewhere is named as
// an example, so that a match can be played to its end by doing what the line says.

import { h, link, say } from "./dom.js";
import { endWords } from "./seats.js";
import { send } from "./socket.js";
import { ADVICE, state } from "./store.js";
import { listed, t, told } from "./words.js";

const KEPT = "guide";
/** House players that have a stronger one. */
const WEAKER = /^(random|easy|medium)\./;
/** Presses that one action takes at most, and boards that are drawn to find them. */
const DEEPEST = 3;
const MOST_DRAWN = 200;
/** How many questions for advice this page has sent. */
let questions = 0;

/** Whether the guide is wanted in this browser. */
export const guided = () => localStorage.getItem(KEPT) === "on";
export const want = (on) => (on ? localStorage.setItem(KEPT, "on") : localStorage.removeItem(KEPT));

/** Some number that is the same for the same position. */
const spread = (n) => (n * 7919 + 13) % 104_729;

/** The cells on which a press does something, each with what it does. */
const pressable = (game, view, options, spec) =>
  spec.cells.filter((cell) => cell.can || cell.advised).map((cell) => ({ cell, to: game.press(view, options, cell.id) })).filter(({ to }) => to);

/**
 * A cell of `spec` for an example, or `null`. A press on it acts, or begins what was not begun in this position (`seen`).
 * What the game's module has marked as `advised` comes first.
 */
export function example(game, view, options, spec, n, seen) {
  const pressed = pressable(game, view, options, spec);
  const acts = pressed.filter(({ to }) => to.act !== undefined);
  const begins = pressed.filter(({ to }) => to.act === undefined && to.choice && !seen.has(JSON.stringify(to.choice)));
  const best = (list) => {
    const advised = list.filter(({ cell }) => cell.advised);
    const from = advised.length ? advised : list;
    return from.length ? from[spread(n) % from.length] : null;
  };
  return (best(acts) ?? best(begins) ?? best(pressed))?.cell ?? null;
}

/** The cell of `spec` on which a press takes these actions or leads to that, with the fewest presses; `null`: there is none. */
export function towards(game, view, options, spec, actions) {
  if (!game.begun) return withoutList(game, view, options, spec, actions);
  // The list holds what follows what is begun: nearer to the action is what is begun longer.
  const begun = (choice) => (choice && game.begun(choice)) || "";
  const leads = (text) => text === "" || `${actions[0]} `.startsWith(`${text} `);
  const now = begun(options.choice);
  const pressed = pressable(game, view, options, spec);
  const found = pressed.find(({ to }) => takes(to, actions))
    ?? pressed.find(({ to }) => begun(to.choice) && leads(begun(to.choice)) && (!leads(now) || begun(to.choice).length > now.length))
    ?? pressed.find(({ to }) => to.act === undefined && !leads(now) && begun(to.choice).length < now.length);
  return found?.cell ?? null;
}

const takes = ({ act }, actions) => act !== undefined && [act].flat().every((one, place) => one === actions[place]);

/** The same in a game whose module knows all that follows a press. */
function withoutList(game, view, options, spec, actions) {
  let drawn = 0;
  const within = (chosen, shown, presses) => pressable(game, view, chosen, shown).find(({ to }) => {
    if (presses === 1 || to.act !== undefined) return takes(to, actions);
    drawn += 1;
    if (!to.choice || drawn > MOST_DRAWN) return false;
    const next = { ...options, choice: to.choice };
    return within(next, game.draw(view, next), presses - 1);
  });
  for (let presses = 1; presses <= DEEPEST; presses += 1) {
    const found = within(options, spec, presses);
    if (found) return found.cell;
  }
  return null;
}

export class Guide {
  /** `hint(id)` marks a cell of the board. */
  constructor(hint) {
    this.hint = hint;
    this.words = h("p", { "data-said": true });
    this.hide = h("button", { type: "button", onclick: () => this.turn(false) }, t("Hide"));
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
    if (!this.rules.firstChild) this.rules.append(link(`/rules/${table.game}`, { class: "button", target: "_blank" }, t("The rules")));
    if (this.n !== table.n || this.opened !== state.opened) {
      Object.assign(this, { n: table.n, opened: state.opened, asked: 0 });
      this.seen.clear();
    }
    if (options.choice) this.seen.add(JSON.stringify(options.choice));
    const acts = options.can && !table.over;
    const advice = acts ? this.advice(table) : null;
    const best = advice?.advice ? towards(game, view, options, spec, advice.advice) : null;
    const cell = best ?? (acts && !advice?.waits ? example(game, view, options, spec, table.n, this.seen) : null);
    say(this.words, advice?.waits ? t("A stronger player looks for the best move ...") : this.line(table, game, view, options, cell, best && advice.because));
    this.hint(cell?.id ?? null);
  }

  /** What a stronger player would do, as `moves` with `advice` has it; `{waits}`: it is asked; `null`: nobody can be asked. */
  advice(table) {
    if (!table.names.every((name, seat) => seat === table.seat || (table.wires[seat] === "open" && WEAKER.test(name)))) return null;
    if (!this.asked) {
      questions += 1;
      this.asked = ADVICE + questions;
      if (!send({ do: "moves", table: table.number, advice: true, id: this.asked })) return null;
    }
    if (table.advice?.id === this.asked) return table.advice;
    return state.noAdvice === this.asked ? null : { waits: true };
  }

  line(table, game, view, options, cell, because) {
    if (table.over) return t("{end}. That was a whole match: play again, or against a person.", { end: endWords(table).title });
    if (options.turns.length && !options.turns.includes(table.seat)) return t("Wait: {names} to move.", { names: listed(options.turns.map((seat) => table.names[seat])) });
    if (!cell) return options.turns.includes(table.seat) ? t("The host says in a moment what you can do ...") : t("Wait for the host ...");
    if (because) return `${t("Press “{cell}”.", { cell: cell.label })} ${because}`;
    return `${told(game.advice?.(view, options)) ?? t("Press what is outlined: that is what you can do now.")} ${t("For example, press “{cell}”.", { cell: cell.label })}`;
  }
}
