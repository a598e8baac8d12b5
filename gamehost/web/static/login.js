// The log-in: a dialog that asks for a name. Guests need no more; accounts have a password. And the wish to play.

import { h, newDialog, notice, put, say } from "./dom.js";
import { enter, send } from "./socket.js";
import { listen, state } from "./store.js";

/** Levels of the host's own players. */
export const LEVELS = ["easy", "medium", "hard"];

const SUGGESTED = ["otter", "heron", "maple", "comet", "ember", "quartz", "willow", "falcon", "pepper", "violet"];

/** Passwords travel over TLS or stay on this machine; elsewhere they are not asked for. */
export function passwordsAreSafe() {
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
  if (state.me) return void import("./account.js").then(({ known }) => known(dialog));
  unknown(dialog, then);
  dialog.showModal();
}

function unknown(dialog, then) {
  const name = h("input", { name: "name", value: suggestion(), maxlength: 40, required: true, autocomplete: "username" });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password" });
  const why = h("p", { class: "why", role: "alert" });
  const start = h("button", { class: "go" }, "Go on");
  const stop = listen(() => {
    start.disabled = state.entering;
    if (state.me) {
      localStorage.setItem("name", state.me.shown);
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
