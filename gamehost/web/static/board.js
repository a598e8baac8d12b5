// A board: one picture in SVG, and over it a layer of real buttons, which bring focus, names, keys and touch.
//
// plain.js says what the module of a game has, and what a board is made of.

import { h, set, svg } from "./dom.js";

/** How far a pointer moves, in pixels, until it is a drag. */
const DRAG = 6;
/** If so many pieces move at once, their order is left as it is. */
const RAISED = 4;
/** What a cell that lies as much aside as ahead counts farther away: more than any board is wide. */
const ASIDE = 10_000;

/** One board on a page. `press(id)` is called when a cell is pressed; without it the board is only looked at. */
export class Board {
  constructor(press) {
    this.press = press;
    this.layers = ["ground", "marks", "pieces", "over"].map((name) => svg(["g", { class: name }]));
    this.picture = svg(["svg", { "aria-hidden": "true", focusable: "false" }]);
    this.picture.append(...this.layers);
    this.cells = h("div", { class: "cells" });
    this.element = h("div", { class: "board" }, this.picture, this.cells);
    this.pieces = [];
    this.buttons = new Map();
    this.spec = null;
    this.dragged = null;
    if (press) this.listen();
  }

  /** Draw what a game's `draw` gave. `can`: whether the player may act; it stands in `data-can`. */
  show(spec, can = false) {
    const before = this.spec;
    const resized = !before || before.width !== spec.width || before.height !== spec.height;
    this.spec = spec;
    if (resized) {
      set(this.picture, "viewBox", `0 0 ${spec.width} ${spec.height}`);
      this.element.style.setProperty("--ratio", spec.width / spec.height);
    }
    const [ground, marks, , over] = this.layers;
    if (before?.key !== spec.key) ground.replaceChildren(...spec.ground.map(svg));
    redraw(marks, before?.marks, spec.marks);
    redraw(over, before?.over, spec.over);
    // In another layout, or seen from the other side, everything is elsewhere, but nothing has moved.
    const still = resized || before.key !== spec.key;
    this.layers[2].classList.toggle("still", still);
    this.movePieces(spec.pieces ?? []);
    if (still) this.picture.getBoundingClientRect();
    this.layers[2].classList.remove("still");
    this.showCells(spec.cells ?? []);
    set(this.element, "aria-label", spec.label);
    if (spec.focus && before?.focus !== spec.focus && this.cells.contains(document.activeElement)) this.focus(spec.focus);
    set(this.element, "role", this.press ? "group" : "img");
    if (this.press) set(this.element, "data-can", can ? "yes" : "no");
  }

  /** Pieces that stay keep their element; of the others, the nearest two of a kind are the same piece. */
  movePieces(pieces) {
    const rest = new Set(this.pieces);
    const place = new Map(this.pieces.map((old) => [`${old.kind} ${old.x} ${old.y}`, old]));
    const fresh = [];
    const now = [];
    for (const piece of pieces) {
      const same = place.get(`${piece.kind} ${piece.x} ${piece.y}`);
      if (same && rest.delete(same)) now.push({ ...piece, node: same.node });
      else fresh.push(piece);
    }
    for (const piece of fresh) {
      const old = nearest(piece, rest);
      if (old) rest.delete(old);
      const node = old?.node ?? svg(["g", { class: "piece" }, ...piece.shape]);
      if (!old || fresh.length <= RAISED) {
        this.layers[2].append(node); // A piece that moves passes over the others.
        if (old) node.getBoundingClientRect(); // Without this, an element that was put in anew would not glide.
      }
      node.style.transform = `translate(${piece.x}px, ${piece.y}px)`;
      now.push({ ...piece, node });
    }
    for (const old of rest) old.node.remove();
    this.pieces = now;
  }

  showCells(cells) {
    const { width, height } = this.spec;
    const gone = new Map(this.buttons);
    const held = this.cells.contains(document.activeElement) && document.activeElement;
    let place = null;
    for (const cell of cells) {
      let button = this.buttons.get(cell.id);
      if (!button) {
        button = h("button", { type: "button", class: "cell", "data-cell": cell.id, tabindex: "-1" });
        this.buttons.set(cell.id, button);
      }
      gone.delete(cell.id);
      if ((place ? place.nextSibling : this.cells.firstChild) !== button) {
        this.cells.insertBefore(button, place ? place.nextSibling : this.cells.firstChild);
      }
      place = button;
      if (button.dataset.box !== `${cell.x} ${cell.y} ${cell.w} ${cell.h} ${width} ${height}`) {
        button.dataset.box = `${cell.x} ${cell.y} ${cell.w} ${cell.h} ${width} ${height}`;
        button.style.left = `${(100 * cell.x) / width}%`;
        button.style.top = `${(100 * cell.y) / height}%`;
        button.style.width = `${(100 * cell.w) / width}%`;
        button.style.height = `${(100 * cell.h) / height}%`;
      }
      set(button, "aria-label", cell.label);
      set(button, "data-can", cell.can ? "yes" : null);
      set(button, "aria-pressed", cell.chosen ? "true" : null);
      set(button, "data-drag", cell.drag ? "yes" : null);
    }
    for (const [id, button] of gone) {
      button.remove();
      this.buttons.delete(id);
    }
    this.rove();
    // A button that was moved has lost the focus, too.
    if (held?.isConnected) held.focus({ preventScroll: true });
    else if (held) this.focus();
  }

  /** Exactly one button is reached by the Tab key: the one that had the focus last, or the first that can be used. */
  rove(button) {
    const all = [...this.buttons.values()];
    const kept = button ?? all.find((one) => one.tabIndex === 0);
    const one = kept ?? all.find((other) => other.dataset.can) ?? all[0];
    for (const other of all) other.tabIndex = other === one ? 0 : -1;
    return one;
  }

  /** Put the focus on a cell: the one named, or the one that Tab would reach. */
  focus(id) {
    (this.buttons.get(id) ?? this.rove())?.focus();
  }

  listen() {
    this.element.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (this.swallowed) this.swallowed = false;
      else this.press(button ? button.dataset.cell : "cancel");
    });
    this.cells.addEventListener("focusin", (event) => this.rove(event.target));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.cells.addEventListener("pointerdown", (event) => this.grab(event));
  }

  /** Mark one cell, for a guided game; `null`: none. */
  hint(id) {
    for (const [name, button] of this.buttons) button.classList.toggle("hinted", name === id);
  }

  key(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Escape") this.press("cancel");
    const way = ways[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = this.spec.cells.find((cell) => cell.id === event.target.dataset.cell);
    const to = from && neighbour(this.spec.cells, from, way);
    if (to) this.buttons.get(to.id).focus();
  }

  /** A pointer is pressed on a cell that can be dragged: its piece follows until the pointer is let go. */
  grab(event) {
    const button = event.target.closest("[data-drag]");
    // Where a finger scrolls the board, it drags nothing.
    if (!button || event.button !== 0 || getComputedStyle(button).touchAction !== "none") return;
    const id = button.dataset.cell;
    const piece = this.pieces.find((one) => one.at === id);
    const scale = this.spec.width / this.picture.getBoundingClientRect().width;
    let moved = false;
    const follow = (now) => {
      const [x, y] = [now.clientX - event.clientX, now.clientY - event.clientY];
      if (!moved && Math.hypot(x, y) < DRAG) return;
      if (!moved && button.getAttribute("aria-pressed") !== "true") this.press(id);
      moved = true;
      if (!piece) return;
      piece.node.classList.add("dragged");
      piece.node.style.transform = `translate(${piece.x + x * scale}px, ${piece.y + y * scale}px)`;
    };
    const end = (now) => {
      for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener);
      if (piece) {
        piece.node.classList.remove("dragged");
        piece.node.style.transform = `translate(${piece.x}px, ${piece.y}px)`;
      }
      if (!moved || now.type !== "pointerup") return;
      this.swallowed = true; // The click that follows a drag is none.
      setTimeout(() => (this.swallowed = false));
      const target = document.elementFromPoint(now.clientX, now.clientY)?.closest("button[data-cell]");
      if (target && this.cells.contains(target) && target !== button) this.press(target.dataset.cell);
    };
    const listeners = { pointermove: follow, pointerup: end, pointercancel: end };
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener);
  }
}

const drawn = (shape) => (Array.isArray(shape) ? svg(shape) : document.createTextNode(shape));
const shapesOf = (list) => (list ?? []).filter(Boolean);

/** Whether two descriptions are the same picture. */
function same(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => same(one[name], other[name]));
}

/** Change the children of an element from one list of descriptions to another. What is the same is left alone. */
function redraw(place, before, now) {
  const [old, fresh] = [shapesOf(before), shapesOf(now)];
  for (const [number, shape] of fresh.entries()) {
    const node = place.childNodes[number];
    const was = old[number];
    if (!node) place.append(drawn(shape));
    else if (Array.isArray(shape) && Array.isArray(was) && shape[0] === was[0] && same(shape[1], was[1])) redraw(node, was.slice(2), shape.slice(2));
    else if (!same(was, shape)) node.replaceWith(drawn(shape));
  }
  while (place.childNodes.length > fresh.length) place.lastChild.remove();
}

function nearest(piece, others) {
  let found = null;
  let least = Infinity;
  for (const other of others) {
    const distance = Math.hypot(other.x - piece.x, other.y - piece.y);
    if (other.kind === piece.kind && distance < least) [found, least] = [other, distance];
  }
  return found;
}

/**
 * The cell that an arrow key leads to: the nearest one in that direction. Cells that lie aside count as farther away, and those
 * that another key would lead to as the farthest.
 */
export function neighbour(cells, from, [right, down]) {
  let found = null;
  let least = Infinity;
  for (const cell of cells) {
    const x = cell.x + cell.w / 2 - from.x - from.w / 2;
    const y = cell.y + cell.h / 2 - from.y - from.h / 2;
    const along = x * right + y * down;
    const aside = Math.abs(x * down) + Math.abs(y * right);
    if (along <= 0.5 || aside > along * 3) continue;
    const far = along + 2 * aside + (aside < along ? 0 : ASIDE);
    if (far < least) [found, least] = [cell, far];
  }
  return found;
}
