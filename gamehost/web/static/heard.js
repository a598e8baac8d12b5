// For people with a screen reader or without a mouse: each change is read out once, and the focus is never lost.
//
// When the words of an element with `data-said` change, the page's one live region gets them. If the control with the focus
// was drawn again or removed, the focus moves to the control in its place, or beside it.

import { announce } from "./dom.js";

/** Elements that are left out: a screen reader reads them as controls, or they are too long. */
const UNSAID = "button, a, select, input, table, [hidden], [aria-hidden=true]";
const CONTROLS = "button, a[href], input, select, summary, [tabindex='0']";

/** The words of an element, without those of controls in it. */
function wordsOf(element) {
  if (element.matches(UNSAID)) return "";
  const parts = [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.data : node.nodeType === Node.ELEMENT_NODE ? wordsOf(node) : ""));
  return parts.join(element.matches("p, span") ? "" : " ").replaceAll(/\s+/g, " ").trim();
}

/** The last words of such elements. If one is drawn again with the same words, they are not repeated. */
let said = new Set();

function sayChanges() {
  const now = [...document.querySelectorAll("[data-said]")].map(wordsOf).filter(Boolean);
  for (const words of now) if (!said.has(words)) announce(words);
  said = new Set(now);
}

/** The last focus, on the page and in a dialog: `{node, parents, name}`; `null` after a press outside of all controls. */
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
  // The control was moved.
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

/** Begin to read out changes, and to keep the focus. */
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
