// What players of a match say to each other: a fixed set. The host knows the same keys.

import { h, put } from "./dom.js";
import { levelOf } from "./games.js";
import { send } from "./socket.js";

const PHRASES = {
  hello: "Hello!", "good-luck": "Good luck!", "one-moment": "One moment, please.", "nice-move": "Nice move!", oops: "Oops.",
  "well-played": "Well played!", thanks: "Thank you for the match.",
};
/** The wires whose players can be told. House players, who are on one of them, read nothing. */
const TALKING = ["open", "console"];

/** What was said last, and a menu to say something. */
export class Phrases {
  constructor() {
    this.last = h("span", { class: "small", role: "status" });
    const options = Object.entries(PHRASES).map(([value, words]) => h("option", { value }, words));
    this.menu = h("select", { "aria-label": "Say something", onchange: () => this.choose() }, h("option", { value: "" }, "Say ..."), options);
    this.element = h("div", { class: "row said" }, this.menu, this.last);
    this.count = 0;
  }

  choose() {
    if (this.menu.value) send({ do: "say", phrase: this.menu.value });
    this.menu.value = "";
  }

  show({ seat, names, wires, said }) {
    this.element.hidden = seat === null || !wires.some((wire, one) => one !== seat && TALKING.includes(wire) && !levelOf(names[one]));
    if (!said || said.count === this.count) return;
    this.count = said.count;
    put(this.last, h("b", {}, names[said.seat]), `: ${said.words}`);
  }
}
