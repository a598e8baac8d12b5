// What players of a match say to each other: a fixed set, which the host gives to the page.

import { h, put } from "./dom.js";
import { levelOf } from "./games.js";
import { send } from "./socket.js";
import { t, told } from "./words.js";

/** `{phrases, wires}`: the words by key, and the wires on which players receive them. */
const known = JSON.parse(document.querySelector("meta[name=phrases]").content);

/** Whether a player on this wire receives the phrases and offers of others. */
export const talks = (wire) => known.wires.includes(wire);

/** What was said last, and a menu to say something. */
export class Phrases {
  constructor() {
    this.last = h("span", { class: "small", "data-said": true });
    const options = Object.entries(known.phrases).map(([value, words]) => h("option", { value }, told(words)));
    this.menu = h("select", { "aria-label": t("Say something"), onchange: () => this.choose() }, h("option", { value: "" }, t("Say ...")), options);
    this.element = h("div", { class: "row said" }, this.menu, this.last);
    this.count = 0;
  }

  choose() {
    if (this.menu.value) send({ do: "say", phrase: this.menu.value });
    this.menu.value = "";
  }

  /** House players are on a wire that talks, and read nothing. */
  show({ seat, names, wires, said }) {
    this.element.hidden = seat === null || !wires.some((wire, one) => one !== seat && talks(wire) && !levelOf(names[one]));
    if (!said || said.count === this.count) return;
    this.count = said.count;
    put(this.last, h("b", {}, names[said.seat]), `: ${told(said.words)}`);
  }
}
