// The page of finished matches: a list with filters, 50 rows a page. The list is used by the page of a player, too.

import { h, link, put } from "./dom.js";
import { games, titleOf } from "./games.js";
import { address, dateWords, fetchJson, lastedWords, resultWords } from "./record.js";
import { look } from "./socket.js";
import { t, titled } from "./words.js";

export function open(place, url) {
  look({});
  document.title = titled(t("Matches"));
  const filters = { game: url.searchParams.get("game") ?? "", name: url.searchParams.get("name") ?? "", before: url.searchParams.get("before") };
  const rows = h("div", { class: "found" });
  put(place, h("h1", {}, t("Matches")), filterForm(filters), rows);
  let closed = false;
  showMatches(rows, filters, "/matches", () => closed);
  return () => (closed = true);
}

/** The filters. They are part of the address, so that a list can be sent to others. */
function filterForm({ game, name }) {
  const options = [["", t("all games")], ...[...games().keys()].map((one) => [one, titleOf(one)])];
  const choice = h("select", { name: "game" }, options.map(([value, text]) => h("option", { value, selected: value === game }, text)));
  const submit = (event) => {
    event.preventDefault();
    const chosen = Object.fromEntries(new FormData(event.target));
    import("./app.js").then(({ go }) => go(address("/matches", chosen)));
  };
  return h("form", { class: "filters", role: "search", onsubmit: submit },
    h("label", {}, t("Game"), choice),
    h("label", {}, t("Player"), h("input", { name: "name", value: name, maxlength: 40, autocomplete: "off" })),
    h("button", { class: "go" }, t("Show")));
}

/** Fill `place` with one page of finished matches. `path` is the address of the page itself, for the link to older ones. */
export async function showMatches(place, filters, path, closed) {
  put(place, h("p", { class: "soft" }, t("Looking ...")));
  let answer;
  try {
    answer = await fetchJson(address("/api/matches", filters));
  } catch {
    if (!closed()) put(place, h("p", { class: "soft" }, t("The host did not say which matches there are. Load the page again.")));
    return;
  }
  if (closed()) return;
  const { matches, before } = answer;
  if (!matches.length) put(place, h("p", { class: "soft" }, t("No finished match is kept here that fits.")));
  else put(place, matchTable(matches), before && link(address(path, { ...filters, before }), { class: "button" }, t("Older matches")));
}

function matchTable(matches) {
  const head = [t("Match"), t("Game"), t("Players"), t("Result"), t("Time"), t("Ended")].map((title) => h("th", { scope: "col" }, title));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Finished matches") },
    h("table", { class: "list matches sheet" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, matches.map(matchRow))));
}

function matchRow(match) {
  const players = match.names.flatMap((name, seat) => {
    const player = link(`/player/${encodeURIComponent(name)}`, { class: match.winners.includes(seat) ? "winner" : "" }, match.shown_as?.[name] ?? name);
    return seat ? [h("span", { class: "soft" }, " : "), player] : [player];
  });
  return h("tr", {},
    h("td", {}, link(`/match/${match.table}`, { "aria-label": t("Match {n}, step through", { n: match.table }) }, `${match.table}`)),
    h("td", {}, titleOf(match.game)),
    h("td", {}, players),
    h("td", {}, resultWords(match)),
    h("td", { class: "number" }, lastedWords(match)),
    h("td", { class: "soft" }, dateWords(match.ended)));
}
