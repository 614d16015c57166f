// Shows a notice when the service cannot be reached. It keeps no page and no slip: only the notice and its style.

const CACHE = "sliptrail-shop"
const OFFLINE = "/app/offline"
const files = [OFFLINE, new URL(location.href).searchParams.get("style")]

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)).then(() => skipWaiting()))
})

addEventListener("fetch", (event) => {
  const { mode, url } = event.request
  if (mode === "navigate") event.respondWith(fetch(event.request).catch(() => caches.match(OFFLINE)))
  else if (files.includes(new URL(url).pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)))
  }
})
