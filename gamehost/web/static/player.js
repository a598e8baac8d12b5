// The page of a player: results by game, and the finished matches.

import { h, link, put, say } from "./dom.js";
import { levelOf, titleOf } from "./games.js";
import { showMatches } from "./matches.js";
import { address, fetchJson } from "./record.js";
import { resultTable } from "./results.js";
import { look } from "./socket.js";
import { state } from "./store.js";
import { listed, t, titled } from "./words.js";

export function open(place, url) {
  look({});
  const name = decodeURIComponent(url.pathname.split("/")[2]);
  document.title = titled(name);
  const results = h("div", { class: "found" });
  const rows = h("div", { class: "found" });
  const now = h("div", { class: "found" });
  const level = levelOf(name);
  const house = level && h("p", { class: "soft" }, t("One of the host's own players. All of the level {level} are one player in the results.", { level: t(level) }));
  const title = h("h1", {}, name);
  put(place, title, house, now, results, h("h2", {}, t("Matches")), rows);
  let closed = false;
  showPlayed(now, name, () => closed);
  showResults(results, title, level ?? name, () => closed);
  showMatches(rows, { name, before: url.searchParams.get("before") }, url.pathname, () => closed);
  return () => (closed = true);
}

/** The matches that go on. Private ones are in no list, but one's own is known. */
async function showPlayed(place, name, closed) {
  const { tables } = await fetchJson("/api/tables").catch(() => ({ tables: [] }));
  const found = tables.filter((row) => row.names.includes(name)).map((row) => ({ table: row.table, words: `${titleOf(row.game)}: ${listed(row.names)}` }));
  const own = state.me?.name === name ? state.own : null;
  if (own !== null && !found.some((row) => row.table === own)) found.unshift({ table: own, words: t("Your match at table {n}", { n: own }) });
  if (closed() || !found.length) return;
  put(place, h("h2", {}, t("Played now")), h("ul", {}, found.map(({ table, words }) => h("li", {}, link(`/table/${table}`, {}, words)))));
}

async function showResults(place, title, name, closed) {
  try {
    const { results, shown_as: shown } = await fetchJson(address("/api/results", { name }));
    if (closed()) return;
    const own = results.filter((row) => row.name === name);
    if (own.length) put(place, resultTable(own, null));
    if (shown?.[name]) say(title, shown[name]);
  } catch {
    // The matches below say the same.
  }
}
