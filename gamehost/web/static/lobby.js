// The page of tables: the games, who waits, and the matches that are played now.

import { Board } from "./board.js";
import { h, link, list, put, say, set } from "./dom.js";
import { lasting, t, titled, told } from "./words.js";
import { games, levelsOf, loadGame, loaded, settingWords, timesOf, titleOf } from "./games.js";
import { loggedIn, seek } from "./login.js";
import { look, send } from "./socket.js";
import { listen, state, viewOf } from "./store.js";

/** So many tables are shown as boards; the others are a list. */
const WATCHED = 12;

export function open(place) {
  document.title = titled(t("Tables"));
  const parts = {
    seeking: h("div", { class: "seeking", "data-said": true }),
    mine: h("div", { class: "mine", hidden: true }),
    games: h("div", { class: "games" }),
    waits: h("ul", { class: "waits" }),
    count: h("span", { class: "soft" }),
    boards: h("div", { class: "tables" }),
    more: h("ul", { class: "more" }),
    none: h("p", { class: "soft" }),
  };
  put(
    place,
    h("h1", {}, t("Play, or watch others play")),
    parts.seeking,
    parts.mine,
    parts.games,
    parts.waits,
    h("h2", { class: "live-title" }, t("Live tables"), " ", parts.count),
    parts.none,
    parts.boards,
    parts.more,
    programs(),
  );
  const cards = new Map([...games().keys()].map((name) => [name, gameCard(name, parts.games)]));
  const update = () => show(parts, cards);
  const stop = listen(update);
  for (const name of games().keys()) loadGame(name, false).then((game) => game && (drawSample(cards.get(name), game), update()));
  update();
  look({ lobby: true });
  return stop;
}

function programs() {
  const place = h("div", {});
  const open = () => import("./programs.js").then(({ programs: told }) => put(place, told()));
  return h("details", { class: "programs", ontoggle: open }, h("summary", {}, t("Play from a terminal, or with a program")), place);
}

// -- the games

function gameCard(name, place) {
  const board = new Board();
  const card = {
    board,
    title: h("h2", {}, titleOf(name)),
    about: h("p", { class: "soft about" }),
    rules: link(`/rules/${name}`, { class: "small how", "aria-label": t("How to play {game}", { game: titleOf(name) }) }, t("How to play")),
    waiting: h("p", { class: "waiting small" }),
    play: h("button", { type: "button", class: "go", onclick: () => play(name) }, t("Play")),
    more: h("button", { type: "button", onclick: () => more(name) }, "\u22ef"),
  };
  set(card.play, "data-play", name);
  set(card.play, "aria-label", t("Play {game}", { game: titleOf(name) }));
  set(card.more, "aria-label", t("More ways to play {game}", { game: titleOf(name) }));
  const picture = h("div", { class: "sample", "aria-hidden": "true" }, board.element);
  card.element = h("section", { class: "game sheet" }, picture,
    h("div", { class: "words" }, card.title, card.about, h("p", { class: "small" }, card.rules), card.waiting),
    h("div", { class: "row" }, card.play, card.more));
  place.append(card.element);
  return card;
}

function play(name) {
  loggedIn(() => {
    if (state.queued) send({ do: "stop" });
    seek({ game: name });
  });
}

function more(name) {
  loggedIn(async () => (await import("./play.js")).playDialog(name));
}

function drawSample(card, game) {
  say(card.about, told(game.about));
  card.board.show(game.draw(game.sample, { seat: 0, mine: null, can: false, moves: [], choice: null, small: true, wide: true, last: null, names: [] }));
}

function waitingWords(rows) {
  const names = rows.flatMap((row) => row.names);
  if (!names.length) return t("Nobody waits");
  return names.length === 1 ? t("{name} waits", { name: names[0] }) : t("{n} wait|{n} wait", { n: names.length });
}

// -- what changes

function show(parts, cards) {
  showSeeking(parts.seeking);
  for (const [name, card] of cards) {
    const rows = state.waiting.get(name) ?? [];
    say(card.waiting, waitingWords(rows));
    card.waiting.classList.toggle("somebody", rows.length > 0);
    card.play.disabled = state.own !== null || state.queued?.game === name;
  }
  showWaiting(parts.waits);
  const rows = [...state.rows.values()].sort((one, other) => other.table - one.table);
  say(parts.count, state.listed && rows.length ? t("{n} going on|{n} going on", { n: rows.length }) : "");
  say(parts.none, rows.length || !state.listed ? "" : t("No match is going on. Play one, and somebody may come to watch."));
  const boards = rows.slice(0, WATCHED);
  list(parts.boards, boards, (row) => row.table, liveCard, updateCard);
  list(parts.more, rows.slice(WATCHED), (row) => row.table, liveRow, updateRow);
  // Not at every change: a table that changes twice a second would be asked for as often.
  const numbers = boards.map((row) => row.table).filter((number) => number !== state.own);
  if (state.listed && String(numbers) !== parts.looked) {
    parts.looked = String(numbers);
    look({ lobby: true, tables: numbers });
  }
}

function showSeeking(place) {
  const { seeking, own } = state;
  const key = own !== null ? `own ${own}` : JSON.stringify(seeking);
  if (place.dataset.shows === key) return;
  place.dataset.shows = key;
  if (own !== null) put(place, h("p", {}, t("Your match goes on."), " "), link(`/table/${own}`, { class: "button go" }, t("Back to your match")));
  else if (!seeking) put(place);
  else {
    const title = titleOf(seeking.game);
    const words = h("span", {}, t("waiting for an opponent."));
    const invitation = seeking.code && seeking.names.length < seeking.seats ? h("div", { class: "invitation" }) : null;
    if (seeking.lasts) {
      import("./invite.js").then(({ gathered, inviteBox, kept }) => {
        say(words, `${gathered(seeking)} ${kept(seeking)}`);
        if (invitation) put(invitation, inviteBox(seeking.table, seeking.code));
      });
    }
    put(place,
      h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      h("p", {}, `${title}: `, words, " ", h("span", { class: "soft" }, `${houseComes(seeking)} ${timesOf(seeking.game, seeking.settings)}`)),
      invitation,
      !seeking.settings?.move_days && h("div", { class: "row" }, h("span", { class: "small" }, t("Or play the computer:")), levelsOf(seeking.game).map(houseButton)),
      h("button", { type: "button", onclick: () => send({ do: "stop", table: seeking.lasts && seeking.table }) }, t("Stop waiting")));
  }
}

/** When the host's own player comes, in words; "": none comes unasked. */
function houseComes({ game, code }) {
  const seconds = code ? 0 : games().get(game)?.house ?? 0;
  return seconds ? t("If nobody comes within {time}, the host plays.", { time: lasting(seconds) }) : "";
}

/** A button that has a house player of a level take the empty seats. */
function houseButton(level) {
  return h("button", { type: "button", "data-house": level, onclick: () => send({ do: "house", level }) }, t(level));
}

/** Tables that wait for more players, or with settings of their own, can be joined. */
function showWaiting(place) {
  const rows = [...state.waiting.values()].flat().filter((row) => row.table !== undefined && !state.openedTables.has(row.table));
  list(place, rows, (row) => row.table, (row) => {
    const join = () => loggedIn(() => send({ do: "join", table: row.table }));
    const title = titleOf(row.game);
    return h("li", { class: "sheet" }, h("p", {}),
      h("button", { type: "button", class: "go", onclick: join, "aria-label": t("Join {game}, table {table}", { game: title, table: row.table }) }, t("Join")));
  }, (element, row) => {
    const title = titleOf(row.game);
    const there = row.names.map((name) => (row.away?.includes(name) ? t("{name} (away)", { name }) : name)).join(", ");
    say(element.firstChild, [`${title}: ${there}`, t("{n} of {all}", { n: row.names.length, all: row.seats }), ...settingWords(row.settings)].join(" · "));
    element.lastChild.disabled = state.own !== null;
  });
}

function names(row) {
  return row.names.map((name, seat) => {
    const turn = row.turn.includes(seat);
    return h("span", { class: turn ? "turn" : "" }, name, turn && h("span", { class: "unseen" }, ` ${t("is to move")}`));
  });
}

/** How many watch, if anybody does. */
const counts = ({ watchers }) => (watchers ? t("{n} watcher|{n} watchers", { n: watchers }) : "");

function liveCard(row) {
  const board = new Board();
  const card = link(`/table/${row.table}`, { class: "live sheet" },
    h("span", { class: "names" }), board.element, h("span", { class: "foot small soft" }, h("span"), h("span")));
  card.board = board;
  return card;
}

function updateCard(card, row) {
  const [top, , foot] = card.children;
  const key = JSON.stringify([row.names, row.turn]);
  if (top.dataset.shows !== key) {
    top.dataset.shows = key;
    put(top, names(row));
  }
  const game = loaded(row.game, false);
  say(foot.firstChild, titleOf(row.game));
  say(foot.lastChild, counts(row));
  const table = state.tables.get(row.table);
  if (!game || !table) return void loadGame(row.game, false);
  let last = card.last ?? null;
  const fresh = table.fresh.length;
  const view = viewOf(table, game, (event) => (last = game.move(event) ? event : last));
  card.last = last;
  if (!view || (card.drawn === view && !fresh)) return;
  card.drawn = view;
  card.board.show(game.draw(view, { seat: 0, mine: null, can: false, moves: [], choice: null, small: true, wide: true, last, names: table.names }));
}

function liveRow(row) {
  return h("li", {}, link(`/table/${row.table}`, {}, h("span", { class: "names" }), " ", h("span", { class: "soft small" })));
}

function updateRow(element, row) {
  const [top, foot] = element.firstChild.children;
  const key = JSON.stringify([row.names, row.turn]);
  if (top.dataset.shows !== key) {
    top.dataset.shows = key;
    put(top, names(row).flatMap((name, seat) => (seat ? [` ${t("and")} `, name] : [name])));
  }
  say(foot, [titleOf(row.game), counts(row)].filter(Boolean).join(", "));
}
