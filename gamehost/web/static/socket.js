// The connection to the host: the open wire over a WebSocket. It is opened again by itself when it is lost.
//
// Pages call `look` with what they show; after a lost connection it is asked for again. A guest's key is stored in the storage
// of this site, which all its tabs share and which outlives the browser: so a reload, another tab or the next day has the same
// name and seat. The key is no cookie, because the host answers GET alone and has nothing to set one with; only modules of this
// site can read it. One tab at a time has the connection of the name: the last visible one. Passwords are stored in memory
// until the host has answered: it gives a key for an account, too.

import { changed, disconnected, hear, state } from "./store.js";

/** Milliseconds. After a lost connection, and the longest pause; a ping while the page is visible; the time for its answer. */
const FIRST = 500;
const LONGEST = 10_000;
const PING_EVERY = 10_000;
const PONG_WITHIN = 5_000;
/** Milliseconds after which a socket that has not opened is closed. */
const OPEN_WITHIN = 10_000;
const SAVED = "gamehost";

let socket = null;
let failures = 0;
let timer = 0;
let pongTimer = 0;
let openTimer = 0;
/** How to log in on a new connection: a message `enter` or `log-in`, or `null`. */
let login = null;
/** What the page shows now: whether the lobby, and which tables (number -> code or `undefined`). */
let wanted = { lobby: false, tables: new Map() };
/** What the host was asked for on this connection, in the same form. */
let asked = { lobby: false, tables: new Set() };

/** The milliseconds until the next attempt, after a number of failures. `random` is from 0 to 1. */
export function pause(failed, random) {
  return Math.min(LONGEST, FIRST * 2 ** failed) * (0.7 + 0.6 * random);
}

/** Send a message; `false`: there is no connection, and the message is dropped. */
export function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

function connect() {
  clearTimeout(timer);
  timer = 0;
  if (socket) return;
  const address = new URL("/socket", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  state.link = "connecting";
  changed();
  const opened = new WebSocket(address);
  socket = opened;
  openTimer = setTimeout(() => drop(opened), OPEN_WITHIN);
  opened.onopen = () => {
    clearTimeout(openTimer);
    asked = { lobby: false, tables: new Set() };
    state.link = "open";
    state.opened += 1;
    if (login) {
      state.entering = true;
      send(login);
    }
    ask();
    changed();
  };
  opened.onmessage = (event) => opened === socket && received(JSON.parse(event.data));
  opened.onclose = () => drop(opened);
}

/** Close a socket without waiting for its `onclose`, which may come much later. */
function drop(lost) {
  if (lost !== socket) return;
  socket = null;
  lost.onmessage = lost.onclose = lost.onopen = null;
  lost.close();
  clearTimeout(pongTimer);
  clearTimeout(openTimer);
  pongTimer = 0;
  if (state.link === "ended") return;
  disconnected("connecting");
  if (!timer) timer = setTimeout(connect, pause(failures, Math.random()));
  failures += 1;
}

function received(message) {
  clearTimeout(pongTimer);
  pongTimer = 0;
  failures = 0;
  const entering = state.entering;
  if (message.is === "sorry" && entering) {
    login = null;
    localStorage.removeItem(SAVED);
  }
  hear(message);
  if (message.is === "entered") entered(message.account ? message.name : state.me.shown, message.key);
  if (message.is === "password-changed") entered(state.me.name, message.key);
  if (message.is === "entered" || (message.is === "sorry" && entering)) ask();
  if (message.is === "over") asked.tables.delete(message.table);
  if (message.is === "bye") ended(message);
}

function entered(name, key) {
  if (!key) return;
  login = { do: "enter", name, key };
  localStorage.setItem(SAVED, JSON.stringify(login));
}

function ended(message) {
  clearTimeout(timer);
  if (message.again === undefined) {
    disconnected("ended");
    state.me = null;
  } else timer = setTimeout(connect, message.again * 1000 * (0.7 + 0.6 * Math.random()));
}

/** Ask the host for what the page shows, as far as it was not asked for before. */
function ask() {
  // During a log-in it is not known whether a table is your own, which you cannot watch.
  if (socket?.readyState !== WebSocket.OPEN || state.entering) return;
  if (wanted.lobby !== asked.lobby) send({ do: "lobby", on: wanted.lobby });
  asked.lobby = wanted.lobby;
  if (!wanted.lobby) state.listed = false;
  for (const number of asked.tables) {
    if (wanted.tables.has(number)) continue;
    if (!state.tables.get(number)?.by) send({ do: "watch", table: number, on: false });
    asked.tables.delete(number);
    if (state.own !== number) state.tables.delete(number);
  }
  for (const [number, code] of wanted.tables) {
    if (asked.tables.has(number) || state.own === number || state.tables.get(number)?.over) continue;
    asked.tables.add(number);
    send(state.tables.get(number)?.by ? { do: "sit", table: number } : { do: "watch", table: number, code });
  }
}

/**
 * Set what the page shows from now on. `tables` are numbers, or pairs of a number and the code of a private table.
 * The host sends nothing else, except events of the own match.
 */
export function look({ lobby = false, tables = [] }) {
  wanted = { lobby, tables: new Map(tables.map((table) => (Array.isArray(table) ? table : [table, undefined]))) };
  if (socket) ask();
  else if ((lobby || wanted.tables.size || login) && state.link !== "ended") connect();
}

/** Log in. `password` and `device` are for accounts. The answer is in the state: `me`, or `sorry`. */
export function enter(name, password, device) {
  login = password ? { do: "log-in", name, password, keep: true, device } : { do: "enter", name };
  state.entering = true;
  state.link = state.link === "ended" ? "closed" : state.link;
  if (!send(login)) connect();
  changed();
}

/** Forget who you are, and begin a new connection. The host forgets an account's key, and tables that a guest has opened. */
export function logOut() {
  if (state.me?.account) send({ do: "log-out" });
  else for (const table of state.openedTables.keys()) send({ do: "stop", table });
  login = null;
  localStorage.removeItem(SAVED);
  Object.assign(state, { me: null, own: null, seeking: null });
  reconnect();
}

/** Connect at once, on a new socket. */
export function reconnect() {
  state.link = "closed";
  if (socket) drop(socket);
  failures = 0;
  connect();
}

function ping() {
  if (document.visibilityState !== "visible" || pongTimer || !send({ do: "ping", id: 1 })) return;
  const asking = socket;
  pongTimer = setTimeout(() => drop(asking), PONG_WITHIN);
}

/** This tab has become visible: connect it again, with the name that another tab may have taken meanwhile. */
function looked() {
  if (document.visibilityState !== "visible") return;
  const saved = localStorage.getItem(SAVED);
  const known = login?.do === "log-in" ? saved : login && JSON.stringify(login);
  if (state.link === "ended" ? login : saved !== known) {
    if (login?.do !== "log-in") login = JSON.parse(saved);
    state.entering = login !== null;
    if (!login) Object.assign(state, { me: null, own: null, seeking: null });
    reconnect();
  } else if (timer) connect();
  else ping();
}

/** Begin: read the key of this browser, and watch over the connection. */
export function begin() {
  const saved = localStorage.getItem(SAVED);
  if (saved) {
    login = JSON.parse(saved);
    // The pages wait until it is known whether you have a seat.
    state.entering = true;
  }
  setInterval(ping, PING_EVERY);
  document.addEventListener("visibilitychange", looked);
  window.addEventListener("focus", looked);
  window.addEventListener("online", () => timer && connect());
}
