// Notices while you are away: from this page while it is hidden, from the browser when no page is open, and by mail.

import { h, put, say } from "./dom.js";
import { setAsked, wanted } from "./hidden.js";
import { NOBODY } from "./login.js";
import { look, send } from "./socket.js";
import { listen, state } from "./store.js";
import { learnPart, t, titled } from "./words.js";

await learnPart("account");

/** Whether this browser can receive notices while no page is open. */
const pushes = () => isSecureContext && "serviceWorker" in navigator && "PushManager" in window;

/** Show the settings for notices in an element. Returns the function that ends it. */
export function notices(place) {
  const [device, mail, said] = [h("div", {}), h("div", {}), h("p", { role: "alert" })];
  let refused = state.sorry.count;
  let shown = null;
  put(place, device, mail, said);
  state.notices = null;
  if (state.me.account) send({ do: "notices" });
  const draw = () => {
    if (state.sorry.count !== refused) {
      refused = state.sorry.count;
      say(said, state.sorry.why);
    }
    if (shown === state.notices && device.firstChild) return;
    shown = state.notices;
    put(device, ...deviceForm(state.notices?.push, said, redraw));
    put(mail, ...(state.notices?.mail ? mailForm(state.notices.mail, said) : []));
  };
  const redraw = () => {
    shown = undefined;
    draw();
  };
  draw();
  return listen(draw);
}

function deviceForm(push, said, redraw) {
  if (!window.Notification) return [h("p", { class: "soft" }, t("This browser shows no notifications."))];
  const bare = h("input", { type: "checkbox", checked: push?.words === "bare" });
  const far = push && pushes();
  const on = wanted() && (!far || push.on);
  const change = async () => {
    say(said, "");
    try {
      await (on ? stop(far) : start(far && push, bare.checked));
    } catch (error) {
      say(said, error.message);
    }
    redraw();
  };
  const words = far
    ? t(on ? "This device tells you, also when no page is open." : "This device can tell you, also when no page is open.")
    : t(on ? "This device tells you, while a page is open and you do not look at it." : "This device can tell you, while a page is open and you do not look at it.");
  return [
    h("p", {}, words),
    far && !on && h("label", { class: "check" }, bare, ` ${t("without the game and the names")}`),
    h("button", { type: "button", onclick: change }, on ? t("Tell me no longer") : t("Tell me on this device")),
  ];
}

async function start(push, bare) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(t("This browser does not allow it: see its settings for this site."));
  setAsked(true);
  if (push) await subscribe(push.key, bare ? "bare" : "all");
}

async function subscribe(key, words) {
  const worker = await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = made.toJSON();
  const set = { endpoint, p256dh: keys.p256dh, auth: keys.auth, words };
  if (!send({ do: "notices", by: "push", set })) throw new Error(NOBODY);
}

async function stop(far) {
  setAsked(false);
  if (!far) return;
  send({ do: "notices", by: "push", set: {} });
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

function mailForm({ address, waits }, said) {
  const set = (values) => () => say(said, send({ do: "notices", by: "mail", set: values() }) ? "" : NOBODY);
  const form = (label, input, words, values) => {
    const submit = (event) => {
      event.preventDefault();
      set(values)();
    };
    return h("form", { onsubmit: submit }, h("label", {}, label, input), h("button", {}, words));
  };
  const remove = h("button", { type: "button", onclick: set(() => ({})) }, t("No mails"));
  if (waits) {
    const code = h("input", { inputmode: "numeric", autocomplete: "one-time-code", required: true });
    return [form(t("The code in the mail to {address}", { address: waits }), code, t("Confirm"), () => ({ code: code.value.trim() })), remove];
  }
  if (address) return [h("p", {}, t("Mails go to {address}, one in four hours at most.", { address })), remove];
  const typed = h("input", { type: "email", autocomplete: "email", required: true });
  return [form(t("Your mail address"), typed, t("Tell me by mail"), () => ({ address: typed.value.trim() }))];
}

/** Subscribe again whenever the host does not know the subscription of this browser: with a new log-in, or a new password. */
export function renew() {
  let asked = "";
  let before = null;
  listen(() => {
    const login = state.me?.account ? `${state.opened} ${state.passwords}` : "";
    if (login && login !== asked && send({ do: "notices" })) {
      asked = login;
      before = state.notices;
    } else if (asked && state.notices && state.notices !== before) {
      before = state.notices;
      const push = state.notices.push;
      if (push && !push.on && pushes() && wanted()) subscribe(push.key, push.words).catch(() => {});
    }
  });
}

/** The page behind the link of a mail: it ends the mails, without a log-in. */
export function open(place, address) {
  document.title = titled(t("Mails"));
  look({ lobby: true });
  const said = h("p", { "data-said": true });
  const set = { stop: decodeURIComponent(address.pathname.split("/")[2]) };
  let pressed = false;
  let before = null;
  const answered = () => {
    // The button may be pressed before there is a connection.
    if (pressed && !before && !state.entering) {
      const now = { refusals: state.sorry.count, notices: state.notices };
      if (send({ do: "notices", by: "mail", set })) before = now;
    } else if (before && state.sorry.count !== before.refusals) done(state.sorry.why);
    else if (before && state.notices !== before.notices) done(t("No more mails are sent to this address."));
  };
  const done = (words) => {
    say(said, words);
    pressed = false;
    before = null;
  };
  const end = () => {
    pressed = true;
    say(said, "");
    answered();
  };
  put(place, h("h1", {}, t("Mails about your games")), h("button", { type: "button", class: "go", onclick: end }, t("No more mails")), said);
  return listen(answered);
}
