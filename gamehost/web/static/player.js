// The page of a player: results by game, and the finished matches.

import { h, put } from "./dom.js";
import { showMatches } from "./matches.js";
import { address, fetchJson } from "./record.js";
import { resultTable } from "./results.js";
import { look } from "./socket.js";

export function open(place, url) {
  look({});
  const name = decodeURIComponent(url.pathname.split("/")[2]);
  document.title = `${name} - gamehost`;
  const results = h("div", { class: "found" });
  const rows = h("div", { class: "found", role: "status" });
  put(place, h("h1", {}, name), results, h("h2", {}, "Matches"), rows);
  let closed = false;
  showResults(results, name, () => closed);
  showMatches(rows, { name, before: url.searchParams.get("before") }, url.pathname, () => closed);
  return () => (closed = true);
}

async function showResults(place, name, closed) {
  try {
    const { results } = await fetchJson(address("/api/results", { name }));
    if (closed()) return;
    const own = results.filter((row) => row.name === name);
    if (own.length) put(place, resultTable(own, false));
  } catch {
    // The matches below say the same.
  }
}
