// The moves of a match, and the list of them beside a board. A press on a move shows the position after it.

import { h, put, say } from "./dom.js";
import { t } from "./words.js";

/** How many moves an event undoes. */
const undone = (event) => (event.kind === "taken-back" ? event.moves : 0);

/**
 * The position before the first move, and that after each move, so that the place in the list is the number of the move. Moves
 * that were taken back are left out. `n` is the entry of the record. An event that is no move, such as a set-up, belongs to the
 * move before it.
 *
 * `hidden` are the events that only some seats received, in the record of a finished match: `reveal` of a game shows them.
 */
export function stopsOf(game, events, hidden = [], where = {}) {
  const stops = [];
  const secrets = game.reveal ? [...hidden] : [];
  let view = null;
  for (const [index, { n, event }] of events.entries()) {
    while (view && secrets.length && secrets[0].n <= n) {
      const secret = secrets.shift();
      view = game.reveal(view, secret.event, secret.seats[0]);
    }
    const moved = game.move(event, view) !== null;
    view = game.at?.({ ...where, n }) ?? game.after(view, event, null);
    for (let left = undone(event); left > 0 && stops.length > 1; left -= 1) stops.pop();
    const before = stops.at(-1);
    if (!before || (moved && before.n !== n)) stops.push({ n, view, index, last: event, move: before ? { index, event } : null });
    else Object.assign(before, { view, index, last: event });
  }
  return stops;
}

/**
 * Add an entry of a table's log to the list of its moves. All that one entry of the record has changed is one move.
 *
 * `moves` are `{n, index, last, event, seat, text}`: the first and the last place in the log, and what the list shows. `view` is
 * the state before it. Returns the new or changed move, or `null`.
 */
export function addMove(moves, game, { n, event }, index, view) {
  const told = game.move(event, view);
  const known = moves.at(-1);
  if (known?.n === n) {
    known.last = index;
    if (!told?.text || known.text === told.text) return null;
    known.text = known.text && known.text !== known.otherwise ? `${known.text}, ${told.text}` : told.text;
    return known;
  }
  if (!told) return null;
  moves.push({ n, index, last: index, event, ...told, text: told.text || told.otherwise });
  return moves.at(-1);
}

/** The last move that was not taken back, as an entry of a log; undefined: there is none. */
export function lastMove(log, game) {
  let skip = 0;
  return log.findLast(({ event }) => {
    skip += undone(event);
    return game.move(event) && (skip -= 1) < 0;
  });
}

export class MoveList {
  /**
   * `step(back)` is called with `{index, last, event}` of a move: its first and its last place in the table's log; or with
   * `null` for the present.
   */
  constructor(step) {
    this.step = step;
    this.rows = h("ol", { class: "rows" });
    this.scroll = h("div", { class: "moves", tabindex: "0", role: "region", "aria-label": t("Moves") }, this.rows);
    this.now = h("button", { type: "button", class: "go", onclick: () => step(null) }, t("Back to the match"));
    this.bar = h("div", { class: "row back", hidden: true }, this.now);
    this.element = h("div", { class: "moves-list" }, this.scroll, this.bar);
    this.log = null;
    this.entries = [];
    this.read = 0;
    /** The public state of the match after the entries that were read. */
    this.view = null;
    this.scroll.addEventListener("keydown", (event) => this.key(event));
  }

  show(table, game, back) {
    if (this.log !== table.log) {
      Object.assign(this, { log: table.log, entries: [], read: 0, view: null });
      put(this.rows);
    }
    const before = this.entries.length;
    for (; this.read < table.log.length; this.read += 1) {
      const entry = table.log[this.read];
      for (let left = undone(entry.event); left > 0; left -= 1) this.remove();
      const count = this.entries.length;
      const found = addMove(this.entries, game, entry, this.read, this.view);
      if (this.entries.length > count) this.add(found, count, table, game);
      else if (found) say(found.button, found.text);
      if (table.complete) this.view = game.after(this.view, entry.event, null);
    }
    const present = this.entries.findIndex((entry) => entry.index === back?.index);
    const current = back ? present : this.entries.length - 1;
    this.entries.forEach((entry, number) => {
      if (number === current) entry.button.setAttribute("aria-current", "true");
      else entry.button.removeAttribute("aria-current");
      // One stop of the Tab key for all moves; the arrow keys lead to the others.
      entry.button.tabIndex = number === current ? 0 : -1;
      entry.button.disabled = !table.complete;
    });
    this.bar.hidden = !back;
    this.back = present;
    if (this.entries.length !== before && !back) this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  /**
   * Where two players move in turns, a row has two moves and the number of the first. Otherwise it has one, with its number and
   * the player's name.
   */
  add(entry, number, table, game) {
    const two = table.names.length === 2 && !game.bare;
    entry.button = h("button", { type: "button", onclick: () => this.step(this.atEnd(entry) ? null : entry) }, entry.text);
    if (two && number % 2) this.rows.lastElementChild.append(entry.button);
    else {
      const head = two ? `${number + 1}` : `${number + 1} ${table.names[entry.seat] ?? ""}`;
      this.rows.append(h("li", { class: two ? "" : "one" }, h("span", { class: "soft" }, head), entry.button));
    }
  }

  /** Remove the last move: it was taken back. */
  remove() {
    this.entries.pop()?.button.remove();
    if (!this.rows.lastElementChild?.querySelector("button")) this.rows.lastElementChild?.remove();
  }

  atEnd(entry) {
    return entry === this.entries.at(-1);
  }

  key(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || !this.entries.length || this.entries[0].button.disabled) return;
    event.preventDefault();
    const from = this.back >= 0 ? this.back : this.entries.length - 1;
    const entry = this.entries[Math.max(0, from + way)];
    if (entry) this.step(this.atEnd(entry) ? null : entry);
  }
}
