// Your account: a dialog with the devices that log in to it without its password, the password, and the notices while
// you are away. Loaded at the first use, with a catalogue of its own, which notices.js adds.

import { h, put, say } from "./dom.js";
import { passwordsAreSafe } from "./enter.js";
import { NOBODY } from "./login.js";
import { notices } from "./notices.js";
import { logOut, send } from "./socket.js";
import { listen, state } from "./store.js";
import { t } from "./words.js";

/** Fill the dialog of a person with a name, and show it. */
export function known(dialog) {
  const { name, shown, account } = state.me;
  const out = () => {
    logOut();
    dialog.close();
  };
  const words = account
    ? t("You are logged in. This browser remembers your account until nobody has used it here for 90 days, in all its tabs, until you log out.")
    : t("You are a guest. This browser remembers your name and your seat, in all its tabs, until you log out.");
  const guest = account ? [] : [...(state.mine?.values() ?? [])].filter((row) => row.table !== state.own && row.state !== "over");
  const lost = [
    state.own !== null && t("give up the match that you play"),
    state.openedTables.size && !account && t("give up your tables that wait"),
    guest.some((row) => row.state === "turn" || row.state === "wait") && t("find your other matches no more"),
  ].filter(Boolean);
  const safe = account && passwordsAreSafe();
  put(
    dialog,
    h("h2", { id: "log-in-title" }, shown),
    h("p", { class: "soft" }, words, lost.length ? ` ${t("If you log out, you {things}.", { things: lost.join(t(", and ")) })}` : ""),
    part(dialog, t("Be told when it is your turn"), notices),
    safe && part(dialog, t("Where you are logged in"), devices),
    safe && part(dialog, t("Change the password"), passwordForm),
    h("div", { class: "row" },
      h("a", { class: "button", href: "/mine", onclick: () => dialog.close() }, t("Your matches")),
      h("button", { type: "button", onclick: out }, t("Log out")),
      h("button", { type: "button", class: "go", onclick: () => dialog.close() }, t("Close"))),
  );
  dialog.showModal();
}

/** A part of the dialog that opens. `fill` fills its place, and returns the function that ends it. */
function part(dialog, title, fill) {
  const place = h("div", {});
  const open = () => place.firstChild || dialog.addEventListener("close", fill(place));
  return h("details", { ontoggle: open }, h("summary", {}, title), place);
}

/** How the list of log-ins names this browser: "Firefox, Android". */
export function deviceName(agent) {
  const find = (names) => names.find((name) => agent.includes(name)) ?? "";
  const browser = find(["Firefox", "Edg", "OPR", "Chrome", "Safari"]).replace("Edg", "Edge").replace("OPR", "Opera");
  const system = find(["Android", "iPhone", "iPad", "Windows", "Mac", "CrOS", "Linux"]).replace("CrOS", "ChromeOS");
  return [browser, system].filter(Boolean).join(", ");
}

/** Show the devices in an element, and let each be logged out. Returns the function that ends it. */
function devices(place) {
  const rows = h("ul", { class: "devices" });
  const everywhere = () => send({ do: "log-out", everywhere: true });
  put(place, rows, h("button", { type: "button", onclick: everywhere }, t("Log out everywhere")));
  state.logIns = null;
  send({ do: "log-ins" });
  return listen(() => put(rows, ...(state.logIns ?? []).map(device)));
}

function device(row) {
  const end = () => send({ do: "log-out", id: row.id });
  const name = row.device || t("A device without a name");
  return h("li", {},
    h("span", {}, name, h("br"), h("span", { class: "soft small" }, t("since {since}, last used {seen}", row))),
    row.here
      ? h("span", { class: "soft" }, t("this device"))
      : h("button", { type: "button", "aria-label": t("Log out: {name}, since {since}", { name, since: row.since }), onclick: end }, t("Log out")));
}

/** Show a form for a new password in an element. Returns the function that ends it. */
function passwordForm(place) {
  const old = h("input", { type: "password", autocomplete: "current-password", required: true });
  const fresh = h("input", { type: "password", autocomplete: "new-password", required: true, minlength: 8 });
  const said = h("p", { role: "alert" });
  const change = h("button", { class: "go" }, t("Change the password"));
  /** The answers of the host at the time of the request; `null`: no change is running. */
  let asked = null;
  const submit = (event) => {
    event.preventDefault();
    asked = { refusals: state.sorry.count, changes: state.passwords };
    change.disabled = send({ do: "password", old: old.value, new: fresh.value });
    say(said, change.disabled ? "" : NOBODY);
  };
  const answered = () => {
    if (!asked || (state.sorry.count === asked.refusals && state.passwords === asked.changes)) return;
    const done = state.passwords !== asked.changes;
    asked = null;
    change.disabled = false;
    said.className = done ? "" : "why";
    say(said, done ? t("Your password is changed. Other devices must log in again.") : state.sorry.why);
    if (done) old.value = fresh.value = "";
    if (done) send({ do: "log-ins" });
  };
  put(
    place,
    h("form", { onsubmit: submit }, h("label", {}, t("Old password"), old), h("label", {}, t("New password"), fresh), said, change),
  );
  return listen(answered);
}
