// The log-in: a dialog that asks for a name. Guests need no more; accounts have a password. Loaded when somebody is to log in.

import { h, put, say } from "./dom.js";
import { enter } from "./socket.js";
import { listen, state } from "./store.js";
import { t } from "./words.js";

const SUGGESTED = ["otter", "heron", "maple", "comet", "ember", "quartz", "willow", "falcon", "pepper", "violet"];

/** Passwords travel over TLS or stay on this machine; elsewhere they are not asked for. */
export function passwordsAreSafe() {
  return location.protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
}

function suggestion() {
  const word = SUGGESTED[Math.floor(Math.random() * SUGGESTED.length)];
  return localStorage.getItem("name") ?? `${word}${10 + Math.floor(Math.random() * 90)}`;
}

/** Fill the dialog of a person without a name, and show it. `then` is called after the log-in. */
export function unknown(dialog, then) {
  const name = h("input", { name: "name", value: suggestion(), maxlength: 40, required: true, autocomplete: "username" });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password" });
  const why = h("p", { class: "why", role: "alert" });
  const start = h("button", { class: "go" }, t("Go on"));
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
      h("h2", { id: "log-in-title" }, t("Who plays?")),
      h("label", {}, t("Name"), name),
      passwordsAreSafe() &&
        h("details", {},
          h("summary", {}, t("With a password")),
          h("label", {}, t("Password"), password),
          h("p", { class: "soft small" }, t("A name that nobody has yet becomes your account with this password, of at least eight characters."))),
      why,
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => dialog.close() }, t("Cancel")),
        start)),
  );
  dialog.showModal();
  name.select();
}
