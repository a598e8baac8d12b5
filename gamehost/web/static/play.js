// Looking for opponents with settings: a dialog.

import { h, newDialog, put, say } from "./dom.js";
import { lasting, t, told } from "./words.js";
import { games, learnGame, levelsOf, loadGame, timesOf, titleOf } from "./games.js";
import { seek } from "./login.js";

function choice(name, label, options, value = "") {
  const made = options.map(([key, text]) => h("option", { value: key, selected: key === value }, text));
  return h("label", {}, label, h("select", { name }, made));
}

const each = (game, more) => t("{time} each, and {more} a move", { time: lasting(game), more: lasting(more) });

/** Ask how to play one game: against whom, how many, with which clock. */
export async function playDialog(game) {
  const [least, most] = games().get(game).seats;
  const { seats = {}, wishes: more = [] } = (await loadGame(game, false)) ?? {};
  await learnGame(game);
  const dialog = newDialog("play-title");
  const submit = (event) => {
    event.preventDefault();
    seek(wishes(game, Object.fromEntries(new FormData(event.target))));
    dialog.close();
  };
  const times = h("p", { class: "soft small", "data-said": true });
  const tell = (form) => say(times, timesOf(game, wishes(game, Object.fromEntries(new FormData(form))).settings));
  const form = h("form", { onsubmit: submit, onchange: () => tell(form) },
    h("h2", { id: "play-title" }, t("Play {game}", { game: titleOf(game) })),
    choice("house", t("Against"), [["", t("anybody who comes")], ...levelsOf(game).map((level) => [level, t("the host: {level}", { level: t(level) })])]),
    least < most &&
      choice("seats", t("Players"), Array.from({ length: most - least + 1 }, (_, one) => [`${least + one}`, told(seats[least + one] ?? `${least + one}`)])),
    most === 2 && choice("seat", t("Who moves first"), [["any", t("it does not matter")], ["first", t("you")], ["second", t("the opponent")]]),
    more.map(({ name, label, options }) => choice(name, told(label), options.map(([value, words]) => [value, told(words)]))),
    choice("clock", t("Time"), [
      ["", timesOf(game) ? t("as usual here") : t("no limit")], ["move 30", t("{time} a move", { time: lasting(30) })], ["move 120", t("{time} a move", { time: lasting(120) })],
      ["game 180 2", each(180, 2)], ["game 600 5", each(600, 5)],
      ["game 1800 0", t("{time} each", { time: lasting(1800) })], ...[1, 3, 7, 14].map((days) => [`days ${days}`, t("{time} a move: close the page meanwhile", { time: lasting(days * 86400) })]),
    ]),
    times,
    choice("private", t("Who can join"), [["", t("everybody")], ["true", t("only those to whom you send the address")]]),
    choice("rated", t("Rated"), [["", t("no")], ["true", t("yes, among players with a password")]]),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: () => dialog.close() }, t("Cancel")),
      h("button", { class: "go" }, t("Play"))));
  put(dialog, form);
  tell(form);
  dialog.showModal();
}

/** What was chosen in the dialog, as fields of `seek`. */
export function wishes(game, { house, seat, seats, clock, private: hidden, ...chosen }) {
  const settings = {};
  const [kind, time, increment] = (clock ?? "").split(" ");
  if (kind === "move") settings.move_time = Number(time);
  if (kind === "days") settings.move_days = Number(time);
  if (kind === "game") Object.assign(settings, { game_time: Number(time), increment: Number(increment) });
  for (const [name, value] of Object.entries(chosen)) if (value) settings[name] = value === "true" ? true : value;
  const asked = { game };
  if (Object.keys(settings).length) asked.settings = settings;
  if (house) asked.house = house;
  if (seats) asked.seats = Number(seats);
  if (seat && seat !== "any") asked.seat = seat;
  if (hidden) asked.private = true;
  return asked;
}
