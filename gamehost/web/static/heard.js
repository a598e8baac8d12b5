// For those who do not see the page, and for those without a mouse: what changes is said once, and the focus is never lost.
//
// An element with `data-said` has its words said in the page's one live region whenever they change. The focus goes to what has
// taken the place of a control that was drawn anew, or is gone; else to what is beside it.

import { announce } from "./dom.js";

/** What is read as a control, or too long to be said unasked. */
const UNSAID = "button, a, select, input, table, [hidden], [aria-hidden=true]";
const CONTROLS = "button, a[href], input, select, summary, [tabindex='0']";

/** The words of an element, without those of controls in it. */
function wordsOf(element) {
  if (element.matches(UNSAID)) return "";
  const parts = [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.data : node.nodeType === Node.ELEMENT_NODE ? wordsOf(node) : ""));
  return parts.join(element.matches("p, span") ? "" : " ").replaceAll(/\s+/g, " ").trim();
}

/** What such elements said last. What is drawn anew with the same words is not said again. */
let said = new Set();

function sayChanges() {
  const now = [...document.querySelectorAll("[data-said]")].map(wordsOf).filter(Boolean);
  for (const words of now) if (!said.has(words)) announce(words);
  said = new Set(now);
}

/** Where the focus was last, on the page and in a dialog: `{node, parents, name}`; `null` after a press beside all controls. */
const last = { page: null, dialog: null };

const nameOf = (node) => node.ariaLabel ?? node.textContent;
const isUsable = (node) => node.isConnected && !node.disabled && !node.closest("[hidden]");

function note({ target: node }) {
  const parents = [];
  for (let parent = node.parentElement; parent; parent = parent.parentElement) parents.push(parent);
  last[node.closest("dialog") ? "dialog" : "page"] = { node, parents, name: nameOf(node) };
}

function keepFocus() {
  const from = document.querySelector("dialog[open]") ? last.dialog : last.page;
  const active = document.activeElement;
  if (active && active !== document.body && isUsable(active)) return;
  // It was moved.
  if (from && isUsable(from.node)) return void from.node.focus({ preventScroll: true });
  const main = document.getElementById("main");
  for (const parent of from?.parents ?? []) {
    const found = [...parent.querySelectorAll(CONTROLS)].filter((one) => one.tabIndex >= 0 && isUsable(one) && one.checkVisibility());
    const near = parent.contains(main) || parent === main ? null : found.find((one) => one.matches(".go")) ?? found[0];
    const next = parent.isConnected ? found.find((one) => nameOf(one) === from.name) ?? near : null;
    if (next) return void next.focus({ preventScroll: true });
    if (parent === main) break;
  }
  main.focus({ preventScroll: true });
}

/** From now on. */
export function begin() {
  document.addEventListener("focusin", note);
  document.addEventListener("pointerdown", () => Object.assign(last, { page: null, dialog: null }));
  if (document.activeElement !== document.body) note({ target: document.activeElement });
  new MutationObserver((changes) => {
    sayChanges();
    const closed = changes.some(({ removedNodes }) => [...removedNodes].some((node) => node.nodeName === "DIALOG"));
    const active = document.activeElement;
    const lost = (last.page || last.dialog) && (!active || active === document.body || !isUsable(active));
    if (closed || lost) setTimeout(keepFocus);
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["hidden", "disabled"] });
  sayChanges();
}
