// Invitations: the address of a private table for others, and what they see who open it.

import { Board } from "./board.js";
import { listed, t, told } from "./words.js";
import { h, link, notice, put, svg } from "./dom.js";
import { loadGame, settingWords, timesOf, titleOf } from "./games.js";

/** The address of a table with a code. The code is behind `#`, so it is sent to no host, and stands in no log. */
export function inviteBox(table, code) {
  const address = `${location.origin}/table/${table}#${code}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      notice(t("The address is copied. Send it to the other players."));
    } catch {
      notice(t("Copying is not allowed here: mark the address, and copy it."));
    }
  };
  // The sheet of a phone. Who closes it without a choice has shared nothing, which is no fault.
  const share = () => navigator.share({ url: address }).catch(() => {});
  const box = h("div", { class: "invite" },
    h("div", {}, h("p", {}, t("Send this address to the other players:")), h("code", {}, address),
      h("div", { class: "row" },
        navigator.share && matchMedia("(pointer: coarse)").matches && h("button", { type: "button", class: "go", onclick: share }, t("Share")),
        h("button", { type: "button", "data-copy": true, onclick: copy }, t("Copy")))));
  import("./qr.js").then(({ qrPicture }) => {
    const picture = qrPicture(address, t("The address as a QR code"));
    if (picture) box.append(svg(picture));
  });
  return box;
}

/** What is said beside a table that waits. */
export const kept = ({ settings }) =>
  settings.move_days
    ? t("The table waits for two weeks, and is yours when you come back: you can close this page.")
    : t("The table waits for a day, and is yours when you come back: you can close this page.");

/** The players at a waiting table, and what the table waits for, in a sentence or two. */
export function gathered({ names, seats, away = [] }) {
  const missing = seats - names.length;
  const here = names.filter((name) => !away.includes(name));
  const begins = missing ? t("{n} more player is needed|{n} more players are needed", { n: missing }) : t("The match begins when all are here");
  const gone = away.length ? ` ${t("{names} is away now, and told at the next visit.|{names} are away now, and told at the next visit.", { n: away.length, names: listed(away) })}` : "";
  return `${begins}. ${here.length ? t("{names} is here.|{names} are here.", { n: here.length, names: listed(here) }) : ""}${gone}`;
}

/** Settings of time, which `timesOf` says in a sentence. */
const UNTIMED = { move_time: "", setup_time: "", game_time: "", increment: "" };

/** Fill `place` with an invitation: the game, who invites, the settings, and one button. */
export async function showInvitation(place, invitation, join) {
  const { game: name, names, seats, settings } = invitation;
  const full = names.length === seats;
  const game = await loadGame(name, false);
  const title = titleOf(name);
  const board = new Board();
  if (game?.sample) {
    const options = { seat: 0, mine: null, can: false, moves: [], choice: null, small: true, wide: true, last: null, names: [] };
    board.show(game.draw(game.sample, options));
  }
  const others = seats > 2 || invitation.away ? gathered(invitation) : "";
  put(place,
    h("h1", {}, t("{name} invites you to {game}", { name: names[0], game: title })),
    h("div", { class: "invited" },
      game?.sample && h("div", { class: "sample", "aria-hidden": "true" }, board.element),
      h("div", {},
        h("p", {}, [game && told(game.about), ...settingWords({ ...settings, ...UNTIMED })].filter(Boolean).join(" · ")),
        h("p", { class: "soft" }, others, " ", timesOf(name, settings)),
        h("p", {}, link(`/rules/${name}`, {}, t("How to play {game}", { game: title }))))),
    full
      ? h("p", {}, t("All seats are taken. The match begins when all players are here; you can watch it then."))
      : h("div", { class: "row" }, h("button", { type: "button", class: "go", onclick: join }, t("Take a seat"))));
}
