// Programs, browsers and servers that several tests and measurements start.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";

import { chromium, firefox } from "playwright-core";

/** A UCI program on stdin and stdout. */
export class Program {
  #child;
  #lines = [];
  #wake = () => {};

  constructor(command, args = []) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      this.#lines.push([line, performance.now()]);
      this.#wake();
    });
    this.#child.on("close", () => {
      this.#lines.push(["", Infinity]);
      this.#wake();
    });
  }

  send(...lines) {
    this.#child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** Returns all lines up to the first that matches, and the time at which that line was read. */
  async until(pattern) {
    const found = [];
    for (;;) {
      while (this.#lines.length > 0) {
        const [line, time] = this.#lines.shift();
        if (time === Infinity) throw new Error(`the program ended before ${pattern}`);
        found.push(line);
        if (pattern.test(line)) return { lines: found, time };
      }
      await new Promise((done) => (this.#wake = done));
    }
  }

  quit() {
    this.send("quit");
    this.endInput();
  }

  endInput() {
    this.#child.stdin.end();
  }
}

const TYPES = {
  ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".json": "application/json",
  ".png": "image/png", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
};

/**
 * Serves folders, given as an object from URL prefix to folder; a prefix with a string that begins with `<` serves that page.
 * `close()` makes every later request fail, as without a network.
 */
export async function serve(folders, headers = {}) {
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const prefix = prefixes.find((candidate) => path.startsWith(candidate));
    const source = folders[prefix];
    const rest = prefix && path.slice(prefix.length);
    const file = source?.startsWith("<") ? undefined : source && join(source, normalize(`/${rest.endsWith("/") || !rest ? `${rest}index.html` : rest}`));
    if (source === undefined || (file ? !existsSync(file) : rest !== "")) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": file ? (TYPES[extname(file)] ?? "text/plain") : "text/html", ...headers });
    response.end(file ? readFileSync(file) : source);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    origin: `http://localhost:${server.address().port}`,
    close: () => new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    }),
  };
}

/** Returns the first of these programs that exists; a name without a folder is looked up on the PATH. */
function findProgram(names) {
  const folders = process.env.PATH.split(":");
  const paths = names.filter(Boolean).flatMap((name) => (name.includes("/") ? [name] : folders.map((folder) => join(folder, name))));
  return paths.find((path) => existsSync(path));
}

/** Returns a headless Chromium ($CHROMIUM, else the first of its usual names); if $BROWSER is firefox, Firefox. */
export function launchBrowser() {
  if (process.env.BROWSER === "firefox") {
    const executablePath = findProgram(["firefox-esr", "firefox"]);
    if (!executablePath) throw new Error("Firefox is not installed; install it (Debian: apt-get install firefox-esr)");
    // This channel is Firefox as released, controlled by WebDriver BiDi. Playwright 1.65 sends a command that ESR 153 lacks.
    return firefox.launch({ executablePath, channel: "moz-firefox" });
  }
  const executablePath = findProgram([process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]);
  if (!executablePath) throw new Error("Chromium is not installed; install it (Debian: apt-get install chromium) or set CHROMIUM to its path");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
}

/** Returns a new folder, which is removed when the program ends. */
export function temporaryFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Installs npm packages into a temporary folder and returns it. */
export function install(...packages) {
  const folder = temporaryFolder("aspirant-npm-");
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, ...packages]);
  return folder;
}

/** Returns the folder of the npm package `stockfish` ($STOCKFISH_PACKAGE, else installed into a temporary folder). */
export function stockfishPackage() {
  return process.env.STOCKFISH_PACKAGE ?? join(install("stockfish@19.0.0"), "node_modules", "stockfish");
}

export const STOCKFISH_SCRIPT = "stockfish-19-lite-single.js";

/** Returns the value below which this part of the values lies. */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
