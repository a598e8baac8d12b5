// A notification of the browser while the page is open and nobody looks at it. Off until somebody asks for it, on this device alone.

const SAVED = "notices";

/** Whether this browser was asked to tell, and may do so. */
export const wanted = () => localStorage.getItem(SAVED) !== null && window.Notification?.permission === "granted";

/** Ask this browser to tell, or not to. */
export function setAsked(on) {
  if (on) localStorage.setItem(SAVED, "on");
  else localStorage.removeItem(SAVED);
}

/** Tell something, unless the page is looked at. `path` is the page that a touch opens; of one path the newest is shown. */
export function tellHidden(words, path) {
  if (!document.hidden || !wanted()) return;
  try {
    const shown = new Notification(words, { tag: path });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    // Browsers on phones show only what a worker shows.
    navigator.serviceWorker?.getRegistration().then((worker) => worker?.showNotification(words, { tag: path, data: path }));
  }
}
