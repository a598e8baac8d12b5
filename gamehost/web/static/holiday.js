// Holidays: for some days no match with days for a move ends because you do not move. Loaded with the page of your matches, when
// there is such a match.

import { h, put } from "./dom.js";
import { dateWords } from "./record.js";
import { send } from "./socket.js";
import { listen, state } from "./store.js";
import { t } from "./words.js";

/** A day is left after each move, whatever is pressed. */
const DAY = 86_400_000;

/** Show in an element whether you are on holiday, and how to be. Returns the function that ends it. */
export function holiday(place) {
  let [asked, shown] = [null, null];
  const draw = () => {
    if (state.me && asked !== state.me) {
      asked = state.me;
      send({ do: "holiday" });
    }
    if (shown === state.holiday) return;
    shown = state.holiday;
    put(place, shown.until ? away(shown) : home(shown));
  };
  draw();
  return listen(draw);
}

const back = () => h("button", { type: "button", onclick: () => send({ do: "holiday", days: 0 }) }, t("I am back"));

function away({ until }) {
  const words = t("You are on holiday until {date}. When you move, it ends a day later.", { date: dateWords(until / 1000) });
  return h("div", { class: "sheet" }, h("p", {}, words), until - Date.now() > DAY && h("div", { class: "row" }, back()));
}

function home({ left }) {
  const most = Math.min(14, left);
  const days = h("input", { type: "number", name: "days", min: 1, max: most, value: Math.min(7, most), required: true });
  const take = (event) => {
    event.preventDefault();
    send({ do: "holiday", days: days.valueAsNumber });
  };
  return h("details", { class: "programs" }, h("summary", {}, t("Take a holiday")),
    h("p", { class: "soft" }, t("Until its end no match ends because you do not move. The clocks do not stop: move before the end."), " ",
      t("{n} day is left in this year.|{n} days are left in this year.", { n: left })),
    most > 0 && h("form", { class: "row", onsubmit: take }, h("label", {}, t("Days"), " ", days), h("button", { type: "submit" }, t("Take a holiday"))));
}
