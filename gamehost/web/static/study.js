// The study of a finished match: a curve below the board shows the player ahead, and the turning points. Loaded at first use.
//
// The host has a house player walk through the match. What comes is percent of a victory by seat, after some entries.

import { h, put, say, svg } from "./dom.js";
import { look, send } from "./socket.js";
import { listen, state } from "./store.js";
import { t } from "./words.js";

/** The size of the curve in its own units. */
const [WIDTH, HEIGHT] = [600, 160];
/** How the lines of more than two players differ. */
const DASHES = ["", "8 4", "2 4", "12 4 2 4"];

export class Study {
  /** `page` is the page of the match: its number, its positions and its players. */
  constructor(page) {
    this.page = page;
    this.status = h("p", { class: "soft small", "data-said": true }, t("A house player looks at each move. This takes some seconds."));
    this.curve = h("div", { class: "curve" });
    this.turns = h("ol", { class: "turns small" });
    this.element = h("section", { class: "study sheet", "aria-label": t("Where it turned") }, this.status, this.curve, this.turns);
    this.refused = state.sorry.count;
    this.stop = listen(() => this.told());
    // A connection needs something to show; the lobby is the least.
    look({ lobby: true });
    this.told();
  }

  close() {
    this.stop();
    this.stop = () => {};
    look({});
  }

  told() {
    const { number, code } = this.page;
    if (state.study?.table === number) {
      this.close();
      this.show(state.study);
    } else if (this.asked && state.sorry.count !== this.refused) {
      this.close();
      say(this.status, t("It cannot be studied: {why}.", { why: state.sorry.why }));
      this.page.noStudy();
    } else if (this.asked !== state.opened && state.link === "open" && !state.entering) {
      this.refused = state.sorry.count;
      if (send({ do: "study", table: number, code })) this.asked = state.opened;
    }
  }

  show({ standings, turns }) {
    const { names } = this.page.match;
    const [first, last] = [standings[0].n, standings.at(-1).n];
    const x = (n) => ((Math.max(0, n - first) / (last - first)) * WIDTH).toFixed(1);
    const y = (share) => (4 + (1 - share / 100) * (HEIGHT - 8)).toFixed(1);
    const line = (seat) => standings.map(({ n, shares }) => `${x(n)},${y(shares[seat])}`).join(" ");
    const two = names.length === 2;
    const seats = two ? [0] : names.map((_, seat) => seat);
    this.x = x;
    this.now = svg(["line", { y1: 0, y2: HEIGHT, stroke: "var(--ink)", "stroke-width": 1.5 }]);
    const drawing = svg(["svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": this.words(standings), width: "100%" },
      ["rect", { width: WIDTH, height: HEIGHT, fill: "var(--sunk)" }],
      two ? ["polygon", { points: `0,${HEIGHT} ${line(0)} ${WIDTH},${HEIGHT}`, fill: "var(--go-soft)" }] : null,
      ["line", { x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke: "var(--soft)", "stroke-dasharray": "2 4" }],
      ...seats.map((seat) => ["polyline", { points: line(seat), fill: "none", stroke: "var(--go)", "stroke-width": 2.5, "stroke-dasharray": DASHES[seat] }]),
      ...turns.map(({ n, seat }) => ["circle", { cx: x(n), cy: y(standings.find((one) => one.n >= n).shares[two ? 0 : seat]), r: 7, fill: "var(--take)", stroke: "var(--sheet)", "stroke-width": 2 }])]);
    drawing.append(this.now);
    put(this.curve, drawing);
    const how = two ? t("The higher the line, the better for {one}; the lower, the better for {other}.", { one: names[0], other: names[1] }) : t("Lines: {lines}.", { lines: names.map((name, seat) => `${name} ${[t("whole"), t("long dashes"), t("dots"), t("dashes and dots")][seat]}`).join(", ") });
    say(this.status, `${how} ${turns.length ? t("The dots are where it turned:") : t("Nobody gave much away in a single move.")}`);
    put(this.turns, turns.map((turn) => this.turn(turn, names)));
    this.at(this.page.stops[this.page.at].n);
  }

  turn({ n, seat, action, better, lost }, names) {
    const { page } = this;
    const place = page.moveOf(n);
    return h("li", {},
      h("button", { type: "button", onclick: () => page.user(place) }, t("Move {n}", { n: place })),
      h("span", {}, ` ${t("{name} gave away {lost} % of a victory with", { name: names[seat], lost })} `, h("b", {}, action), `. ${t("Better:")} `, h("b", {}, better), "."));
  }

  /** The curve in words. */
  words(standings) {
    const { names } = this.page.match;
    const part = (share) => standings[Math.floor((standings.length - 1) * share)].shares;
    const told = [0, 0.25, 0.5, 0.75].map((share) => names.map((name, seat) => `${name} ${part(share)[seat]} %`).join(", "));
    return t("Who was ahead, at the beginning and after each quarter: {shares}", { shares: told.join("; ") });
  }

  /** Mark the position after an entry. */
  at(n) {
    if (!this.now) return;
    this.now.setAttribute("x1", this.x(n));
    this.now.setAttribute("x2", this.x(n));
  }
}
