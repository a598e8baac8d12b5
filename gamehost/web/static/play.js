// Looking for opponents with settings: a dialog.

import { h, newDialog, put, say } from "./dom.js";
import { timesOf } from "./deadline.js";
import { games, loadGame, titleOf } from "./games.js";
import { LEVELS, seek } from "./login.js";

function choice(name, label, options, value = "") {
  const made = options.map(([key, text]) => h("option", { value: key, selected: key === value }, text));
  return h("label", {}, label, h("select", { name }, made));
}

/** Ask how to play one game: against whom, how many, with which clock. */
export async function playDialog(game) {
  const [least, most] = games().get(game).seats;
  const { seats = {}, wishes: more = [] } = (await loadGame(game, false)) ?? {};
  const dialog = newDialog("play-title");
  const submit = (event) => {
    event.preventDefault();
    seek(wishes(game, Object.fromEntries(new FormData(event.target))));
    dialog.close();
  };
  const times = h("p", { class: "soft small", role: "status" });
  const tell = (form) => say(times, timesOf(game, wishes(game, Object.fromEntries(new FormData(form))).settings));
  const form = h("form", { onsubmit: submit, onchange: () => tell(form) },
    h("h2", { id: "play-title" }, `Play ${titleOf(game)}`),
    choice("house", "Against", [["", "anybody who comes"], ...LEVELS.map((level) => [level, `the host's ${level} player`])]),
    least < most &&
      choice("seats", "Players", Array.from({ length: most - least + 1 }, (_, one) => [`${least + one}`, seats[least + one] ?? least + one])),
    most === 2 && choice("seat", "Who moves first", [["any", "it does not matter"], ["first", "you"], ["second", "the opponent"]]),
    more.map(({ name, label, options }) => choice(name, label, options)),
    choice("clock", "Time", [
      ["", timesOf(game) ? "as usual here" : "no limit"], ["move 30", "30 seconds a move"], ["move 120", "2 minutes a move"],
      ["game 180 2", "3 minutes each, and 2 seconds a move"], ["game 600 5", "10 minutes each, and 5 seconds a move"],
      ["game 1800 0", "30 minutes each"], ...[1, 3, 7, 14].map((days) => [`days ${days}`, `${days} day${days > 1 ? "s" : ""} a move: close the page meanwhile`]),
    ]),
    times,
    choice("private", "Who can join", [["", "everybody"], ["true", "only those to whom you send the address"]]),
    choice("rated", "Rated", [["", "no"], ["true", "yes, among players with a password"]]),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      h("button", { class: "go" }, "Play")));
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
