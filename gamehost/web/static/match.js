// The page of a match: step through it, finished or not. The part of the address behind # is the number of a move.

import { Board } from "./board.js";
import { announce, h, link, notice, put, say, svg } from "./dom.js";
import { loadGame, titleOf } from "./games.js";
import { MoveList, stopsOf } from "./moves.js";
import { address, fetchJson, resultWords, shownNames } from "./record.js";
import { Seats } from "./seats.js";
import { look, send } from "./socket.js";
import { listen, state } from "./store.js";
import { t, titled } from "./words.js";

const WIDE = matchMedia("(min-width: 700px), (orientation: landscape)");
/** Milliseconds for which `Play` shows a position. */
const PACE = 900;
/** Milliseconds after which a match that has ended is surely in the list. */
const LISTED = 1_200;

export function open(place, url) {
  const page = new MatchPage(place, Number(url.pathname.split("/")[2]), url.hash.slice(1), url.searchParams.get("code") ?? undefined);
  return () => page.close();
}

class MatchPage {
  constructor(place, number, wanted, code) {
    Object.assign(this, { place, number, code, wanted: wanted === "" ? null : Number(wanted), at: 0, turned: false, timer: 0, laid: false });
    document.title = titled(t("Match {n}", { n: number }));
    this.board = new Board(() => {});
    this.seats = new Seats();
    this.moves = new MoveList((back) => this.goTo(back ? this.stops.findIndex((stop) => stop.index >= back.index) : this.stops.length - 1));
    this.title = h("h1", {});
    this.detail = h("p", { class: "soft small" });
    this.closed = false;
    put(place, h("p", { class: "soft", "data-said": true }, t("Match {n} ...", { n: number })));
    const redraw = () => this.laid && this.show();
    const key = (event) => this.key(event);
    const hash = () => this.goToMove(Number(location.hash.slice(1)));
    WIDE.addEventListener("change", redraw);
    document.addEventListener("keydown", key);
    window.addEventListener("hashchange", hash);
    this.stop = () => {
      WIDE.removeEventListener("change", redraw);
      document.removeEventListener("keydown", key);
      window.removeEventListener("hashchange", hash);
    };
    this.load();
  }

  close() {
    this.closed = true;
    this.pause();
    clearTimeout(this.lingering);
    this.stop();
    this.stopListening?.();
    this.stopDrawing?.();
    this.study?.close();
    this.seats.close();
  }

  // -- where the match comes from

  async load() {
    look({});
    try {
      const record = await this.listed() && await fetchJson(this.file("json"));
      if (this.closed) return;
      if (record) await this.take({ ...record, over: { winners: record.winners, why: record.why, cause: record.cause } });
      else this.watch();
    } catch {
      if (!this.closed) this.missing(t("It could not be loaded"), t("The host did not answer. Load the page again."));
    }
  }

  /** Whether there is a record to ask for. Private matches are in no list. */
  async listed() {
    if (this.code) return true;
    const { matches } = await fetchJson(address("/api/matches", { before: this.number + 1 }));
    return matches[0]?.table === this.number;
  }

  file(ending) {
    return address(`/api/matches/${this.number}.${ending}`, { code: this.code });
  }

  /** There is no record: the match may be running. */
  watch() {
    const refused = state.sorry.count;
    let asked = false;
    this.stopListening = listen(() => {
      const table = state.tables.get(this.number);
      if (!table) {
        if (state.sorry.count !== refused && !this.laid) this.unlisted();
        return;
      }
      if (!table.complete && !asked) asked = send({ do: "history", table: this.number });
      if (table.complete) this.take({ game: table.game, names: table.names, wires: table.wires, events: table.log, over: table.over, live: true });
    });
    look({ tables: [this.number] });
  }

  /** The match is not running: it may have just ended, after the list was made. */
  unlisted() {
    this.stopListening();
    if (this.again) return this.missing(t("There is no such match"), t("It may never have begun, or it is not kept here."));
    this.again = true;
    notice("");
    return void setTimeout(() => !this.closed && this.load(), LISTED);
  }

  missing(title, why) {
    put(this.place, h("h1", {}, title), h("p", { class: "soft" }, why), h("p", {}, link("/matches", {}, t("All matches"))));
  }

  async take(told) {
    const match = { ...told, names: shownNames(told) };
    const game = await loadGame(match.game);
    if (this.closed) return;
    if (!game) return void this.missing(t("This match cannot be shown"), t("The page does not know the game {game}.", { game: match.game }));
    const atEnd = !this.laid || this.at === this.stops.length - 1;
    Object.assign(this, { match, game, stops: stopsOf(game, match.events, match.hidden, this) });
    this.table = {
      game: match.game, names: match.names, wires: match.wires ?? [], log: match.events, complete: true, seat: null,
      over: match.over, away: new Set(), left: new Set(), clocks: null,
    };
    if (game.plain) this.stopDrawing ??= listen(() => this.laid && this.show());
    if (!this.stops.length) return void this.missing(t("Nothing has happened yet"), t("The match has just begun."));
    if (!this.laid) this.layOut();
    if (this.wanted !== null) this.goToMove(this.wanted);
    else if (atEnd) this.goTo(this.stops.length - 1, false);
    else this.show();
    this.wanted = null;
  }

  // -- the page

  layOut() {
    this.laid = true;
    const icon = (path) => svg(["svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, ["path", { d: path }]]);
    const step = (name, path, to) => h("button", { type: "button", "aria-label": name, onclick: () => this.user(to()) }, icon(path));
    this.slider = h("input", { type: "range", min: 0, "aria-label": t("Position"), oninput: () => this.user(Number(this.slider.value)) });
    this.count = h("span", { class: "soft small" });
    this.playing = h("button", { type: "button", class: "go", onclick: () => (this.timer ? this.pause() : this.play()) }, t("Replay"));
    const controls = h("div", { class: "steps" },
      h("div", { class: "row" },
        step(t("First position"), "M5 5v14M19 5 9 12l10 7z", () => 0),
        step(t("One back"), "M17 5 7 12l10 7z", () => this.at - 1),
        this.playing,
        step(t("One forward"), "M7 5l10 7-10 7z", () => this.at + 1),
        step(t("Last position"), "M19 5v14M5 5l10 7-10 7z", () => this.stops.length - 1)),
      h("div", { class: "row" }, this.slider, this.count));
    this.buttons = h("div", { class: "row buttons" });
    const panel = h("section", { class: "panel sheet", "aria-label": t("The match") },
      h("div", { class: "head" }, this.title, this.detail), this.moves.element, this.buttons);
    this.middle = h("div", { class: "middle" }, this.seats.above, this.board.element, this.seats.below, controls);
    put(this.place, h("div", { class: this.game.bare ? "table bare steppable" : "table steppable" }, this.middle, panel));
    this.drawButtons();
  }

  drawButtons() {
    const file = (ending, text) => h("a", { class: "button", href: this.file(ending), download: `match-${this.number}.${ending}` }, text);
    const turn = () => {
      this.turned = !this.turned;
      this.show();
    };
    put(this.buttons,
      h("button", { type: "button", onclick: () => this.share() }, t("Share")),
      this.game.bare ? null : h("button", { type: "button", onclick: turn }, t("Flip")),
      this.match.over && !this.study ? h("button", { type: "button", class: "go", onclick: () => this.beginStudy() }, t("Find the mistakes")) : null,
      ...(this.match.live ? [link(`/table/${this.number}`, { class: "button" }, t("To the table"))] : [file("json", "JSON"), file("txt", t("Text")), file("svg", "SVG")]));
  }

  async beginStudy() {
    const { Study } = await import("./study.js");
    if (this.closed || this.study) return;
    this.middle.querySelector(".study")?.remove();
    this.study = new Study(this);
    this.middle.append(this.study.element);
    this.study.element.scrollIntoView({ block: "nearest" });
    this.drawButtons();
  }

  /** The host has refused: show the reason. The page may ask again. */
  noStudy() {
    this.study = null;
    this.drawButtons();
  }

  show() {
    const { stops, at, game, table, match } = this;
    const stop = stops[at];
    const seat = this.turned ? 1 : 0;
    const options = {
      seat, mine: null, can: false, moves: [], choice: null, small: false, wide: WIDE.matches, last: stop.move?.event ?? stop.last, names: match.names,
      fresh: this.fresh === true, stepping: true, turns: at === stops.length - 1 && match.over ? [] : game.turn(stop.view),
    };
    const spec = game.draw(stop.view, options);
    this.place.style.setProperty("--ratio", spec.width / spec.height);
    this.board.show(spec);
    this.seats.show(at === stops.length - 1 ? table : { ...table, over: null }, game, stop.view, options);
    const move = stops.slice(0, at + 1).findLast((one) => one.move)?.move;
    this.moves.show(table, game, move ?? { index: -1 });
    this.moves.bar.hidden = true;
    this.keepInSight();
    this.slider.max = stops.length - 1;
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", this.words());
    say(this.count, t("Move {n} of {all}", { n: at, all: stops.length - 1 }));
    this.showStatus();
    this.study?.at(stop.n);
  }

  /** Scroll the list to the current move, without scrolling the page. */
  keepInSight() {
    const current = this.moves.rows.querySelector("[aria-current]");
    const box = this.moves.scroll;
    if (!current) return;
    const [top, bottom] = [current.getBoundingClientRect().top, current.getBoundingClientRect().bottom];
    const frame = box.getBoundingClientRect();
    if (top < frame.top) box.scrollTop -= frame.top - top;
    else if (bottom > frame.bottom) box.scrollTop += bottom - frame.bottom;
  }

  showStatus() {
    const { match, game } = this;
    const who = match.names.join(t(" against "));
    say(this.title, match.over ? resultWords({ ...match, ...match.over }) : t("{names}, live", { names: who }));
    say(this.detail, `${t("{game}, match {n}", { game: titleOf(match.game), n: this.number })} · ${match.over ? who : t("it goes on")}`);
    document.title = `${who} - ${game.title}`;
  }

  /** The position in words. */
  words() {
    const { stops, at, game, match } = this;
    const words = game.words?.(stops[at].move?.event ?? stops[at].last, match.names, stops[at].view);
    return `${t("Move {n} of {all}", { n: at, all: stops.length - 1 })}${words ? `: ${words}` : ""}`;
  }

  // -- stepping

  goTo(at, told = true) {
    const within = Math.min(Math.max(at, 0), this.stops.length - 1);
    this.at = within;
    this.linger();
    this.show();
    if (!told) return;
    history.replaceState(null, "", `#${within}`);
    announce(this.words());
  }

  /** Show once what a move shows only for a moment, such as a fight. */
  linger() {
    const { move } = this.stops[this.at];
    const linger = move ? this.game.linger?.(move.event) : 0;
    clearTimeout(this.lingering);
    this.fresh = linger > 0;
    if (!linger) return;
    this.lingering = setTimeout(() => {
      this.fresh = false;
      this.show();
    }, linger);
  }

  /** Show the position after a move; after the last one, if there are fewer. */
  goToMove(number) {
    if (this.laid && Number.isFinite(number)) this.goTo(number, false);
  }

  /** The number of the move to which an entry of the record belongs. */
  moveOf(n) {
    const found = this.stops.findIndex((stop) => stop.n >= n);
    return found < 0 ? this.stops.length - 1 : found;
  }

  /** The person steps: end the automatic play. */
  user(at) {
    this.pause();
    this.goTo(at);
  }

  play() {
    if (this.at === this.stops.length - 1) this.goTo(0);
    say(this.playing, t("Pause"));
    this.timer = setInterval(() => {
      this.goTo(this.at + 1);
      if (this.at === this.stops.length - 1) this.pause();
    }, PACE);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    if (this.playing) say(this.playing, t("Replay"));
  }

  key(event) {
    if (!this.laid || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest?.("input, .cells, dialog, .moves")) return;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.stops.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.user(to);
  }

  async share() {
    const url = `${location.origin}${address(`/match/${this.number}`, { code: this.code })}#${this.at}`;
    try {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ url });
      else {
        await navigator.clipboard.writeText(url);
        notice(t("The address of this position is copied."));
      }
    } catch {
      notice(t("The address of this position: {url}", { url }));
    }
  }
}
