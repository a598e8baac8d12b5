// Notifications of the browser while the page is open and not visible. Off until the person turns them on, for this device only.

const SAVED = "notices";

/** Whether notifications are turned on in this browser, and allowed. */
export const wanted = () => localStorage.getItem(SAVED) !== null && window.Notification?.permission === "granted";

/** Turn notifications on or off in this browser. */
export function setAsked(on) {
  if (on) localStorage.setItem(SAVED, "on");
  else localStorage.removeItem(SAVED);
}

/** Show a notification, unless the page is visible. `path`: the page that a touch opens; only the newest of a path is shown. */
export function tellHidden(words, path) {
  if (!document.hidden || !wanted()) return;
  try {
    const shown = new Notification(words, { tag: path });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    // Browsers on phones show only the notifications of a service worker.
    navigator.serviceWorker?.getRegistration().then((worker) => worker?.showNotification(words, { tag: path, data: path }));
  }
}
