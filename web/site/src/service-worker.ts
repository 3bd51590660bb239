/// <reference lib="webworker" />

// Serves the page offline: caches every file of the build at installation and answers from the cache first.

declare const VERSION: string;
declare const PRECACHE: string[];

const worker = self as unknown as ServiceWorkerGlobalScope;

// Caches belong to the origin, which other pages may share; the prefix separates this page's caches from theirs.
const PREFIX = `aspirant ${worker.registration.scope} `;
const CACHE = PREFIX + VERSION;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      await cache.addAll(PRECACHE.map((path) => new Request(path, { cache: "no-cache" })));
      await worker.skipWaiting();
    })(),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      // An open page may still load modules of the previous version, so the newest other cache stays.
      const older = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
      await Promise.all(older.slice(0, -1).map((name) => caches.delete(name)));
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(worker.registration.scope)) return;
  event.respondWith(
    (async () => {
      const path = new URL(request.url).pathname, folder = new URL(worker.registration.scope).pathname;
      const isPage = request.mode === "navigate" && (path === folder || path === `${folder}index.html`);
      const key = isPage ? "./" : request;
      const current = await caches.open(CACHE);
      const cached = (await current.match(key)) ?? (await caches.match(key, { ignoreSearch: isPage }));
      return cached ?? fetch(request);
    })(),
  );
});
