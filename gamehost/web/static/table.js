// The page of a table: play or watch one match.

import { Absence } from "./absence.js";
import { Board } from "./board.js";
import { Deadline } from "./countdown.js";
import { announce, h, link, newDialog, notice, put, say } from "./dom.js";
import { levelsOf, loadGame, loaded } from "./games.js";
import { keepingOf } from "./keeping.js";
import { gathered, inviteBox, kept, showInvitation } from "./invite.js";
import { loggedIn, seek } from "./login.js";
import { MoveList, lastMove } from "./moves.js";
import { Offers, asks } from "./offers.js";
import { Phrases } from "./phrases.js";
import { address, fetchJson } from "./record.js";
import { Guide, guided } from "./guide.js";
import { Seats, endWords } from "./seats.js";
import { look, send } from "./socket.js";
import { setSound, sounds, tone } from "./sound.js";
import { changed, guessedView, known, listen, state, viewOf } from "./store.js";
import { listed, t, titled, told } from "./words.js";

const WIDE = matchMedia("(min-width: 700px), (orientation: landscape)");
/** After so many milliseconds without a view, the page shows possible reasons. */
const LATE = 3_000;
/** The last move of a match comes shortly before its end. So the tone for your turn waits for so many milliseconds. */
const HELD = 150;
/** The size of a square for fingers, in pixels. On a phone, a board with smaller squares can be enlarged and scrolled. */
const FINGER = 45;
const COARSE = matchMedia("(pointer: coarse)");
const LARGER = "larger";
/** Pixels between the edges of the window and what can be pressed. */
const SPACE = 6;
/** What a game says in parts, such as `Your move · last round`, as far as it has a catalogue. */
const parts = (text) => text.split(" · ").map(told).join(" · ");

/** Numbers of actions and of questions for moves. The host says them again. */
let numbers = 0;

export function open(place, url) {
  const page = new TablePage(place, Number(url.pathname.split("/")[2]), url.hash.slice(1) || undefined);
  return () => page.close();
}

class TablePage {
  constructor(place, number, code) {
    Object.assign(this, { place, number, code, game: null, choice: null, last: null, timer: 0, asked: 0, words: [], turn: false, unlisted: false, early: [] });
    this.sorry = state.sorry.count;
    document.title = titled(t("Table {n}", { n: number }));
    this.board = new Board((id) => this.pressed(id));
    this.seats = new Seats();
    this.guide = new Guide((id) => this.board.hint(id));
    this.moves = new MoveList((back) => this.stepTo(back));
    this.title = h("h1", {});
    this.detail = h("p", { class: "soft small" });
    this.why = h("p", { class: "why small", role: "alert" });
    this.deadline = new Deadline();
    this.phrases = new Phrases();
    this.offers = new Offers(number);
    this.absence = new Absence(number);
    this.gone = h("ul", { class: "gone small", "aria-label": t("Captured pieces") });
    this.buttons = h("div", { class: "row buttons" });
    this.typed = h("form", { class: "row", hidden: true, onsubmit: (event) => this.type(event) },
      h("input", { name: "action", "aria-label": t("Your action"), autocomplete: "off", oninput: () => this.show() }), h("button", { class: "go" }, t("Send")));
    this.stop = [listen(() => this.show())];
    const redraw = () => this.show();
    WIDE.addEventListener("change", redraw);
    this.stop.push(() => WIDE.removeEventListener("change", redraw));
    this.wait();
    const patience = setTimeout(() => this.late(), LATE);
    this.stop.push(() => clearTimeout(patience));
    look({ tables: [[number, code]] });
    this.show();
  }

  close() {
    for (const stop of this.stop) stop();
    clearTimeout(this.timer);
    this.seats.close();
    this.absence.close();
    this.deadline.close();
    const table = state.tables.get(this.number);
    if (table?.by && !table.over) {
      send({ do: "rise", table: this.number });
      if (state.own === this.number) state.own = null;
    }
    if (table?.by || table?.over || table?.suspended) state.tables.delete(this.number);
  }

  // -- before the match is known

  wait() {
    this.laid = false;
    this.waits = null;
    this.waitsFor = h("p", { class: "soft", "data-said": true }, t("Waiting for the host ..."));
    this.waiting = h("div", { class: "centre" }, h("h1", {}, t("Table {n}", { n: this.number })), this.waitsFor);
    put(this.place, this.waiting);
  }

  /** The view may come late: watchers may see a table with a delay. */
  late() {
    if (!this.laid && state.link === "open" && state.sorry.count === this.sorry) {
      say(this.waitsFor, t("Waiting for the host. Some tables are shown with a delay ..."));
    }
  }

  /** The host does not show this table: it may wait for players, be over, or not exist. */
  missing() {
    if (state.openedTables.has(this.number)) return void this.showSeeking();
    if (state.invitation?.table === this.number) return this.invited();
    if (state.sorry.count === this.sorry) return;
    this.sorry = state.sorry.count;
    // The dialog of the log-in shows its refusal.
    if (document.querySelector("dialog[open]")) return;
    notice(""); // The page says it itself.
    if (this.asksSeat !== state.opened && state.me) {
      this.asksSeat = state.opened; // it may be a slow match of yours
      return void send({ do: "sit", table: this.number });
    }
    if (this.asksInvitation === state.opened) return void this.ended404();
    this.asksInvitation = state.opened;
    send({ do: "invitation", table: this.number, code: this.code });
  }

  /** The table waits for more players. */
  invited() {
    if (this.shownInvitation === state.invitation) return this.refusedSeat();
    this.shownInvitation = state.invitation;
    this.sorry = state.sorry.count;
    const join = () => loggedIn(() => send({ do: "join", table: this.number, code: this.code }));
    return void showInvitation(this.waiting, state.invitation, join);
  }

  /** The wanted seat is not free any more. */
  refusedSeat() {
    if (state.sorry.count === this.sorry || document.querySelector("dialog[open]")) return;
    state.invitation = null;
    this.ended404();
  }

  /** The table does not wait, and has no running match. There may be a record. */
  async ended404() {
    const title = this.code ? t("This invitation is over") : t("There is no table {n} now", { n: this.number });
    const why = this.code ? t("The match has begun, or the one who invited you waits no longer.") : t("A match ends, and its table with it.");
    const words = h("p", { class: "soft" }, why);
    const ways = h("div", { class: "row" }, link("/", { class: "button go" }, t("All tables")));
    put(this.waiting, h("h1", {}, title), words, ways);
    if (state.me) import("./mine.js").then(({ showEnd }) => this.stop.push(showEnd(this.waiting, this.number)));
    const { matches } = await fetchJson(address("/api/matches", { before: this.number + 1 })).catch(() => ({ matches: [] }));
    if (matches[0]?.table === this.number) ways.append(link(this.record(), { class: "button" }, t("The finished match")));
  }

  showSeeking() {
    const seeking = state.openedTables.get(this.number);
    const key = JSON.stringify(seeking);
    if (this.waits === key) return;
    this.waits = key;
    put(this.waiting,
      h("h1", {}, t("Table {n}", { n: this.number })),
      h("p", { "data-said": true }, `${t("You have a seat.")} ${gathered(seeking)}`),
      h("p", { class: "soft" }, kept(seeking)),
      seeking.code && seeking.names.length < seeking.seats && inviteBox(this.number, seeking.code),
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => send({ do: "stop", table: this.number }) }, t("Stop waiting"))));
  }

  // -- the match

  layOut(table) {
    this.laid = true;
    const panel = h("section", { class: "panel sheet", "aria-label": t("The match") },
      h("div", { class: "head" }, this.title, this.detail, this.deadline.element, this.why), this.absence.element, this.offers.element, this.gone, this.moves.element, this.typed, this.phrases.element, this.buttons);
    this.field = h("div", { class: "field" }, this.board.element);
    const middle = h("div", { class: "middle" }, this.seats.above, this.field, this.seats.below);
    put(this.place, this.guide.element, h("div", { class: this.game.bare ? "table bare" : "table" }, middle, panel));
    this.drawButtons(table);
  }

  show() {
    const table = state.tables.get(this.number);
    this.code ??= table?.code;
    if (!table) return this.laid ? this.wait() : this.missing();
    this.game = loaded(table.game) ?? null;
    if (!this.game) return void loadGame(table.game).then((game) => (game ? this.show() : this.unknown()));
    const before = table.view;
    viewOf(table, this.game, (event, view) => this.heard(table, event, view));
    const view = guessedView(table, this.game);
    if (!table.complete && before && this.asked !== state.opened) this.askHistory();
    if (!view) return undefined;
    if (!this.laid) this.layOut(table);
    this.draw(table, view);
    if (this.early.length && !this.unlisted) this.pressed(this.early.shift());
    return undefined;
  }

  unknown() {
    say(this.waitsFor, t("This page cannot show the game of this table."));
  }

  askHistory() {
    this.asked = state.opened;
    send({ do: "history", table: this.number, code: this.code });
  }

  heard(table, event, view) {
    if (this.game.move(event) || event.kind === "taken-back" || !this.last) this.last = event;
    const words = this.game.words?.(event, table.names, view);
    if (words) this.words.push(words);
    this.linger(event);
  }

  /** What an event shows for a moment only, such as a fight. */
  linger(event) {
    const linger = this.game.linger?.(event);
    if (!linger) return;
    clearTimeout(this.timer);
    this.fresh = true;
    this.timer = setTimeout(() => {
      this.fresh = false;
      this.show();
    }, linger);
  }

  /** How the board is drawn: what the game's module needs to know besides the view. */
  options(table, view) {
    const goesOn = !table.over && !table.suspended;
    this.unlisted = false;
    // If the page cannot see which player has the turn, the host's list decides.
    const asked = this.game.plain && goesOn && table.seat !== null && state.link === "open" ? this.movesOf(table) : null;
    const turns = goesOn ? this.game.turns?.(table) ?? this.game.turn(view) : [];
    const turn = table.seat !== null && turns.includes(table.seat);
    // Notes in Stratego can be made while the other player thinks.
    if (!turn && this.choice?.marked === undefined) this.choice = null;
    const moves = turn && state.link === "open" ? asked ?? this.movesOf(table) : null;
    const last = table.guess?.event ?? this.lastMove(table);
    return {
      seat: this.turned ? 1 - (table.seat ?? 0) : table.seat ?? 0, mine: table.seat, can: moves !== null && !table.guess && !this.back,
      log: table.complete ? table.log : null, moves: moves?.list ?? [], picture: goesOn ? table.picture : null, choice: this.choice, small: false, wide: WIDE.matches, last, names: table.names, fresh: this.fresh === true, turns,
      kept: table.seat === null ? undefined : keepingOf(table),
    };
  }

  /**
   * The possible actions now, or after the begun part of one; `null`: not received yet. They are asked for once
   * for each, before a press or a drag needs them.
   */
  movesOf(table) {
    const begun = (this.choice && this.game.begun?.(this.choice)) ?? "";
    const now = table.moves?.n === table.n ? table.moves.lists : null;
    this.unlisted = !now?.has(begun) && !table.guess;
    if (!now?.has(begun) && !table.asked && !table.guess) {
      numbers += 1;
      table.asked = { id: numbers, begun };
      const asked = { do: "moves", table: this.number, begun: begun || undefined, id: numbers, picture: this.game.plain };
      if (!send(asked)) table.asked = null;
    }
    return now?.has("") ? { list: now.get(begun) ?? [] } : null;
  }

  /** The last move, to mark its squares: also a move from before this page was opened. */
  lastMove(table) {
    return lastMove(table.log, this.game)?.event ?? this.last;
  }

  draw(table, view) {
    const options = this.options(table, view);
    const shown = this.back ? this.positionAt(table) : view;
    const last = this.back ? this.back.event : options.last;
    const filter = this.typed.elements.action.value.trim();
    const spec = this.game.draw(shown, { ...options, last, filter, stepping: Boolean(this.back), ended: Boolean(table.over || table.suspended) });
    this.place.style.setProperty("--ratio", spec.width / spec.height);
    this.board.show(spec, options.can);
    this.size(spec);
    this.seats.show(table, this.game, view, options);
    this.deadline.show(table, options.turns, known());
    this.guide.show(table, this.game, view, options, spec, () => this.show());
    this.moves.show(table, this.game, this.back);
    this.showStatus(table, view, options);
    this.showLost(table);
    this.phrases.show(table);
    this.absence.show(table, options.turns);
    this.words.push(...[this.offers.show(table)].filter(Boolean));
    this.tell(table, options);
    this.keepInSight(table, options);
    // Many actions, or too many for a list, on a board without other ways to choose them.
    this.typed.hidden = !(this.game.plain && options.can && (table.moves?.why || spec.many));
    if (this.ending !== (table.over ?? table.suspended)) this.ended(table);
    else if (this.wanted !== state.rematch || this.sought !== (state.queued ?? this.rematchOpen()) || this.away !== this.waitedFor(table) || this.tightBefore !== this.tight) this.drawButtons(table);
  }

  /** How wide the board must be for fingers, and whether it is: as its player wishes. */
  size({ width, square }) {
    const wide = square ? (FINGER * width) / square : 0;
    this.tight = COARSE.matches && this.field.clientWidth < wide;
    const larger = this.tight && localStorage.getItem(LARGER) !== null;
    this.field.style.setProperty("--wide", `${wide}px`);
    if (larger === this.field.classList.contains("scroll")) return;
    this.field.classList.toggle("scroll", larger);
    if (larger) this.field.scrollLeft = (wide - this.field.clientWidth) / 2;
  }

  enlarge() {
    if (localStorage.getItem(LARGER) === null) localStorage.setItem(LARGER, "yes");
    else localStorage.removeItem(LARGER);
    this.show();
    this.drawButtons(state.tables.get(this.number));
  }

  /** On a phone a long board is scrolled, once for each question, to where it can be answered. */
  keepInSight(table, { can }) {
    const question = can && this.game.bare && !WIDE.matches ? `${table.n} ${JSON.stringify(this.choice)}` : "";
    if (question === this.question) return;
    this.question = question;
    if (!question) return;
    const edges = [...this.board.element.querySelectorAll("[data-can]")].map((cell) => cell.getBoundingClientRect());
    const above = this.title.parentElement.offsetHeight + SPACE;
    const [top, bottom] = [Math.min(...edges.map((one) => one.top)), Math.max(...edges.map((one) => one.bottom))];
    if (bottom > innerHeight || top < above) window.scrollBy(0, Math.round(Math.min(bottom - innerHeight + SPACE, top - above)));
  }

  /** What has happened, in the live region, and that it is your turn. */
  tell(table, { turns }) {
    const over = table.over !== null || table.suspended;
    const turn = !over && table.seat !== null && turns.includes(table.seat);
    // The request may change several times in one turn, as in Eriantys.
    const asked = turn && !this.back ? this.title.textContent : "";
    if (turn && !this.turn) this.words.push(asked && asked !== t("Your move") ? `${t("Your move")}: ${asked}.` : t("Your move."));
    else if (asked && this.askedWords && asked !== this.askedWords) this.words.push(`${asked}.`);
    this.askedWords = asked;
    // For watchers, each change of the turn is read out.
    if (table.seat === null ? !over && this.turns !== undefined && this.turns !== turns.join() : turn && !this.turn) setTimeout(() => table.over || table.suspended || tone(), HELD);
    this.turn = turn;
    this.turns = turns.join();
    if (this.words.length) announce(this.words.splice(0).join(" "));
  }

  showStatus(table, view, options) {
    const who = table.names.join(t(" against "));
    const turns = listed(options.turns.map((seat) => table.names[seat]));
    const usual = options.turns.includes(table.seat) ? t("Your move") : turns ? t("{names} to move", { names: turns }) : "";
    const { title = usual, detail = who } = table.over ? endWords(table) : this.game.status?.(view, options) ?? {};
    const paused = table.suspended && t("The match is stopped");
    say(this.title, this.back ? t("An earlier position") : paused || parts(title) || t("The match begins"));
    say(this.detail, this.back ? "" : paused ? t("A fault stopped it. Nobody has won. You can play another one; if this one goes on, your seat is kept.") : [parts(detail ?? ""), table.seat === null && t("you are watching")].filter(Boolean).join(" · "));
    say(this.why, table.refused ? t("Not possible: {why}.", { why: table.refused.why }) : "");
    const name = this.game.title;
    document.title = `${this.urgent(table) ?? (options.turns.includes(table.seat) ? t("Your move") : who)} - ${name}`;
  }

  /** The first words of the tab's title: the end, or the request of the other player; `undefined`: none. */
  urgent(table) {
    const wish = state.rematch;
    const asks = wish?.table === table.number && wish.on !== false ? t("{names} wants a rematch|{names} want a rematch", { n: 1, names: wish.name }) : undefined;
    if (table.over) return asks ?? endWords(table).title;
    if (table.claims.size) return t("{name} has not come back", { name: table.names[[...table.claims.keys()][0]] });
    if (!table.offer || table.seat === null || table.offer.seat === table.seat) return undefined;
    return asks(table.offer.offer, table.names[table.offer.seat]);
  }

  /** The lost pieces of each side, in games that list them. */
  showLost(table) {
    const lost = table.complete ? this.game.lost?.(table.log) ?? [] : [];
    const words = lost.map((pieces, seat) => pieces && t("{name} lost: {pieces}", { name: table.names[seat], pieces })).filter(Boolean);
    if (words.join() !== this.lostWords) put(this.gone, words.map((one) => h("li", {}, one)));
    this.lostWords = words.join();
  }

  ended(table) {
    this.ending = table.over ?? table.suspended;
    this.place.querySelector(".table").classList.toggle("ended", Boolean(this.ending));
    if (table.over) this.title.scrollIntoView({ block: "nearest" });
    if (table.over) {
      const { title, detail } = endWords(table);
      announce(`${title}. ${detail}.`);
    }
    this.drawButtons(table);
  }

  drawButtons(table) {
    const playing = table.seat !== null;
    const over = table.over || table.suspended;
    const again = () => loggedIn(() => seek({ game: table.game }));
    this.sought = state.queued ?? this.rematchOpen();
    this.wanted = state.rematch;
    if (!this.sought) this.askedAgain = false;
    this.away = this.waitedFor(table);
    this.tightBefore = this.tight;
    const asked = table.over && this.wanted?.table === this.number && !this.sought;
    const words = asked && (this.wanted.on === false ? t("{name} does not want a rematch any more.", { name: this.wanted.name }) : `${t("{names} wants a rematch|{names} want a rematch", { n: 1, names: this.wanted.name })}.`);
    if (asked) announce(words);
    put(this.buttons,
      asked && h("p", { class: "asked" }, words),
      h("button", { type: "button", onclick: () => this.share() }, t("Share")),
      playing && !over && h("button", { type: "button", onclick: () => this.resign() }, t("Resign")),
      !over && this.offers.buttons(table),
      table.names.length === 2 && !this.game.bare && !this.game.plain && h("button", { type: "button", onclick: () => this.flip() }, t("Flip")),
      this.tight && h("button", { type: "button", "aria-pressed": String(this.field.classList.contains("scroll")), onclick: () => this.enlarge() }, t("Zoom")),
      !over && h("button", { type: "button", "aria-pressed": String(sounds()), onclick: () => this.sound(table) }, t("Sound")),
      playing && !over && h("button", { type: "button", onclick: () => this.guide.turn(!guided()) }, t("Help")),
      !playing && link(`/rules/${table.game}`, { class: "button" }, t("How to play")),
      // A match without a move is in no list.
      table.over && table.log.some((entry) => this.game.move(entry.event)) && link(this.record(), { class: "button" }, t("Step through")),
      table.over && playing && !this.sought && h("button", { type: "button", class: "go", onclick: () => this.rematch() }, t("Rematch")),
      over && playing && !this.sought && h("button", { type: "button", onclick: again }, t("New opponent")),
      over && this.sought && h("span", { class: "chip", "data-said": true }, this.askedAgain || this.rematchOpen() ? t("the others are asked") : t("waiting for an opponent")),
      over && this.sought && h("button", { type: "button", onclick: () => send({ do: "stop", table: this.rematchOpen()?.table }) }, t("Stop waiting")),
      playing && !over && [...table.away].filter((seat) => seat !== table.seat && !table.claims.has(seat)).map((seat) => this.finish(table, seat)),
      table.delay > 0 && h("span", { class: "chip" }, t("shown {n} s later", { n: table.delay })),
      table.presence === false && h("span", { class: "chip" }, t("who is away is not known")));
  }

  // -- what a person does

  sound(table) {
    setSound(!sounds());
    this.drawButtons(table);
  }

  /** Show the board from the other side. */
  flip() {
    this.turned = !this.turned;
    this.show();
  }

  pressed(id) {
    const table = state.tables.get(this.number);
    const view = table && this.game && guessedView(table, this.game);
    if (!view) return;
    const options = this.options(table, view);
    // A press before the list of actions has come is stored until it comes.
    if (this.unlisted && id !== "cancel") return void this.early.push(id);
    const pressed = this.game.press(view, options, id);
    if (!pressed) return void (this.early = []);
    if (pressed.act === undefined) this.choice = pressed.choice;
    else this.act(table, [pressed.act].flat(), pressed.event ?? null);
    this.show();
  }

  /** Send actions, and show their expected result until the host has confirmed it. */
  act(table, acts, event) {
    this.choice = null;
    numbers += 1;
    table.guess = { id: numbers, event, actions: acts.length };
    table.refused = null;
    const sent = acts.map((action) => send({ do: "act", table: this.number, action, id: numbers }));
    if (!sent.every(Boolean)) table.guess = null;
    changed();
  }

  type(event) {
    event.preventDefault();
    const action = new FormData(event.target).get("action").trim();
    const table = state.tables.get(this.number);
    if (!action || !table) return;
    const lower = action.toLowerCase();
    const near = (table.moves?.lists.get("") ?? []).map((one) => one.action).filter((one) => one.toLowerCase().includes(lower));
    const [only, ...others] = near;
    const meant = near.find((one) => one.toLowerCase() === lower) ?? (only && !others.length ? only : action);
    event.target.reset();
    this.act(table, [meant], null);
  }

  /** The same players again, with colours changed: all of them have to press. In a slow match the wish waits for them. */
  rematch() {
    this.askedAgain = true;
    const table = state.tables.get(this.number).by ? this.number : undefined;
    send({ do: "rematch", table });
  }

  /** The own wish for a rematch of this slow match. */
  rematchOpen() {
    return [...state.openedTables.values()].find((one) => one.played === this.number);
  }

  /** The absent players, and whether the match can be claimed: a text that changes when they do. */
  waitedFor(table) {
    return JSON.stringify([[...table.away], [...table.claims.keys()]]);
  }

  /** An absent player may not come back: a house player can finish the match. */
  finish(table, seat) {
    const ask = (level) => {
      send({ do: "house", level, seat });
      notice(t("If {name} does not come back in time, a house player goes on.", { name: table.names[seat] }));
    };
    return h("div", { class: "row" },
      h("span", { class: "small soft" }, t("{name} is away. Let the host finish:", { name: table.names[seat] })),
      levelsOf(table.game).map((level) => h("button", { type: "button", onclick: () => ask(level) }, t(level))));
  }

  /** The address of the finished match. */
  record() {
    return `/match/${this.number}${this.code ? `?code=${encodeURIComponent(this.code)}` : ""}`;
  }

  async share() {
    const url = `${location.origin}${location.pathname}${this.code ? `#${this.code}` : ""}`;
    try {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ url });
      else {
        await navigator.clipboard.writeText(url);
        notice(t("The address of this table is copied."));
      }
    } catch {
      notice(t("The address of this table: {url}", { url }));
    }
  }

  resign() {
    const dialog = newDialog("resign-title");
    const close = () => dialog.close();
    const sure = () => {
      state.tables.get(this.number).resigned = true;
      send({ do: "leave", table: this.number });
      close();
    };
    const others = state.tables.get(this.number).names.length > 2 ? t("The match ends at once, and you lose it.") : t("Your opponent wins at once.");
    put(dialog, h("h2", { id: "resign-title" }, t("Resign this match?")), h("p", { class: "soft" }, others),
      h("div", { class: "row" },
        h("button", { type: "button", onclick: close }, t("Play on")),
        h("button", { type: "button", class: "go", onclick: sure }, t("Resign"))));
    dialog.showModal();
  }

  // -- earlier positions

  /** Show the position after an entry of the list of moves; `null`: the present one. */
  stepTo(back) {
    this.back = back;
    this.choice = null;
    this.fresh = false;
    announce(back ? `${t("An earlier position")}: ${back.text}` : t("Back to the match"));
    if (back) this.linger(back.event);
    this.show();
  }

  /** The position after a move, as everybody may know it. */
  positionAt(table) {
    const index = this.back.last;
    if (this.stepped?.index !== index || this.stepped.log !== table.log) {
      const followed = () => table.log.slice(0, index + 1).reduce((known, entry) => this.game.after(known, entry.event, null), null);
      const view = this.game.at?.({ ...table, n: table.log[index].n }) ?? followed();
      this.stepped = { index, log: table.log, view };
    }
    return this.stepped.view;
  }
}
