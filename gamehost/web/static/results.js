// The page of results: who has played and won how often, by game.

import { h, link, put } from "./dom.js";
import { games, titleOf } from "./games.js";
import { address, fetchJson } from "./record.js";
import { look } from "./socket.js";
import { t, titled } from "./words.js";

export function open(place, url) {
  look({});
  document.title = titled(t("Results"));
  const game = url.searchParams.get("game") ?? "";
  const rows = h("div", { class: "found by-game" });
  const choices = [["", t("All games")], ...[...games().keys()].map((name) => [name, titleOf(name)])];
  const tabs = choices.map(([name, title]) => link(address("/results", { game: name }), { "aria-current": name === game ? "page" : null }, title));
  put(place, h("h1", {}, t("Results")), h("nav", { class: "tabs", "aria-label": t("Games") }, tabs), rows);
  let closed = false;
  show(rows, game, () => closed);
  return () => (closed = true);
}

async function show(place, game, closed) {
  try {
    const { results, ladders, shown_as: shown } = await fetchJson(address("/api/results", { game }));
    if (closed()) return;
    const played = new Map();
    for (const row of results) played.set(row.game, [...(played.get(row.game) ?? []), row]);
    put(place,
      ladders.map((one) => h("section", {}, ladderTable(one))),
      [...played].map(([name, rows]) => h("section", {}, h("h2", {}, titleOf(name)), resultTable(rows, shown ?? {}, titleOf(name)))),
      !results.length && h("p", { class: "soft", "data-said": true }, t("Nobody has finished a match yet.")));
  } catch {
    if (!closed()) put(place, h("p", { class: "soft" }, t("The host did not say the results. Load the page again.")));
  }
}

/** The ratings in one game. */
function ladderTable({ game, ladder, shown_as: shown = {} }) {
  const heads = [t("Player"), t("Rating"), "95 %", t("Rated matches")];
  const rows = ladder.map((row) => h("tr", {},
    h("td", {}, named(row.name, shown)),
    [row.rating, row.kind === "house" ? t("fixed") : t("{low} to {high}", row), row.matches].map((words) => h("td", { class: "number" }, `${words}`))));
  const title = t("Ratings in {game}", { game: titleOf(game) });
  return [h("h2", {}, title), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h("table", { class: "list sheet" },
      h("thead", {}, h("tr", {}, heads.map((head, place) => h("th", { scope: "col", class: place ? "number" : null }, head)))),
      h("tbody", {}, rows)))];
}

/** A player, by the display name if there is one. */
const named = (name, shown) => link(`/player/${encodeURIComponent(name)}`, {}, shown[name] ?? name);

/**
 * A table of results: of the players in one game, or of the games of one player. `shown`: display names by names; `null`: it is
 * of one player. `title` says of which game.
 */
export function resultTable(results, shown, title = t("Results")) {
  const titles = [shown ? t("Player") : t("Game"), t("Played"), t("Won"), t("Drawn"), t("Lost")];
  const head = titles.map((title, place) => h("th", { scope: "col", class: `${place >= titles.length - 4 ? "number" : ""} ${place === titles.length - 2 ? "drawn" : ""}` }, title));
  const rows = results.map((row) => h("tr", {},
    h("td", {}, shown ? named(row.name, shown) : titleOf(row.game)),
    [row.played, row.won, row.drawn, row.played - row.won - row.drawn].map((count, place) => h("td", { class: place === 2 ? "number drawn" : "number" }, `${count}`))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h("table", { class: "list sheet" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
