// The log-in: a dialog that asks for a name. Guests need no more; accounts have a password. And the wish to play.

import { h, newDialog, notice, put, say } from "./dom.js";
import { enter, logOut, send } from "./socket.js";
import { listen, state } from "./store.js";

/** Levels of the host's own players. */
export const LEVELS = ["easy", "medium", "hard"];

const SUGGESTED = ["otter", "heron", "maple", "comet", "ember", "quartz", "willow", "falcon", "pepper", "violet"];

/** Passwords travel over TLS or stay on this machine; elsewhere they are not asked for. */
function passwordsAreSafe() {
  return location.protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
}

function suggestion() {
  const word = SUGGESTED[Math.floor(Math.random() * SUGGESTED.length)];
  return localStorage.getItem("name") ?? `${word}${10 + Math.floor(Math.random() * 90)}`;
}

/** Call `then` when you are logged in: at once, or after the dialog. It is not called if the dialog is closed. */
export function loggedIn(then) {
  if (state.me) then();
  else logInDialog(then);
}

/** Ask for a name, or show the own one. */
export function logInDialog(then = () => {}) {
  const dialog = newDialog("log-in-title");
  if (state.me) known(dialog);
  else unknown(dialog, then);
  dialog.showModal();
}

function known(dialog) {
  const { name, account } = state.me;
  const out = () => {
    logOut();
    dialog.close();
  };
  const kept = account ? "your account until nobody has used it here for 90 days" : "your name and your seat";
  const words = `You are ${account ? "logged in" : "a guest"}. This browser remembers ${kept}, in all its tabs, until you log out.`;
  put(
    dialog,
    h("h2", { id: "log-in-title" }, name),
    h("p", { class: "soft" }, words, state.own === null ? "" : " If you log out, you give up the match that you play."),
    account && passwordsAreSafe() && part(dialog, "Where you are logged in", "devices"),
    account && passwordsAreSafe() && part(dialog, "Change the password", "passwordForm"),
    h("div", { class: "row" },
      h("a", { class: "button", href: `/player/${encodeURIComponent(name)}`, onclick: () => dialog.close() }, "Your matches"),
      h("button", { type: "button", onclick: out }, "Log out"),
      h("button", { type: "button", class: "go", onclick: () => dialog.close() }, "Close")),
  );
}

/** A part of the dialog that opens: `name` is the function of `account.js` that fills it. */
function part(dialog, title, name) {
  const place = h("div", {});
  const open = async () => {
    if (place.firstChild) return;
    const stop = (await import("./account.js"))[name](place);
    dialog.addEventListener("close", stop);
  };
  return h("details", { ontoggle: open }, h("summary", {}, title), place);
}

/** The nearest name that the host takes: `_` stands for what no name has, and 20 characters are left. */
export function fitting(typed) {
  return [...typed.normalize("NFC").replace(/[^\p{L}\p{Nd}_.-]/gu, "_")].slice(0, 20).join("");
}

function unknown(dialog, then) {
  const name = h("input", { name: "name", value: suggestion(), maxlength: 40, required: true, autocomplete: "username" });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password" });
  const why = h("p", { class: "why", role: "alert" });
  const start = h("button", { class: "go" }, "Go on");
  const stop = listen(() => {
    start.disabled = state.entering;
    if (state.me) {
      localStorage.setItem("name", state.me.name);
      dialog.close();
      then();
    } else if (state.sorry.count !== refused) say(why, state.sorry.why);
  });
  let refused = state.sorry.count;
  dialog.addEventListener("close", stop);
  const submit = (event) => {
    event.preventDefault();
    refused = state.sorry.count;
    const typed = name.value.trim();
    name.value = fitting(typed);
    if (name.value !== typed) return say(why, `A name has letters, digits, _ - and . and no other signs. Is ${name.value} right? Then go on.`);
    say(why, "");
    if (!password.value) enter(typed);
    else import("./account.js").then(({ deviceName }) => enter(typed, password.value, deviceName(navigator.userAgent)));
  };
  put(
    dialog,
    h("form", { onsubmit: submit },
      h("h2", { id: "log-in-title" }, "Who plays?"),
      h("label", {}, "Name", name),
      passwordsAreSafe() &&
        h("details", {},
          h("summary", {}, "With a password"),
          h("label", {}, "Password", password),
          h("p", { class: "soft small" }, "A name that nobody has yet becomes your account with this password, of at least eight characters.")),
      why,
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        start)),
  );
  queueMicrotask(() => name.select());
}

/** Look for opponents. `wishes` are fields of the message `seek`. */
export function seek(wishes) {
  if (!send({ do: "seek", ...wishes })) notice("There is no connection to the host now. Try again in a moment.");
}
