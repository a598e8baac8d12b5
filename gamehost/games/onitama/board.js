// Onitama in a browser. What can be done, and what is on the cards, come from the host.
//
// Squares are named a1 to e5 and numbered 0 to 24, a1 first, then b1. Seat 0 is White and sits below on its own board.

const SIDE = 5;
const SQUARES = [..."12345"].flatMap((row) => [..."abcde"].map((column) => column + row));
const OWN = ["KP", "kp"];
const START = `PPKPP${".".repeat(15)}ppkpp`;

/** Texts in the language of the page, once the whole board is loaded. */
let t = (text) => text;
/** Card -> its vectors (right, forward) as its holder sees them. */
let cards = {};

/** Take the cards as the host publishes them. */
export function useCards(published) {
  cards = published;
}

/** The moves among what can be done: `{card, from, to}`. A seat without one gives a card back. */
const movesOf = ({ can, moves }) => (can ? moves.map((one) => one.parts).filter((one) => one.kind === "move") : []);

function after(view, event) {
  if (event.kind === "dealt") return { board: START, hands: event.hands, spare: event.spare, turn: 0 };
  if (event.kind === "taken-back") return event.view;
  if (!view) return view;
  let { board, spare } = view;
  let [gone, taken] = [event.old, event.new];
  if (event.kind === "moved") {
    const squares = [...board];
    const start = SQUARES.indexOf(event.from);
    squares[SQUARES.indexOf(event.to)] = squares[start];
    squares[start] = ".";
    board = squares.join("");
    [gone, taken, spare] = [event.card, spare, event.card];
  } else if (event.kind === "exchanged") spare = taken === spare ? gone : spare;
  else return view;
  const hands = view.hands.map((hand, seat) =>
    seat === event.seat ? hand.map((card) => (card === gone ? taken : card)).sort() : hand);
  return { board, hands, spare, turn: 1 - event.seat };
}

/** Whether a master is taken, or stands in the other side's temple: c5 for white, c1 for black. */
const isWon = ({ board }) => !board.includes("K") || !board.includes("k") || board[22] === "K" || board[2] === "k";

// -- what a press does

function press(view, options, id) {
  const { mine, can, choice } = options;
  if (!can || mine === null) return null;
  const all = movesOf(options);
  const { card, from } = choice ?? {};
  if (id === "cancel") return choice ? { choice: null } : null;
  if (id.startsWith("with ")) return act(mine, { card: id.slice(5), from, to: choice.to });
  if (id.startsWith("card ")) return pressCard(view, options, all, id.slice(5));
  const piece = view.board[SQUARES.indexOf(id)];
  if (OWN[mine].includes(piece)) {
    if (id === from) return { choice: card ? { card } : null };
    const leads = card && all.some((move) => move.card === card && move.from === id);
    return { choice: leads ? { card, from: id } : { from: id } };
  }
  if (!from && !card) return null;
  const fitting = fittingTo(all, choice).filter((move) => move.to === id);
  if (fitting.length === 1) return act(mine, fitting[0]);
  if (from && fitting.length > 1) return { choice: { from, to: id } };
  return { choice: null };
}

/** The moves with the card and the piece that are chosen. */
function fittingTo(all, { card, from }) {
  return all.filter((move) => (!from || move.from === from) && (!card || move.card === card));
}

function pressCard(view, { mine, moves, choice }, all, card) {
  const { card: chosen, from } = choice ?? {};
  if (!view.hands[mine].includes(card)) return null;
  const exchange = moves.find((one) => one.parts.kind === "exchange" && one.parts.card === card);
  if (exchange) return { act: exchange.action };
  if (card === chosen) return { choice: from ? { from } : null };
  const leads = from && all.some((move) => move.card === card && move.from === from);
  return { choice: leads ? { card, from } : { card } };
}

function act(seat, { card, from, to }) {
  return { act: `${card} ${from} ${to}`, event: { kind: "moved", seat, card, from, to } };
}

// -- the picture: a square has 100 units

const UNIT = 103;
const FRAME = 8;
const BOARD = 5 * UNIT - 3 + 2 * FRAME;
/** The height of a card above or below the board. */
const CARD = 130;

function place(square, seat) {
  const [x, y] = [square % SIDE, Math.floor(square / SIDE)];
  return seat === 1 ? [SIDE - 1 - x, y] : [x, SIDE - 1 - y];
}

const TORII = "M-36 -28Q0 -40 36 -28M-30 -18H30M-22 -18V32M22 -18V32M0 -31V-18";
const PUPIL = "M-28 38Q-28 -2 0 -4Q28 -2 28 38Z";
const MASTER = "M-33 38L-31 33Q-27 -2 0 -4Q27 -2 31 33L33 38Z";
const HAT = "M-32 -14Q0 -6 32 -14Q8 -24 0 -43Q-8 -24 -32 -14Z";

function shape(piece) {
  const master = piece.toLowerCase() === "k";
  const side = piece === piece.toLowerCase() ? "oni-black" : "oni-white";
  return [
    ["ellipse", { class: "oni-shadow", cx: 0, cy: 39, rx: 30, ry: 5 }],
    ["g", { class: side },
      ["path", { d: master ? MASTER : PUPIL }],
      ["circle", { cx: 0, cy: -16, r: 16 }],
      master && ["path", { class: "oni-hat", d: HAT }],
      master && ["path", { class: "oni-sash", d: "M-11 18H11M-13 28H13" }]],
  ];
}

function ground(seat, left, top, labels) {
  const drawn = [["rect", { class: "oni-frame", x: left, y: top, width: BOARD, height: BOARD, rx: 12 }]];
  for (let square = 0; square < SQUARES.length; square += 1) {
    const [column, row] = place(square, seat);
    const [x, y] = [left + FRAME + column * UNIT, top + FRAME + row * UNIT];
    drawn.push(["rect", { class: square % 2 ? "oni-odd" : "oni-even", x, y, width: 100, height: 100, rx: 5 }]);
    if (square === 2 || square === 22) {
      drawn.push(["path", { class: "oni-torii", d: TORII, transform: `translate(${x + 50} ${y + 52})` }]);
    }
    if (labels && column === 0) drawn.push(["text", { class: "oni-label", x: left - 12, y: y + 56 }, SQUARES[square][1]]);
    if (labels && row === 4) {
      drawn.push(["text", { class: "oni-label", x: x + 50, y: top + BOARD + 19 }, SQUARES[square][0]]);
    }
  }
  return drawn;
}

/** A card as its holder sees it, or as the one who sits below sees it: turned for the one above. */
function cardShape(card, { x, y, w, h }, { turned, kind, note, large }) {
  const grid = h - (large ? 40 : note ? 44 : 30);
  const cell = grid / 5;
  const [left, top] = [x + (w - grid) / 2, y + 8];
  const filled = new Map((cards[card] ?? []).map(([right, up]) => [turned ? `${-right} ${-up}` : `${right} ${up}`, "oni-way"]));
  filled.set("0 0", "oni-here");
  const squares = [];
  for (let up = 2; up >= -2; up -= 1) {
    for (let right = -2; right <= 2; right += 1) {
      squares.push(["rect", {
        class: filled.get(`${right} ${up}`) ?? "oni-no",
        x: left + (right + 2) * cell + 1, y: top + (2 - up) * cell + 1, width: cell - 2, height: cell - 2, rx: 2.5,
      }]);
    }
  }
  const name = card[0].toUpperCase() + card.slice(1);
  const [middle, foot] = [x + w / 2, top + grid + (large ? 22 : 15)];
  return ["g", { class: `oni-card ${kind} ${large ? "oni-large" : ""}` },
    ["rect", { class: "oni-paper", x, y, width: w, height: h, rx: 10 }],
    ...squares,
    ["text", { class: "oni-name", x: middle, y: foot }, large && note ? `${name} \u00b7 ${note}` : name],
    !large && note && ["text", { class: "oni-note", x: middle, y: foot + 15 }, note]];
}

/** Where the cards lie, beside the board or above and below: `[{card, box, holder}]`. The spare's holder is -1. */
function cardPlaces(view, seat, wide) {
  const [below, above] = [view.hands[seat], view.hands[1 - seat]];
  const found = [];
  if (wide) {
    const [x, w] = [24 + BOARD + 26, 98];
    above.forEach((card, n) => found.push({ card, box: { x, y: n * 104, w, h: 98 }, holder: 1 - seat }));
    found.push({ card: view.spare, box: { x, y: BOARD / 2 - 56, w, h: 112 }, holder: -1 });
    below.forEach((card, n) => found.push({ card, box: { x, y: BOARD - 98 - (1 - n) * 104, w, h: 98 }, holder: seat }));
    return found;
  }
  const [w, h] = [BOARD / 3 - 6, CARD];
  const rows = view.turn === seat ? [above, [...below, view.spare]] : [[...above, view.spare], below];
  rows.forEach((row, n) => row.forEach((card, column) => {
    const box = { x: 24 + column * (w + 9), y: n ? CARD + BOARD + 40 : 0, w, h };
    found.push({ card, box, holder: card === view.spare ? -1 : n ? seat : 1 - seat });
  }));
  return found;
}

function draw(view, options) {
  const { seat = 0, small, wide, last } = options;
  const sizes = small
    ? { left: 0, top: 0, width: BOARD, height: BOARD }
    : wide
      ? { left: 24, top: 0, width: 24 + BOARD + 26 + 98, height: BOARD + 26 }
      : { left: 24, top: CARD + 10, width: 24 + BOARD, height: 2 * CARD + BOARD + 40 };
  const at = (square) => {
    const [column, row] = place(square, seat);
    return { x: sizes.left + FRAME + column * UNIT, y: sizes.top + FRAME + row * UNIT };
  };
  const pieces = [...view.board].flatMap((piece, square) => {
    const { x, y } = at(square);
    return piece === "." ? [] : [{ kind: piece, x: x + 50, y: y + 52, shape: shape(piece), at: SQUARES[square] }];
  });
  const spec = {
    width: sizes.width, height: sizes.height, pieces,
    label: small ? "Onitama" : `Onitama, ${t(view.turn ? "Black to move" : "White to move")}`,
    key: `${seat} ${small} ${wide}`,
    ground: ground(seat, sizes.left, sizes.top, !small),
    marks: lastSquares(last).map((name) => square(at(SQUARES.indexOf(name)), "oni-last")),
  };
  return small ? spec : { ...spec, ...play(view, options, at) };
}

function lastSquares(last) {
  return last?.kind === "moved" ? [last.from, last.to] : [];
}

function square({ x, y }, kind) {
  return ["rect", { class: kind, x, y, width: 100, height: 100, rx: 5 }];
}

/** What is there on a board for play: cards, marks of what can be done, and cells. */
function play(view, options, at) {
  const { seat = 0, mine, can, wide, last } = options;
  const choice = (can && options.choice) || {};
  const all = movesOf(options);
  const fitting = fittingTo(all, choice);
  const targets = new Set(choice.from || choice.card ? fitting.map((move) => move.to) : []);
  const starts = new Set((choice.card ? fitting : all).map((move) => move.from));
  // The cards come first: what stays from move to move is not drawn again.
  const over = [];
  const hints = [];
  const marks = lastSquares(last).map((name) => square(at(SQUARES.indexOf(name)), "oni-last"));
  const cells = SQUARES.map((id, number) => {
    const { x, y } = at(number);
    const piece = view.board[number];
    if (targets.has(id)) {
      hints.push(piece === "."
        ? ["circle", { class: "oni-can", cx: x + 50, cy: y + 50, r: 14 }]
        : ["rect", { class: "oni-take", x: x + 3, y: y + 3, width: 94, height: 94, rx: 6 }]);
    }
    if (choice.from === id) marks.push(square({ x, y }, "oni-chosen"));
    const words = [`${id}: ${pieceName(piece, mine)}`];
    if (targets.has(id)) words.push(piece === "." ? t("can be moved to") : t("can be taken"));
    else if (starts.has(id)) words.push(t("can move"));
    const usable = targets.has(id) || starts.has(id);
    return { id, x, y, w: 100, h: 100, label: words.join(", "), can: usable, chosen: choice.from === id, drag: starts.has(id) };
  });
  for (const { card, box, holder } of cardPlaces(view, seat, wide)) {
    const mineNow = can && holder === mine;
    const usable = mineNow && (!choice.from || !all.length || all.some((move) => move.card === card && move.from === choice.from));
    const chosen = choice.card === card;
    const next = t(view.turn ? "next for Black" : "next for White");
    over.push(cardShape(card, box, {
      turned: holder === 1 - seat || (holder < 0 && view.turn !== seat),
      kind: `oni-of-${holder} ${chosen ? "oni-held" : ""} ${usable ? "oni-mine" : ""}`,
      note: holder < 0 && (wide ? next : t("next")), large: !wide,
    }));
    const whose = holder < 0 ? next : t(holder === mine ? "your card" : holder ? "Black's card" : "White's card");
    const label = `${card}, ${whose}: ${ways(card)}${mineNow && !all.length ? `, ${t("can be exchanged")}` : ""}`;
    cells.push({ id: `card ${card}`, ...rounded(box), label, can: mineNow, chosen });
  }
  over.push(...hints);
  return choice.to ? ask(all, choice, at, cells, over, marks, sizesOf(options)) : { marks, over, cells };
}

function rounded({ x, y, w, h }) {
  return { x, y, w, h };
}

function sizesOf({ wide }) {
  return wide ? { top: 0, bottom: BOARD } : { top: CARD + 10, bottom: CARD + 10 + BOARD };
}

/** Two cards lead to the same square: a choice between them lies over the board. */
function ask(all, choice, at, cells, over, marks, { top, bottom }) {
  const fitting = all.filter((move) => move.from === choice.from && move.to === choice.to);
  const { x, y } = at(SQUARES.indexOf(choice.to));
  const [w, h] = [106 * fitting.length + 10, 118];
  const left = Math.max(26, Math.min(x + 50 - w / 2, 22 + BOARD - w));
  const high = Math.min(bottom - h - 4, Math.max(top + 4, y - h - 6 > top ? y - h - 6 : y + 106));
  over.push(["rect", { class: "oni-ask", x: left, y: high, width: w, height: h, rx: 14 }]);
  const asked = fitting.map(({ card }, n) => {
    const box = { x: left + 8 + n * 106, y: high + 10, w: 98, h: 98 };
    over.push(cardShape(card, box, { kind: "oni-mine" }));
    return { id: `with ${card}`, ...box, label: t("{from} to {to} with {card}", { ...choice, card }), can: true };
  });
  const free = cells.filter((cell) => !asked.some((one) => cell.x < one.x + one.w && one.x < cell.x + cell.w
    && cell.y < one.y + one.h && one.y < cell.y + cell.h));
  return { marks, over, cells: [...asked, ...free], focus: asked[0].id };
}

function pieceName(piece, mine) {
  const seat = OWN.findIndex((own) => own.includes(piece));
  const kind = seat < 0 ? 0 : (seat === mine ? 1 : 3 + 2 * seat) + OWN[seat].indexOf(piece);
  return t(["empty", "your master", "your pupil", "White master", "White pupil", "Black master", "Black pupil"][kind]);
}

/** What a card does, in words. */
function ways(card) {
  const word = (count, name, other) => count && `${Math.abs(count)} ${count > 0 ? name : other}`;
  return (cards[card] ?? [])
    .map(([right, up]) => [word(up, t("forward"), t("back")), word(right, t("right"), t("left"))].filter(Boolean).join(t(" and ")))
    .join("; ");
}

export default {
  name: "onitama",
  legend: () => import("./board-legend.js"),
  lessons: true,
  advice(view, options) {
    if (!movesOf(options).length) return "None of your cards can be used: choose the one that you give back.";
    if (options.choice?.to) return "Both of your cards lead there. Choose the one that you give away.";
    if (options.choice?.from) return "Now the square. Take the enemy's master, or bring yours to the enemy's gate, and you win.";
    return "Choose one of your pieces. Your two cards show where it can go: the light square is the piece.";
  },
  title: "Onitama",
  about: "Five cards, ten pieces, five minutes",
  colours: ["oni-seat-white", "oni-seat-black"],
  sides: () => [t("White"), t("Black")],
  sample: { board: "PPKP........P.p.....pk.pp", hands: [["boar", "ox"], ["crab", "eel"]], spare: "tiger", turn: 1 },
  async load(words) {
    t = words;
    if (Object.keys(cards).length) return;
    const answer = await fetch("/api/rules/onitama.json");
    useCards((await answer.json()).cards);
  },
  after,
  turn: (view) => (isWon(view) ? [] : [view.turn]),
  draw,
  press,
  move(event) {
    if (event.kind === "moved") return { seat: event.seat, text: `${event.card} ${event.from}–${event.to}` };
    return event.kind === "exchanged" ? { seat: event.seat, text: t("{old} for {new}", event) } : null;
  },
  words(event, names, before) {
    const values = { ...event, name: names[event.seat ?? 0] };
    if (event.kind === "dealt") return t("The cards are dealt. {name} moves first.", values);
    if (event.kind === "exchanged") return t("{name} cannot move, and exchanges {old} for {new}.", values);
    if (event.kind === "taken-back") return t("{name} takes a move back, and moves again.", values);
    if (event.kind !== "moved") return null;
    const taken = ".kp".indexOf((before?.board[SQUARES.indexOf(event.to)] ?? ".").toLowerCase());
    return t(["{name}: {card}, {from} to {to}.", "{name}: {card}, {from} to {to} and takes the master.", "{name}: {card}, {from} to {to} and takes the pupil."][taken], values);
  },
  status(view, options) {
    if (!options.can || movesOf(options).length) return {};
    return { detail: t("You cannot move: choose the card that you give back") };
  },
};
