// How to come to these tables from a terminal, or with a program. Loaded when somebody wants to know.

import { h } from "./dom.js";
import { t } from "./words.js";

/** Paragraphs with the commands. */
export function programs() {
  const { console: byHand, open: byProgram } = JSON.parse(document.querySelector("meta[name=ways]").content);
  const run = (words, more = "") => h("pre", { tabindex: "0" }, words.replace("HOST", location.hostname) + more);
  return [
    h("p", {}, t("The players at these tables come in many ways, and all of them meet here.")),
    byHand && h("p", {}, t("In a terminal, the console draws the board and explains itself:")),
    byHand && run(byHand),
    byProgram && h("p", {}, t("A program speaks the open wire, one JSON object a line:")),
    byProgram && run(byProgram, '\n{"do":"enter","name":"ann"}\n{"do":"seek","game":"onitama"}'),
    h("p", { class: "soft" }, h("a", { href: "/api/schema.json" }, t("All messages as JSON Schema"))),
  ];
}
