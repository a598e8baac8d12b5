// Being told while nobody looks: by this page while it is hidden, by the browser when no page is open, and by mail.

import { h, put, say } from "./dom.js";
import { setAsked, wanted } from "./hidden.js";
import { look, send } from "./socket.js";
import { listen, state } from "./store.js";

const OFFLINE = "There is no connection to the host now. Try again in a moment.";
/** Whether this browser can be told while no page is open. */
const pushes = () => isSecureContext && "serviceWorker" in navigator && "PushManager" in window;

/** Show how to be told in an element. Returns the function that ends it. */
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
  if (!window.Notification) return [h("p", { class: "soft" }, "This browser shows no notifications.")];
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
  const where = far ? "also when no page is open" : "while a page is open and you do not look at it";
  return [
    h("p", {}, on ? `This device tells you, ${where}.` : `This device can tell you, ${where}.`),
    far && !on && h("label", { class: "check" }, bare, " without the game and the names"),
    h("button", { type: "button", onclick: change }, on ? "Tell me no longer" : "Tell me on this device"),
  ];
}

async function start(push, bare) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser does not allow it: see its settings for this site.");
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
  if (!send({ do: "notices", by: "push", set })) throw new Error(OFFLINE);
}

async function stop(far) {
  setAsked(false);
  if (!far) return;
  send({ do: "notices", by: "push", set: {} });
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

function mailForm({ address, waits }, said) {
  const set = (values) => () => say(said, send({ do: "notices", by: "mail", set: values() }) ? "" : OFFLINE);
  const form = (label, input, words, values) => {
    const submit = (event) => {
      event.preventDefault();
      set(values)();
    };
    return h("form", { onsubmit: submit }, h("label", {}, label, input), h("button", {}, words));
  };
  const remove = h("button", { type: "button", onclick: set(() => ({})) }, "No mails");
  if (waits) {
    const code = h("input", { inputmode: "numeric", autocomplete: "one-time-code", required: true });
    return [form(`The code in the mail to ${waits}`, code, "Confirm", () => ({ code: code.value.trim() })), remove];
  }
  if (address) return [h("p", {}, `Mails go to ${address}, one in four hours at most.`), remove];
  const typed = h("input", { type: "email", autocomplete: "email", required: true });
  return [form("Your mail address", typed, "Tell me by mail", () => ({ address: typed.value.trim() }))];
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
  document.title = "Mails - gamehost";
  look({ lobby: true });
  const said = h("p", { role: "status" });
  const set = { stop: decodeURIComponent(address.pathname.split("/")[2]) };
  let pressed = false;
  let before = null;
  const answered = () => {
    // The connection may come later than the button is pressed.
    if (pressed && !before && !state.entering) {
      const now = { refusals: state.sorry.count, notices: state.notices };
      if (send({ do: "notices", by: "mail", set })) before = now;
    } else if (before && state.sorry.count !== before.refusals) done(state.sorry.why);
    else if (before && state.notices !== before.notices) done("No more mails are sent to this address.");
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
  put(place, h("h1", {}, "Mails about your games"), h("button", { type: "button", class: "go", onclick: end }, "No more mails"), said);
  return listen(answered);
}
