// The board of a game that brings none: the host's picture of the match, and below it the host's list of moves as buttons.
//
// A game's module is `board.js` in the game's folder. It has no state, does not touch the page, and knows no rules: what can be
// done, the host says (`moves` of the open wire). Its styles are in `board.css`:
//
//   export default {
//     name: "onitama", title: "Onitama", about: "Five cards, ten pieces",
//     sample,                        a view for the small board on the page of tables
//     async load(t) {}               optional: what must be there before the first `draw` that is not small, such as the cards.
//                                    `t(text, values)` gives a text in the language of the page, see words.js
//     after(view, event, seat)       the view after an event; `view` is null before the first one
//     turn(view)                     the seats that may act now: a list
//     draw(view, options)            the board as a spec, see below
//     press(view, options, id)       a cell was pressed: {choice} or {act, event} or null for nothing (see below)
//     move(event, before)            a line for the list of moves: {seat, text, otherwise}, or null if the event is no move. `before`
//                                    is the view before it, if it is known. The texts of one entry of the record stand in one line;
//                                    `otherwise`: what stands there if all of them are ""
//     words(event, names)            the same for the live region: a sentence, or null
//     status(view, options)          {title, detail} above the moves; what is left out, the page fills in
//     colours: ["ivory", "charcoal"] a CSS class for the mark beside each seat's name, or a function that gives them for a view
//     sides(view)                    optional: the same in words, by seat, for those who hear the page
//     doing(view)                    optional: what those do whose turn it is, such as "sets up"; null: they are to move
//     linger(event)                  optional: so many milliseconds after this event the board is drawn again, without `fresh`
//     reveal(view, event, seat)      optional: the view with what an event had told a seat alone, for finished matches
//     begun(choice)                  optional, where the host lists actions step by step, or what may follow one: the beginning that
//                                    was chosen, or the first action; "": none
//     advice(view, options)          optional: what to do now, for the guided game: a sentence, or nothing
//     legend()                       optional: resolves to `{legend}` for the page "How to play": a list of {words} with `written`,
//                                    or `drawn` and its `box`, both for `svg`
//     lessons: true                  optional: the game's folder has `board-lessons.json`, see lessons.js
//                                    `board-words-cs.json` and so on, beside it, translate whole sentences of the lessons, `help.rst`, `legend`,
//                                    `advice`, `status`, `seats`, `wishes`, ends of matches, and what goes to `t`: {"English": "Czech"}
//     lost(log)                      optional: the pieces that are gone, in words by seat
//     seats, wishes                  optional, for the dialog before a match: words by number of players, and settings, each
//                                    `{name, label, options: [[value, words], ...]}`
//     bare: true                     optional: the board shows the seats itself, and the page puts the status above it
//   }
//
//   options   {seat, mine, can, moves, choice, small, wide, last, names}
//             seat: who sits below. mine: the own seat, or null. can: the own turn, and the host can hear. moves: what can be
//             done then, as `moves` of the open wire lists it: {action, parts, more}. choice: what `press`
//             gave last; null at first, and after each act. small: a small board without cells. wide: there is room beside the
//             board. last: the last event, or null.
//             fresh: `last` came less than `linger` ago.
//             kept: at a table with an own seat, what this player keeps about the game and about this match, {game, table}: lists of
//             words. kept.keep("game", words) replaces one. All words of a list have 2000 letters, with the spaces between them.
//   spec      {width, height         of the picture, in its own units
//              label                 the name of the board for screen readers
//              key, ground           descriptions for `svg` in dom.js; drawn again only if `key` is another one
//              marks, pieces, over   below the pieces; pieces; above the pieces
//              cells                 the buttons; none if `small`
//              square                optional: the side of a square, if there are so many that fingers may need them larger
//              many                  optional: a text field chooses among the cells; `options.filter` is its text
//              focus}                the id of a cell that takes the focus, such as the first of a choice; usually left out
//   piece     {kind, x, y, shape, at}    `shape`: a list of descriptions, drawn around 0,0. A piece gone and one of its kind new are one that moves.
//                                        `at`: the id of the cell that drags it.
//   cell      {id, x, y, w, h, label, can, chosen, drag, advised}
//             label: what a screen reader says. can: a press here does something now. advised: the guided game begins here. chosen: it is picked up. drag: it can be
//             dragged to another cell: that is a press on both.
//   press     gives `choice`, any value, to be drawn with; or `act`, the action in the game's notation (or a list of actions, which
//             are sent together), with `event`, the event that it will become, if that is certain. The page shows it at once, and the host's word puts it right.
//             The id "cancel" is a press beside all cells, or Escape.
//
// An element of the picture (a rect, a circle or an ellipse) with the attribute `data-action` is a square: its value is an action
// in the game's notation, and a press on it is that action. Actions such as `h8` are a grid of buttons, all others a list.

import { titleOf } from "./games.js";
import { changed } from "./store.js";
import { t } from "./words.js";

const EMPTY = { svg: "", width: 592, height: 200 };
/** Sizes of a button: in wide windows, and for fingers. The text of a list, and how wide a character of it is. */
const SIZES = { wide: { height: 40, text: 17, character: 10 }, tall: { height: 70, text: 27, character: 16 } };
const GAP = 6;
const POINT = /^([a-z])([1-9]\d?)$/i;

/** Pictures by table and entry; `null`: on their way, or not to be had. So many are kept. */
const known = new Map();
const MOST = 60;
/** The latest picture of each table, so that nothing is empty while the next one is on its way. */
const latest = new Map();

function parsed(svg) {
  // Only sizes are read here. Styles inside a document would need a rule of the page's policy, and an image does not.
  const bare = svg.replace(/<style[^]*?<\/style>|\sstyle="[^"]*"/g, "");
  const root = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  const { width, height } = root.viewBox.baseVal;
  const squares = [...root.querySelectorAll("[data-action]")].map((element) => ({ id: element.dataset.action, ...boxOf(element) }));
  return { svg, width, height, squares };
}

/** Where an element of a picture is. The picture is on no page, so that its style is no page's. */
function boxOf(element) {
  const of = (name) => element[name]?.baseVal.value ?? 0;
  const [rx, ry] = [of("rx"), of("ry")];
  const round = { circle: [of("r"), of("r")], ellipse: [rx, ry] }[element.tagName];
  let corners = round
    ? [[of("cx") - round[0], of("cy") - round[1]], [of("cx") + round[0], of("cy") + round[1]]]
    : [[of("x"), of("y")], [of("x") + of("width"), of("y") + of("height")]];
  for (let one = element; one?.transform; one = one.parentElement) {
    const matrix = one.transform.baseVal.consolidate()?.matrix;
    if (matrix) corners = corners.map(([x, y]) => [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f]);
  }
  const [[left, top], [right, bottom]] = corners;
  return { x: Math.min(left, right), y: Math.min(top, bottom), w: Math.abs(right - left), h: Math.abs(bottom - top) };
}

/** A picture that the host has sent to a player. */
function own({ number }, svg) {
  if (latest.get(number)?.svg !== svg) latest.set(number, parsed(svg));
  return latest.get(number);
}

/** The picture after an entry, as everybody may know it. It is asked for once. */
function pictureAt({ number, n, code }) {
  const key = `${number} ${n}`;
  if (!known.has(key)) {
    known.set(key, null);
    if (known.size > MOST) known.delete(known.keys().next().value);
    const address = `/api/tables/${number}/picture?until=${n}${code ? `&code=${encodeURIComponent(code)}` : ""}`;
    fetch(address).then((answer) => (answer.ok ? answer.text() : Promise.reject())).then((svg) => {
      known.set(key, parsed(svg));
      changed();
    }).catch(() => {});
  }
  if (known.get(key)) latest.set(number, known.get(key));
  return known.get(key) ?? latest.get(number) ?? EMPTY;
}

// -- the moves

const SHOWN = 400;
/** From so many in a list on, a text beside it chooses among them. */
const MANY = 30;
/** By table: what was listed last, and the size of its grid. It stays, so that nothing jumps while others move. */
const listed = new Map();

function shownOf({ number }, { can, moves }) {
  const before = listed.get(number) ?? { actions: [], columns: 5, rows: 5 };
  if (!can) return before;
  const points = moves.map(({ action }) => POINT.exec(action));
  const grid = points.length > 0 && points.every(Boolean);
  const shown = {
    actions: moves.map(({ action }) => action), grid, first: grid && /[A-Z]/.test(points[0][1]) ? "A" : "a",
    columns: Math.max(before.columns, ...(grid ? points.map((point) => columnOf(point[1]) + 1) : [])),
    rows: Math.max(before.rows, ...(grid ? points.map((point) => Number(point[2])) : [])),
  };
  listed.set(number, shown);
  return shown;
}

const columnOf = (letter) => letter.toLowerCase().charCodeAt(0) - 97;

/** The buttons below the picture, from `top` on: `{id, words, x, y, w, h}`. */
function buttonsOf({ actions, grid, first, columns: wide, rows }, begun, width, top, { height, text, character }) {
  if (grid) return gridOf(first, wide, rows, width, top);
  const extra = begun ? [{ id: "cancel", words: t("Back") }] : [];
  const shown = [...extra, ...actions.slice(0, SHOWN).map((action) => ({ id: action, words: short(action, begun) }))];
  const longest = Math.max(4, ...shown.map(({ words }) => words.length)) * character + 24;
  const columns = Math.max(1, Math.floor((width + GAP) / (Math.min(longest, width) + GAP)));
  const w = (width + GAP) / columns - GAP;
  return shown.map((one, place) => ({
    ...one, x: (place % columns) * (w + GAP), y: top + Math.floor(place / columns) * (height + GAP), w, h: height, text,
  }));
}

/** What an action adds to its beginning. */
const short = (action, begun) => (begun && action.startsWith(`${begun} `) ? action.slice(begun.length + 1) : action);

/** A button for each point of a board, the first row at the bottom. */
function gridOf(first, columns, rows, width, top) {
  const size = Math.min(width / columns, 64);
  const left = (width - columns * size) / 2;
  return Array.from({ length: columns * rows }, (_, place) => {
    const [column, row] = [place % columns, Math.floor(place / columns)];
    const id = `${String.fromCharCode(first.charCodeAt(0) + column)}${rows - row}`;
    return { id, words: id, text: size * 0.36, x: left + column * size + 1, y: top + row * size + 1, w: size - 2, h: size - 2 };
  });
}

function drawn({ x, y, w, h, words, text }, can) {
  return ["g", { class: can ? "plain-button plain-on" : "plain-button" }, ["rect", { x, y, width: w, height: h, rx: 7 }],
    ["text", { x: x + w / 2, y: y + h / 2 + text * 0.35, "font-size": text }, words]];
}

function draw(view, options) {
  const { small, mine, can } = options;
  const picture = (options.picture && !options.stepping ? own(view, options.picture) : view && pictureAt(view)) || EMPTY;
  const { width, height, svg } = picture;
  const image = svg && ["image", { href: `data:image/svg+xml,${encodeURIComponent(svg)}`, width, height }];
  const spec = { width, height, label: options.title, key: `${width} ${height}`, ground: [], marks: [image], pieces: [], over: [], cells: [] };
  if (small || mine === null || options.stepping || options.ended) return spec;
  const usable = new Set(can ? options.moves.map(({ action }) => action) : []);
  const squares = picture.squares ?? [];
  const inPicture = new Set(squares.map(({ id }) => id));
  const shown = shownOf(view, options);
  const rest = { ...shown, actions: shown.actions.filter((action) => !inPicture.has(action)) };
  const begun = options.choice?.begun;
  const many = !rest.grid && rest.actions.length > MANY;
  const wanted = many && options.filter?.toLowerCase();
  if (wanted) rest.actions = rest.actions.filter((action) => action.toLowerCase().includes(wanted));
  const buttons = buttonsOf(rest.actions.length ? rest : { actions: [] }, begun, width, height + 2 * GAP, SIZES[options.wide ? "wide" : "tall"]);
  const canBe = (id) => usable.has(id) || (id === "cancel" && can);
  const cellOf = ({ id, words, x, y, w, h }) => ({ id, x, y, w, h, label: words ?? id, can: canBe(id) });
  const lit = squares.filter(({ id }) => canBe(id));
  return {
    ...spec, many,
    height: Math.max(height, ...buttons.map(({ y, h }) => y + h + 2)),
    over: [
      ...lit.map(({ x, y, w, h }) => ["rect", { class: "plain-can", x, y, width: w, height: h, rx: 3 }]),
      ...buttons.map((button) => drawn(button, canBe(button.id))),
    ],
    cells: [...squares, ...buttons].map(cellOf),
  };
}

function press(view, { can, moves, choice }, id) {
  if (id === "cancel") return choice ? { choice: null } : null;
  const move = can && moves.find((one) => one.action === id);
  if (!move) return null;
  return move.more ? { choice: { begun: move.action } } : { act: move.action };
}

// -- in words

function wordsOf(value) {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.map(wordsOf).join(" ");
  return typeof value === "object" ? Object.values(value).map(wordsOf).join(" ") : String(value);
}

const partsOf = ({ kind, seat, ...parts }) => wordsOf(parts);

/** Whose turn it is: yours if there is something to do, else that of the only other player. */
function turns({ seat, names, n, moves }) {
  const list = seat !== null && moves?.n === n ? moves.lists.get("") : null;
  if (!list) return [];
  if (list.length || moves.why) return [seat];
  return names.length === 2 ? [1 - seat] : [];
}

/** The module of a game without a board. It is what a game's module is, and more. */
export function plainGame(name) {
  const title = titleOf(name);
  return {
    name, title, about: "", sample: null, colours: [],
    /** The host is asked for pictures, since events alone do not say how the match stands. */
    plain: true,
    at: ({ number, n, code }) => ({ number, n, code }),
    turns,
    after: (view) => view,
    turn: () => [],
    draw: (view, options) => draw(view, { ...options, title: t("{game} board", { game: title }) }),
    press,
    begun: (choice) => choice.begun ?? "",
    move: (event) => (Number.isInteger(event.seat) ? { seat: event.seat, text: partsOf(event) || event.kind } : null),
    words: (event, names) => (Number.isInteger(event.seat) ? `${names[event.seat]}: ${event.kind} ${partsOf(event)}.` : null),
  };
}
