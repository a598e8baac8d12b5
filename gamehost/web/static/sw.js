// Shows what the host has given to the push service of this browser. It answers no requests of pages.

self.addEventListener("push", (event) => {
  const { title, body, tag, url } = event.data?.json() ?? { title: "gamehost", url: "/" };
  event.waitUntil(self.registration.showNotification(title, { body, tag, renotify: Boolean(tag), data: url }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(event.notification.data ?? "/", self.location.origin)));
});

async function show(url) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find((page) => new URL(page.url).pathname === url.pathname);
  return open ? open.focus() : self.clients.openWindow(url);
}
