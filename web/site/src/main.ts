import type { App, Params, View, ViewModule, ViewName } from "./app";
import * as analyze from "./analyze";
import { INITIAL_FEN } from "./chess";
import { h, icon } from "./dom";
import { Engine } from "./engine";
import { GameTree, type GameNode } from "./game";
import * as play from "./play";

const TITLES: Record<ViewName, string> = { analyze: "Analyze", play: "Play", learn: "Learn" };

/** Modules of the views. Learn is loaded on demand, because most visits do not need it. */
const VIEWS: Record<ViewName, () => ViewModule | Promise<ViewModule>> = {
  analyze: () => analyze,
  play: () => play,
  learn: () => import("./learn"),
};

const container = document.getElementById("view") as HTMLElement;
const announcer = document.getElementById("announcer") as HTMLElement;
const engine = new Engine(new URL("engine/aspirant.js", document.baseURI).href);

const GAME_KEY = "aspirant-analysis-game";

/** Returns the game that was open when the page was left; a new one if there is none. */
function restoreGame(): GameTree {
  try {
    const saved = JSON.parse(sessionStorage.getItem(GAME_KEY) ?? "null") as { pgn: string; moves: string[] } | null;
    if (saved) {
      const { game: restored } = GameTree.fromPgn(saved.pgn);
      restored.current = restored.find(restored.root.fen, saved.moves) ?? restored.root;
      return restored;
    }
  } catch {
    // Storage may be disabled or damaged.
  }
  return new GameTree();
}

/** Keeps the game with its variations and comments while the page is loaded again. */
function saveGame(): void {
  try {
    if (game.root.children.length === 0) sessionStorage.removeItem(GAME_KEY);
    else sessionStorage.setItem(GAME_KEY, JSON.stringify({ pgn: game.toPgn(), moves: game.moves() }));
  } catch {
    // Storage may be disabled or full; the URL still has the moves.
  }
}

let game = restoreGame();
addEventListener("pagehide", saveGame);
let viewName: ViewName = "analyze";
let view: View | undefined;
/** Number of the latest navigation; a module that finishes loading after another navigation is not mounted. */
let navigation = 0;
let params = new URLSearchParams();
let writeTimer: ReturnType<typeof setTimeout> | undefined;
let urlWritten = -Infinity;
/** The URL hash that `route` has read or the page has written; another one is a navigation whose event is still to come. */
let knownHash = location.hash;
const positionCallbacks = new Set<(fen: string) => void>();

/** Returns the URL hash of a view; slashes and spaces stay readable. */
function hashOf(name: ViewName, search: URLSearchParams): string {
  const query = search.toString().replaceAll("%2F", "/");
  return `#/${name}${query === "" ? "" : `?${query}`}`;
}

function assign(search: URLSearchParams, changes: Params): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) search.delete(name);
    else search.set(name, String(value));
  }
}

/** Shortest time between two changes of the URL in milliseconds: browsers limit how often a page may change it. */
const URL_INTERVAL = 400;

/** Writes the parameters to the URL, at once if the last time is long enough ago. */
function writeUrl(): void {
  clearTimeout(writeTimer);
  const write = () => {
    const hash = hashOf(viewName, params);
    if (hash === location.hash || location.hash !== knownHash) return;
    urlWritten = performance.now();
    history.replaceState(null, "", hash);
    knownHash = location.hash;
  };
  const wait = urlWritten + URL_INTERVAL - performance.now();
  if (wait <= 0) write();
  else writeTimer = setTimeout(write, wait);
}

const app: App = {
  engine,
  get fen() {
    return game.current.fen;
  },
  get game() {
    return game;
  },
  get params() {
    return params;
  },
  setFen(fen) {
    app.setGame(new GameTree(fen));
  },
  setGame(other) {
    game = other;
    app.positionChanged();
  },
  positionChanged() {
    app.clearError();
    for (const callback of [...positionCallbacks]) callback(game.current.fen);
  },
  onPosition(callback) {
    positionCallbacks.add(callback);
    return () => positionCallbacks.delete(callback);
  },
  setParams(changes) {
    assign(params, changes);
    writeUrl();
  },
  navigate(name, changes = {}) {
    const search = new URLSearchParams();
    assign(search, changes);
    const hash = hashOf(name, search);
    if (hash === location.hash) void route();
    else location.hash = hash;
  },
  announce(text) {
    // An equal text is announced again only if the content changes.
    announcer.textContent = announcer.textContent === text ? `${text}\u00a0` : text;
  },
  showError(text) {
    app.clearError();
    const notice = h("div", { class: "notice", role: "alert", "data-testid": "notice" }, h("span", {}, text),
      h("button", { type: "button", class: "icon-button", "aria-label": "Dismiss", onclick: () => notice.remove() }, icon("close")));
    container.before(notice);
  },
  clearError() {
    document.querySelector(".notice")?.remove();
  },
};

/** Takes over the position of the URL, if it has one. */
function loadPosition(): void {
  const fen = params.get("fen") ?? undefined;
  const moves = params.get("moves");
  if (fen === undefined && moves === null) return;
  const list = moves?.split(/[\s,.]+/).filter(Boolean) ?? [];
  const ply = params.get("ply");
  const atPly = (end: GameNode) => (ply !== null && /^\d+$/.test(ply) ? end.path()[Number(ply)] ?? end : end);
  // The open game keeps its variations and comments if it contains the position.
  const found = game.find(fen ?? INITIAL_FEN, list);
  if (found) {
    game.current = atPly(found);
    return;
  }
  try {
    const loaded = new GameTree(fen);
    const legal = loaded.playUci(list);
    if (legal < list.length) {
      app.showError(`Move ${legal + 1} "${list[legal]}" in the URL is not legal; the moves before it were loaded.`);
    }
    loaded.current = atPly(loaded.current);
    game = loaded;
  } catch (error) {
    app.showError((error as Error).message);
  }
}

/** Mounts the view that the URL hash names. */
async function route(): Promise<void> {
  clearTimeout(writeTimer);
  knownHash = location.hash;
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  viewName = Object.hasOwn(TITLES, path) ? (path as ViewName) : "analyze";
  params = new URLSearchParams(query);
  const current = ++navigation;
  const hadFocus = container.contains(document.activeElement);
  app.clearError();
  view?.unmount();
  view = undefined;
  container.replaceChildren();
  container.dataset.view = viewName;
  document.body.classList.toggle("embed", params.has("embed") || new URLSearchParams(location.search).has("embed"));
  document.title = `${TITLES[viewName]} · Aspirant`;
  for (const link of document.querySelectorAll<HTMLElement>("nav [data-view]")) {
    if (link.dataset.view === viewName) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  loadPosition();
  try {
    const module = await VIEWS[viewName]();
    if (current !== navigation) return;
    view = module.mount(container, app);
    if (hadFocus) container.focus();
  } catch (error) {
    if (current !== navigation) return;
    app.showError(`The view ${TITLES[viewName]} could not be loaded: ${(error as Error).message}.`);
  }
}

const themeToggle = document.getElementById("theme-toggle") as HTMLButtonElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemDark.matches;
}

function showTheme(): void {
  themeToggle.replaceChildren(icon(isDark() ? "sun" : "moon"));
}

themeToggle.addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("aspirant-theme", theme);
  } catch {
    // Storage may be disabled; the choice then lasts until the page is closed.
  }
  showTheme();
});
systemDark.addEventListener("change", showTheme);
showTheme();

document.querySelector(".skip-link")?.addEventListener("click", (event) => {
  event.preventDefault();
  container.focus();
});

document.querySelector<HTMLElement>(".site-header")?.addEventListener("click", (event) => {
  const { hash } = (event.target as Element).closest("a") ?? {};
  // The link of the current view would mount it again and stop its work.
  if (view && hash === `#/${viewName}` && !event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault();
});

addEventListener("hashchange", () => void route());
void route();

if ("serviceWorker" in navigator) {
  // Without a secure context or with storage disabled, the page works online only.
  addEventListener("load", () => void navigator.serviceWorker.register("service-worker.js").catch(() => undefined));
}
