// The list of moves beside a board. A press on a move shows the position after it.

import { h, put } from "./dom.js";

export class MoveList {
  /** `step(back)` is called with `{index, event}` of an entry of the table's log, or with `null` for the present. */
  constructor(step) {
    this.step = step;
    this.rows = h("ol", { class: "rows" });
    this.scroll = h("div", { class: "moves", tabindex: "0", role: "region", "aria-label": "Moves" }, this.rows);
    this.now = h("button", { type: "button", class: "go", onclick: () => step(null) }, "Back to the match");
    this.bar = h("div", { class: "row back", hidden: true }, this.now);
    this.element = h("div", { class: "moves-list" }, this.scroll, this.bar);
    this.log = null;
    this.entries = [];
    this.read = 0;
    this.scroll.addEventListener("keydown", (event) => this.key(event));
  }

  show(table, game, back) {
    if (this.log !== table.log) {
      Object.assign(this, { log: table.log, entries: [], read: 0 });
      put(this.rows);
    }
    const before = this.entries.length;
    for (; this.read < table.log.length; this.read += 1) {
      const { event } = table.log[this.read];
      const move = game.move(event);
      if (move) this.add({ index: this.read, event, ...move }, table, game);
    }
    const present = this.entries.findIndex((entry) => entry.index === back?.index);
    const current = back ? present : this.entries.length - 1;
    this.entries.forEach((entry, number) => {
      if (number === current) entry.button.setAttribute("aria-current", "true");
      else entry.button.removeAttribute("aria-current");
      entry.button.disabled = !table.complete;
    });
    this.bar.hidden = !back;
    this.back = present;
    if (this.entries.length !== before && !back) this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  /** Where two players move in turns, a row has two moves. Otherwise it has one, with the player's name. */
  add(entry, table, game) {
    const two = table.names.length === 2 && !game.bare;
    const number = this.entries.length;
    entry.button = h("button", { type: "button", onclick: () => this.step(this.atEnd(entry) ? null : entry) }, entry.text);
    this.entries.push(entry);
    if (two && number % 2) this.rows.lastElementChild.append(entry.button);
    else {
      const head = two ? `${number / 2 + 1}` : table.names[entry.seat] ?? "";
      this.rows.append(h("li", { class: two ? "" : "one" }, h("span", { class: "soft" }, head), entry.button));
    }
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
