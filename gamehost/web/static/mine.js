// Your matches: a list at the top of the page of tables and on a page of its own, and a number in the head and the title of every
// page. Loaded after the log-in. The host sends the list once, and then each change.

import { h, link, list, put, say } from "./dom.js";
import { titleOf } from "./games.js";
import { tellHidden } from "./hidden.js";
import { dateWords } from "./record.js";
import { look, send } from "./socket.js";
import { listen, state } from "./store.js";
import { listed, t, titled } from "./words.js";

/** The most rows on the page of tables, which also has other content. */
const FEW = 4;

const ORDER = ["turn", "offer", "wait", "open", "over"];

/** The rows in order: your turns with the least time first, and ended matches last. */
export function ordered(rows) {
  const by = (row) => (row.state === "over" ? -row.ended : (row.by ?? Number.MAX_VALUE));
  return [...rows].sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || by(one) - by(other) || one.table - other.table);
}

/** How many matches wait for you. */
export const wanted = (rows) => rows.filter((row) => row.state === "turn" || row.state === "offer").length;

/** So many milliseconds in words, the larger of the units that fit. */
export function leftWords(milliseconds) {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  if (minutes >= 2880) return t("{n} day|{n} days", { n: Math.floor(minutes / 1440) });
  return minutes >= 120 ? t("{n} hour|{n} hours", { n: Math.floor(minutes / 60) }) : t("{n} minute|{n} minutes", { n: minutes });
}

const others = (row) => listed(row.names.filter((_, seat) => seat !== row.seat));

/** The state of a match in words. `now`: milliseconds since 1970. */
export function stateWords(row, me, now) {
  const time = row.by === undefined ? "" : leftWords(row.by - now);
  const left = time && t(": {time} left", { time });
  if (row.state === "turn") return t("Your turn") + left;
  if (row.state === "wait") return t("{names} plays|{names} play", { n: row.names.length - 1, names: others(row) || t("The others") }) + left;
  if (row.state === "open") {
    const seats = row.names.length > 1 ? `${t("{names} have seats.", { names: listed(row.names) })} ` : "";
    return seats + (time ? t("It waits for players, for {time}", { time }) : t("It waits for players"));
  }
  const offer = { draw: "{name} offers a draw", takeback: "{name} wants to take the last move back" }[row.offer];
  if (offer) return t(offer, { name: others(row) }) + (row.turn ? left : "");
  if (row.state === "offer") return row.names.includes(me) ? t("An offer waits for your answer") : t("{names} wants a rematch|{names} want a rematch", { n: row.names.length, names: listed(row.names) });
  const why = whyWords(row);
  return `${endWords(row)}${why && `: ${why}`}`;
}

/** Why a match has ended, for this player: the host's words are the same for all players. */
function whyWords({ cause, winners = [], seat, why = "", names }) {
  if (winners.length !== 1 || names.length !== 2 || (cause !== "time" && cause !== "left")) return why;
  const [lost, name] = [winners[0] !== seat, names[1 - seat]];
  if (cause === "time") return lost ? t("your time was over") : t("the time of {name} was over", { name });
  return lost ? t("you have resigned, or did not come back in time") : t("{name} has resigned, or did not come back", { name });
}

function endWords({ cause, winners, seat }) {
  if (cause === undefined) return t("It did not begin");
  if (winners.includes(seat)) return t("You have won");
  if (winners.length) return t("You have lost");
  return cause === "left" ? t("It was put away") : t("A draw");
}

/** The address of a match; `null`: it has no record. */
export function placeOf({ state: stands, cause, winners, table, code }) {
  if (stands !== "over") return `/table/${table}${code ? `#${code}` : ""}`;
  const kept = winners.length || (cause !== undefined && cause !== "left");
  return kept ? `/match/${table}${code ? `?code=${encodeURIComponent(code)}` : ""}` : null;
}

/** The game and the opponents. */
const named = (row) => (others(row) ? t("{game} with {names}", { game: titleOf(row.game), names: others(row) }) : titleOf(row.game));

function make(row) {
  return h("li", { class: "sheet" }, h("p", {}), h("span", { class: "row" }));
}

function update(element, row) {
  const [words, buttons] = element.children;
  const asks = wanted([row]) > 0;
  const name = named(row);
  const when = row.state === "over" ? dateWords(row.ended / 1000) : "";
  const told = stateWords(row, state.me?.name, Date.now());
  const key = JSON.stringify([row, told]);
  if (element.dataset.shows === key) return;
  element.dataset.shows = key;
  put(words, asks ? h("b", {}, told) : told, h("br"),
    h("span", { class: "soft small" }, [name, row.private && t("private"), when].filter(Boolean).join(" · ")));
  const where = placeOf(row);
  const wish = row.slow && row.offer === "rematch";
  const seen = () => send({ do: "seen", table: row.table });
  put(buttons,
    wish && answers(row, name),
    where && !wish && link(where, { class: asks ? "button go" : "button", "aria-label": `${t("Open")}: ${name}`, onclick: row.state === "over" ? seen : null }, t("Open")),
    row.state === "open" && h("button", { type: "button", "aria-label": `${t("Give up")}: ${name}`, onclick: () => send({ do: "stop", table: row.table }) }, t("Give up")),
    row.state === "over" && row.slow && row.cause && button("Rematch", name, () => send({ do: "rematch", table: row.table })),
    row.state === "over" && h("button", { type: "button", "aria-label": `${t("Remove")}: ${name}`, onclick: seen }, t("Remove")));
}

const button = (word, name, onclick, kind = "") => h("button", { type: "button", class: kind, "aria-label": `${t(word)}: ${name}`, onclick }, t(word));

/** The buttons to answer a request for a rematch of a slow match, which begins at once. */
const answers = ({ table, code }, name) => [
  button("Accept", name, () => send({ do: "join", table, code }), "go"),
  button("Decline", name, () => send({ do: "stop", table })),
];

/** The log-in for which the list was asked for. */
let asked = null;

function rows() {
  return state.me && state.mine ? ordered([...state.mine.values()]) : [];
}

/** Matches that the page of tables shows elsewhere are left out. */
const elsewhere = (row) => row.table === state.own || row.table === state.seeking?.table;

function show() {
  if (state.me && state.me !== asked && !state.entering) {
    asked = state.me;
    send({ do: "mine" });
  }
  const all = rows();
  tellChanges(all);
  const item = document.querySelector("nav [data-page=mine]");
  item.hidden = !all.length && location.pathname !== "/mine";
  say(item.lastElementChild, wanted(all) ? ` ${wanted(all)}` : "");
  nameTitle();
  const place = document.querySelector(".mine");
  if (place) showOn(place, all.filter((row) => !elsewhere(row)));
}

/** How each match stood when it was shown last, and for whom; `null`: nothing was shown yet. */
let stood = null;

/** If the page is not visible, notify of changes since then: your turn, an offer, a seat that was taken, an end. */
function tellChanges(all) {
  if (!state.me || !state.mine) return;
  const before = stood?.name === state.me.name ? stood.rows : null;
  for (const row of before ? all : []) {
    const known = before.get(row.table);
    const came = row.state === "open" && known && row.names.length > known.names.length;
    if (came || (row.state !== known?.state && ["turn", "offer", "over"].includes(row.state)))
      tellHidden(`${titleOf(row.game)}: ${stateWords(row, state.me.name, Date.now())}`, placeOf(row) ?? "/mine");
  }
  stood = { name: state.me.name, rows: new Map(all.map((row) => [row.table, row])) };
}

function showOn(place, some) {
  if (!place.firstChild) put(place, h("h2", { class: "live-title" }, t("Your matches")), h("ul", { class: "waits" }), h("p", { class: "tabs" }, link("/mine", { class: "button" })));
  const [, rowsHere, more] = place.children;
  place.hidden = !some.length;
  list(rowsHere, some.slice(0, FEW), (row) => row.table, make, update);
  more.hidden = some.length <= FEW;
  say(more.firstChild, t("All {n} of your matches|All {n} of your matches", { n: some.length }));
}

/** The number stands before the title that a page has given itself. */
function nameTitle() {
  const number = wanted(rows());
  const title = document.title.replace(/^\(\d+\) /, "");
  const named = number ? `(${number}) ${title}` : title;
  if (named !== document.title) document.title = named;
}

/** Where a page has found no table: how your match there has ended, if it has. Returns the function that ends it. */
export function showEnd(place, number) {
  const shown = () => {
    const row = state.mine?.get(number);
    if (row?.state !== "over" || place.dataset.ended) return;
    place.dataset.ended = row.table;
    const [head, words, ways] = place.children;
    say(head, endWords(row));
    say(words, [whyWords(row), named(row), dateWords(row.ended / 1000)].join(" · "));
    if (placeOf(row)) ways.prepend(link(placeOf(row), { class: "button go" }, t("See the match")));
  };
  const stop = listen(shown);
  shown();
  return stop;
}

/** Ask for the list with each log-in, and show the number from now on. */
export function follow() {
  new MutationObserver(nameTitle).observe(document.querySelector("title"), { childList: true });
  listen(show);
  // The times go on.
  setInterval(show, 30_000);
  show();
}

/** The page of your matches. */
export function open(place) {
  look({});
  document.title = titled(t("Your matches"));
  const words = h("p", { class: "soft", "data-said": true });
  const places = h("ul", { class: "waits" });
  const clear = h("button", { type: "button", onclick: () => send({ do: "seen" }) }, t("Remove all that have ended"));
  const finished = h("span", {});
  const holiday = h("div", { class: "holiday" });
  let free = null;
  put(place, h("h1", {}, t("Your matches")), words, places, h("div", { class: "row" }, clear, finished), holiday);
  const shown = () => {
    const all = rows();
    const none = state.me ? t("You play no match, and no table of yours waits. Matches that end while you are away stand here for 14 days.") : t("Say who you are, above: then your matches stand here.");
    say(words, all.length ? "" : state.entering || (state.me && !state.mine) ? t("Looking ...") : none);
    list(places, all, (row) => row.table, make, update);
    clear.hidden = all.filter((row) => row.state === "over").length < 2;
    if (state.me && !finished.firstChild) put(finished, link(`/player/${encodeURIComponent(state.me.name)}`, { class: "button" }, t("All finished matches under your name")));
    if (!free && all.some((row) => row.slow && row.state !== "over")) {
      free = import("./holiday.js").then((module) => module.holiday(holiday));
    }
    show();
  };
  const timer = setInterval(shown, 30_000);
  const stop = listen(shown);
  shown();
  return () => {
    stop();
    free?.then((end) => end());
    clearInterval(timer);
  };
}
