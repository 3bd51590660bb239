// The recipe of the package's README in a build of Vite and in its development server, run in headless Chromium.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { install, launchBrowser, serve } from "./programs.mjs";
import { PACKAGE } from "./uci.mjs";

const SCRIPT = `
const engine = new Worker(new URL("aspirant-web/aspirant.js", import.meta.url));
engine.onmessage = ({ data }) => { if (data.startsWith("bestmove") || data.includes("cannot load")) document.title = data; };
engine.onerror = (event) => { document.title = "error " + event.message; };
engine.postMessage("position startpos");
engine.postMessage("go depth 5");
`;

let folder, vite, browser;

before(async () => {
  folder = install("vite@8.3.8");
  vite = join(folder, "node_modules", "vite", "bin", "vite.js");
  cpSync(PACKAGE, join(folder, "node_modules", "aspirant-web"), { recursive: true });
  writeFileSync(join(folder, "index.html"), '<!doctype html><title>waiting</title><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>');
  writeFileSync(join(folder, "main.js"), SCRIPT);
  browser = await launchBrowser();
});

after(() => browser?.close());

/** Returns the title that the page at an address sets. */
async function titleOf(url) {
  const page = await browser.newPage();
  try {
    await page.goto(url);
    await page.waitForFunction(() => document.title !== "waiting", undefined, { timeout: 60_000 });
    return await page.title();
  } finally {
    await page.close();
  }
}

test("engine_runs_in_a_build", { timeout: 120_000 }, async () => {
  execFileSync(process.execPath, [vite, "build", "--base", "./", "--logLevel", "error"], { cwd: folder });
  const server = await serve({ "/": join(folder, "dist") });
  try {
    assert.match(await titleOf(`${server.origin}/`), /^bestmove [a-h]/);
  } finally {
    await server.close();
  }
});

test("engine_runs_in_the_development_server", { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, [vite, "--port", "0", "--host", "127.0.0.1"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NO_COLOR: "1" } });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /http:\S+/.exec(line);
      if (!url) continue;
      assert.match(await titleOf(url[0]), /^bestmove [a-h]/);
      return;
    }
    assert.fail("the development server has ended");
  } finally {
    child.kill();
  }
});
