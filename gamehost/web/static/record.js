// What the host knows of finished matches, as the pages read it.

import { listed, locale, reason, t } from "./words.js";

/** An object of the host's interface. Raises an error if it is not there, or if there is no connection. */
export async function fetchJson(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`the host answered ${answer.status}`);
  return answer.json();
}

/** An address with those of the values that are there. */
export function address(path, values) {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(kept).toString();
  return query ? `${path}?${query}` : path;
}

/** The names of players as they typed them. */
export const shownNames = ({ names, shown_as: shown = {} }) => names.map((name) => shown[name] ?? name);

/** The end of a match in words. `row` has `names`, `winners`, `cause` and `why`. */
export function resultWords(row) {
  const names = listed(row.winners.map((seat) => shownNames(row)[seat]));
  const title = names ? t("{names} has won|{names} have won", { n: row.winners.length, names }) : t("Draw");
  // The words of the host name nobody.
  const gone = row.cause === "left" && row.names.length === 2 && row.winners.length === 1;
  const why = gone ? `${shownNames(row)[1 - row.winners[0]]} ${t("has left")}` : reason(row.why ?? "");
  return why ? `${title}: ${why}` : title;
}

/** How long a match was, such as `2:05` or `1:00:09`; "" if the host does not know it. */
export function lastedWords({ opened, ended }) {
  const seconds = Math.round((Date.parse(ended) - Date.parse(opened)) / 1000);
  if (Number.isNaN(seconds)) return "";
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((one) => String(one).padStart(2, "0"));
  return parts.join(":").replace(/^(00:)?0?/, "");
}

const DATE = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** A moment, from seconds since 1970 or from ISO text; "" if the host does not know it. */
export function dateWords(moment) {
  if (moment === undefined || moment === null) return "";
  const date = new Date(typeof moment === "number" ? moment * 1000 : moment);
  return Number.isNaN(date.getTime()) ? "" : DATE.format(date);
}
