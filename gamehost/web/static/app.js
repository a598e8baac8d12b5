// The shell of all pages: which page an address shows, the head, the log-in, light and dark.
//
// A page is a module with `open(place, address)`: it fills `place`, an empty element, and returns the function that closes it.
// `address` is a URL. Links inside the site open their page without loading the shell again.

import { announce, h, notice, put, say, set } from "./dom.js";
import { styled } from "./games.js";
import { logInDialog } from "./login.js";
import { begin, look, reconnect } from "./socket.js";
import { listen, state } from "./store.js";
import { languageSwitch, t, titled } from "./words.js";

const PAGES = [
  { path: /^\/$/, page: "tables", load: () => import("./lobby.js") },
  { path: /^\/table\/\d+$/, page: "tables", load: () => import("./table.js") },
  { path: /^\/match\/\d+$/, page: "matches", load: () => import("./match.js") },
  { path: /^\/matches$/, page: "matches", load: () => import("./matches.js") },
  { path: /^\/player\/[^/]+$/, page: "matches", load: () => import("./player.js") },
  { path: /^\/rules\/[^/]+$/, page: "tables", load: () => import("./rules.js") },
  { path: /^\/no-mail\/./, page: "tables", load: () => import("./notices.js") },
  { path: /^\/mine$/, page: "mine", load: () => import("./mine.js") },
  { path: /^\/results$/, page: "results", load: () => import("./results.js") },
];

const main = document.getElementById("main");
let shown = { path: null, close: null };
/** Counts the pages, so that one that loads slowly does not replace a later one. */
let turn = 0;

/** The style of all pages but the first. */
let restStyle = null;
const styleRest = () => (restStyle ??= styled("./pages.css"));

/** Show the page of an address of this site. */
export async function go(address, { replace = false } = {}) {
  const url = new URL(address, location.href);
  if (url.href !== location.href) history[replace ? "replaceState" : "pushState"](null, "", url);
  await show(url);
  window.scrollTo(0, 0);
}

async function show(url) {
  const mine = ++turn;
  const found = PAGES.find((page) => page.path.test(url.pathname));
  for (const item of document.querySelectorAll("nav a")) set(item, "aria-current", item.dataset.page === found?.page ? "page" : null);
  let module;
  try {
    [module] = found ? await Promise.all([found.load(), found === PAGES[0] || styleRest()]) : [{ open: nothing }];
  } catch {
    module = { open: unreachable };
  }
  if (mine !== turn) return;
  shown.close?.();
  const first = shown.path === null;
  shown = { path: url.pathname, close: null };
  const place = h("div", { class: "page" });
  put(main, place);
  shown.close = module.open(place, url) ?? null;
  styleRest();
  if (!first) {
    main.focus({ preventScroll: true });
    announce(document.title);
  }
}

function nothing(place) {
  look({});
  document.title = titled(t("Nothing here"));
  put(place, h("h1", {}, t("There is no such page")), h("p", {}, h("a", { href: "/" }, t("All tables"))));
}

function unreachable(place) {
  document.title = "gamehost";
  const again = h("button", { type: "button", onclick: () => location.reload() }, t("Load again"));
  put(place, h("h1", {}, t("This page could not be loaded")), h("p", { class: "soft" }, t("The host did not answer.")), again);
}

function followLinks() {
  document.addEventListener("click", (event) => {
    const found = event.target.closest?.("a[href]");
    if (!found || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const url = new URL(found.href);
    if (url.origin !== location.origin || found.download || found.target) return;
    if (/^\/(api|static)\//.test(url.pathname) || (url.hash && url.pathname === location.pathname)) return;
    event.preventDefault();
    go(url);
  });
  window.addEventListener("popstate", () => location.pathname !== shown.path && show(new URL(location.href)));
}

/** Open the page of a new match from every page, and of a running match only from the page of tables. */
let own = null;
let sorry = 0;
let mine = null;

function follow() {
  if (state.own !== own) {
    own = state.own;
    if (own === null || !state.tables.has(own)) own = null;
    else if (state.tables.get(own).by && shown.path === `/table/${own}`) ; // its page would rise from it
    else if (state.tables.get(own).since === 0 || shown.path === "/") go(`/table/${own}`);
  }
  if (state.sorry.count !== sorry) {
    sorry = state.sorry.count;
    if (!document.querySelector("dialog[open]")) notice(state.sorry.why);
  }
  if (state.me) mine ??= import("./mine.js").then(({ follow: begins }) => begins());
  say(document.getElementById("me"), state.me ? state.me.shown : t("Guest"));
  showLink();
}

let late = 0;

/** The state of the connection in words; none for a short interruption. */
function showLink() {
  const place = document.getElementById("link");
  clearTimeout(late);
  if (state.link === "open" || state.link === "closed") put(place);
  else if (state.link === "connecting") late = setTimeout(() => say(place, t("The host cannot be reached. Trying again ...")), place.textContent ? 0 : 1200);
  else if (!place.querySelector("button")) {
    put(place, /another connection/.test(state.why) ? t("You go on in another tab.") : state.why || t("The connection has ended"), " ",
      h("button", { type: "button", onclick: reconnect }, t("Use this one")));
  }
}

function themeButton() {
  const root = document.documentElement;
  const saved = localStorage.getItem("theme");
  if (saved) root.dataset.theme = saved;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  });
}

themeButton();
languageSwitch(document.getElementById("language"));
followLinks();
listen(follow);
document.getElementById("me").addEventListener("click", () => logInDialog());
begin();
import("./heard.js").then((heard) => heard.begin());
if (localStorage.getItem("notices")) import("./notices.js").then(({ renew }) => renew());
show(new URL(location.href));
