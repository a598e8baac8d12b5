// Elements of HTML and SVG, made from data. Names of players reach the page as text only: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else set(node, name, value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

/**
 * An element of HTML.
 *
 * `attributes`: `true` is an attribute without a value; `false`, `null` and `undefined` leave it out; `onclick` and the like
 * are listeners. `children` are nodes and texts.
 */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG from its description: `["g", {class: "piece"}, ["circle", {r: 4}], "text"]`. */
export function svg([tag, attributes, ...children]) {
  return fill(
    document.createElementNS(SVG, tag),
    attributes,
    children.filter(Boolean).map((child) => (Array.isArray(child) ? svg(child) : String(child))),
  );
}

/** Set an attribute, or remove it. A value that is there already is left alone, so that readers are not disturbed. */
export function set(node, name, value) {
  if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else {
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

/** Set the text of an element, if it is another one. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Show a list. Elements of items that stay are kept, and with them the focus.
 *
 * `key(item)` names an item; `make(item)` gives its element; `update(element, item)` is called for each element.
 */
export function list(place, items, key, make, update = () => {}) {
  const old = new Map([...place.children].map((child) => [child.dataset.key, child]));
  let before = place.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let element = old.get(name);
    if (element === undefined) {
      element = make(item);
      element.dataset.key = name;
    } else old.delete(name);
    if (element === before) before = before.nextElementSibling;
    else place.insertBefore(element, before);
    update(element, item);
  }
  for (const element of old.values()) element.remove();
}

/** A link inside the site. `app.js` opens it without loading the page again. */
export function link(address, attributes, ...children) {
  return h("a", { href: address, ...attributes }, ...children);
}

/** A dialog that is gone when it is closed. The focus goes back to where it was. */
export function newDialog(title) {
  const dialog = h("dialog", { "aria-labelledby": title });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  return dialog;
}

/** So many sentences stay in the live region, so that nothing is replaced before it is read. */
const SAID = 6;

/** Say something in the page's only polite live region, for those who do not see the board. What stands there is not said again. */
export function announce(text) {
  const region = document.getElementById("said");
  if (!region || !text) return;
  region.append(h("p", {}, text));
  while (region.childElementCount > SAID) region.firstChild.remove();
}

/** Replace everything in an element. */
export function put(place, ...children) {
  place.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

/** Seconds for which a notice is shown. */
const NOTICE = 6;
let silence = 0;

/** Show a sentence at the foot of the window for some seconds. */
export function notice(text) {
  const place = document.getElementById("notice");
  say(place, text);
  clearTimeout(silence);
  silence = setTimeout(() => say(place, ""), NOTICE * 1000);
}
