// axe-core in all views of the site, light and dark; screens from 320 pixels on are not wider than the window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { install, launchBrowser, serve } from "./programs.mjs";

const SITE = process.env.ASPIRANT_SITE ?? new URL("../dist/site", import.meta.url).pathname;
const TREE = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";
const VIEWS = {
  analyze: "#/analyze?moves=e2e4+e7e5+g1f3",
  "analyze, board editor": "#/analyze?moves=e2e4+e7e5",
  play: "#/play",
  learn: `#/learn?${new URLSearchParams({ tree: TREE, step: "20", against: "sss*" })}`,
  "learn, end": `#/learn?${new URLSearchParams({ tree: TREE, step: "999", algorithm: "mtd(f)" })}`,
  "learn, position": "#/learn?source=board&depth=2",
  "learn, predict": `#/learn?${new URLSearchParams({ tree: TREE, step: "8" })}`,
  "learn, race": "#/learn?random=3,3,50,20,5",
};

/** Brings a view into the state of its name. */
async function open(page, name) {
  if (name.startsWith("learn")) await page.getByTestId("comparison").waitFor();
  if (name === "analyze, board editor") await page.getByTestId("edit-position").click();
  if (name === "learn, predict") {
    await page.getByTestId("predict-start").click();
    await page.getByTestId("predict-question").waitFor();
  }
  if (name === "learn, race") {
    await page.getByTestId("race").click();
    await page.getByTestId("race-slider").fill("5");
  }
}

let axe, server, browser;

before(async () => {
  axe = readFileSync(join(install("axe-core@4.14.1"), "node_modules", "axe-core", "axe.min.js"), "utf8");
  server = await serve({ "/": SITE });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

for (const [name, hash] of Object.entries(VIEWS)) {
  test(`${name} has no findings of axe-core`, { timeout: 120_000 }, async () => {
    for (const colorScheme of ["light", "dark"]) {
      for (const [width, height] of [[1366, 768], [360, 740]]) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height } });
        await page.goto(`${server.origin}/${hash}`);
        await open(page, name);
        if (name === "analyze") {
          await page.getByTestId("engine-toggle").click();
          await page.locator(".pv-move").first().waitFor();
          await page.getByTestId("engine-toggle").click();
        }
        if (name === "learn") await page.locator("g.node").first().click();
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n${failureSummary}`));
        assert.deepEqual(found, [], `${colorScheme}, ${width} px`);
        await page.close();
      }
    }
  });

  test(`${name} fits narrow and low screens`, { timeout: 60_000 }, async () => {
    for (const [width, height] of [[320, 568], [360, 740], [844, 390]]) {
      const page = await browser.newPage({ viewport: { width, height }, hasTouch: true, isMobile: true });
      await page.goto(`${server.origin}/${hash}`);
      await open(page, name);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} px in ${width}`);
      if (name.startsWith("learn")) {
        const [tree, legend] = await Promise.all([".v-tree", ".v-help"].map((part) => page.locator(part).last().boundingBox()));
        assert.ok(tree.y + tree.height <= legend.y + 1, `${width} px: the legend covers the tree`);
      }
      await page.close();
    }
  });
}
