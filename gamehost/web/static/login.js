// The log-in, and the wish to play.

import { newDialog, notice } from "./dom.js";
import { send } from "./socket.js";
import { state } from "./store.js";
import { t } from "./words.js";

/** Said where something cannot be sent. */
export const NOBODY = t("There is no connection to the host now. Try again in a moment.");

/** Call `then` when you are logged in: at once, or after the dialog. It is not called if the dialog is closed. */
export function loggedIn(then) {
  if (state.me) then();
  else logInDialog(then);
}

/** Ask for a name, or show the own one. */
export function logInDialog(then = () => {}) {
  if (document.querySelector("dialog")) return; // it is loaded already
  const dialog = newDialog("log-in-title");
  const fill = state.me ? import("./account.js").then(({ known }) => known(dialog)) : import("./enter.js").then(({ unknown }) => unknown(dialog, then));
  fill.catch(() => {
    dialog.remove();
    notice(NOBODY);
  });
}

/** Look for opponents. `wishes` are fields of the message `seek`. */
export function seek(wishes) {
  if (!send({ do: "seek", ...wishes })) notice(NOBODY);
}
