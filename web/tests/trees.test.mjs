// The pages written by `aspirant tree --html` ($ASPIRANT) in headless Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launchBrowser, temporaryFolder } from "./programs.mjs";

const EXAMPLE = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";
const MATE_IN_1 = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
const skip = process.env.ASPIRANT ? false : "ASPIRANT, the path of a native program, is not set";
const folder = temporaryFolder("aspirant-trees-");

let browser;
let written = 0;

before(async () => {
  if (!skip) browser = await launchBrowser();
});

after(() => browser?.close());

/** Writes a page and returns its address. */
function write(...words) {
  const path = join(folder, `${(written += 1)}.html`);
  execFileSync(process.env.ASPIRANT, [...words, "--html", path], { stdio: ["ignore", "ignore", "pipe"], cwd: folder });
  return pathToFileURL(path).href;
}

/** A page that must load no resources and log no errors. */
class Page {
  errors = [];

  static async open(url, options = {}) {
    const page = new Page();
    page.page = await browser.newPage({ viewport: { width: 1400, height: 900 }, ...options });
    page.page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.errors.push(message.text()));
    page.page.on("pageerror", (error) => page.errors.push(String(error)));
    page.page.on("request", (request) => request.url() !== url && page.errors.push(`request of ${request.url()}`));
    await page.page.goto(url);
    return page;
  }

  async close() {
    await this.page.close();
    assert.deepEqual(this.errors, []);
  }

  find(element) {
    return this.page.locator(`[data-v="${element}"]`);
  }

  async key(key, times = 1) {
    for (let count = 0; count < times; count += 1) await this.page.keyboard.press(key);
  }

  sentence() {
    return this.find("sentence").innerText();
  }

  /** Returns the number of steps done and of all steps. */
  async step() {
    return (await this.find("step").innerText()).split(" / ").map(Number);
  }

  node(name) {
    return this.page.locator(`g.node[data-name="${name}"]`);
  }

  async read(name) {
    return [await this.node(name).getAttribute("data-state"), await this.node(name).getAttribute("data-value")];
  }

  texts(name) {
    return this.node(name).locator("text").allTextContents();
  }

  click(name) {
    return this.node(name).dispatchEvent("click");
  }
}

/** Runs a test with the page of a command. */
function pageTest(name, words, body) {
  test(name, { skip, timeout: 60_000 }, async () => {
    const page = await Page.open(write(...words));
    await body(page);
    await page.close();
  });
}

pageTest("example_is_stepped_through", ["tree", "--tree", EXAMPLE, "--algorithm", "alpha-beta fail-soft"], async (page) => {
  const [, all] = await page.step();
  assert.deepEqual(await page.step(), [all, all], "the page opens at the final tree");
  assert.deepEqual(await page.read("A"), ["final", "5"]);
  await page.key("Home");
  assert.deepEqual(await page.read("A"), ["unseen", ""], "A before the search");
  const leaves = [];
  const seen = {};
  for (let step = 1; step <= all; step += 1) {
    await page.key("ArrowRight");
    const sentence = await page.sentence();
    if (sentence.startsWith("Leaf ")) leaves.push(sentence.split(" ")[1]);
    if (sentence.startsWith("The tentative value of F")) seen.F = await page.read("F");
    if (sentence.startsWith("Cutoff at F")) Object.assign(seen, { cutoff: sentence, H: await page.read("H") });
    if (sentence.startsWith("The tentative value of M is now 5")) seen.M = await page.read("M");
  }
  assert.equal(leaves.join(""), "DEGKLNORS", "leaves in visiting order");
  assert.deepEqual(seen, {
    F: ["open", "6?"],
    cutoff: "Cutoff at F: its value is ≥ 2, the tentative value of B. Skipped: H.",
    H: ["pruned", ""],
    M: ["open", "5?"],
  });
  assert.deepEqual(await page.step(), [all, all]);
  assert.match(await page.sentence(), /value 5, principal variation I M N/);
  for (const [name, ...state] of [["A", "final", "5"], ["B", "final", "2"], ["F", "cut", "≥6"], ["P", "cut", "≤4"], ["T", "pruned", ""]]) {
    assert.deepEqual(await page.read(name), state, name);
  }
  const texts = await page.texts("P");
  assert.ok(texts.includes("✂ 4 ≤ 5 of A") && texts.includes("(5, +∞)"), texts.join());
  assert.match(await page.node("M").getAttribute("class"), /\bpv\b/);
  assert.doesNotMatch(await page.node("J").getAttribute("class"), /\bpv\b/);

  // Stepping backward by keys and buttons restores the same states.
  await page.key("ArrowLeft");
  assert.equal((await page.step())[0], all - 1);
  assert.deepEqual(await page.read("A"), ["open", "5?"]);
  await page.key("Home");
  assert.deepEqual(await page.read("A"), ["unseen", ""]);
  await page.find("next").click();
  await page.find("next").click();
  assert.equal((await page.step())[0], 2);
  assert.equal(await page.sentence(), "Visit A (MAX) with the window (-∞, +∞).");
  await page.find("back").click();
  assert.equal((await page.step())[0], 1);
  await page.find("last").click();
  assert.equal((await page.step())[0], all);
  await page.key("PageUp");
  assert.equal((await page.step())[0], all - 10);
  await page.click("C");
  assert.equal(await page.find("name").innerText(), "C — MAX");
});

for (const algorithm of ["minimax", "and/or deep", "negascout", "mtd(f)", "sss*", "dual*", "mtd(+inf)"]) {
  pageTest(`${algorithm} ends with the value`, ["tree", "--tree", EXAMPLE, "--algorithm", algorithm], async (page) => {
    await page.key("End");
    assert.equal((await page.read("A"))[1], "5");
    // NegaScout confirms a value without a variation below the reply.
    assert.ok((await page.sentence()).includes(algorithm === "negascout" ? "variation I M" : "variation I M N"));
    if (algorithm === "and/or deep") {
      const ranks = await page.page.locator("text.rank").allTextContents();
      assert.deepEqual(ranks.slice(0, 2), ["OR", "AND"]);
    }
  });
}

pageTest("chess_positions_show_a_board", ["tree", MATE_IN_1, "--depth", "2", "--ordering", "captures"], async (page) => {
  await page.key("End");
  assert.deepEqual(await page.read("root"), ["final", "#1"]);
  const board = page.find("board");
  assert.equal(await board.locator("[data-piece]").count(), 32);
  await page.click("Qxf7#");
  assert.equal(await board.locator("[data-piece]").count(), 31, "pieces after Qxf7#");
  const fill = (piece) => board.locator(`[data-piece=${piece}] .outline`).first().evaluate((shape) => getComputedStyle(shape).fill);
  assert.deepEqual([await fill("K"), await fill("k")], ["rgb(255, 255, 255)", "rgb(43, 43, 43)"]);
  assert.equal(await board.locator(".moved").count(), 2, "squares of the last move");
  assert.equal((await board.locator(".coordinate").allTextContents()).sort().join(""), "12345678abcdefgh");
  const shown = await page.page.locator("g.node").count();
  await page.page.locator('text.stub[data-stub="0"]').first().dispatchEvent("click");
  assert.ok((await page.page.locator("g.node").count()) > shown, "unfolding shows more nodes");
});

pageTest("wide_trees_are_folded", ["tree", "--tree", `(${"(1 2 3 4 5 6 7 8 9)".repeat(218)})`, "--algorithm", "minimax"], async (page) => {
  for (const [key, times] of [["PageDown", 3], ["End", 1]]) {
    await page.key(key, times);
    assert.ok((await page.page.locator("g.node").count()) < 60);
  }
});

pageTest("odd_names_are_escaped", ["tree", "--tree", "x(x'x=1 _.-b=2)"], async (page) => {
  await page.key("End");
  assert.deepEqual(await page.read("x"), ["final", "2"]);
});

pageTest("walk_is_one_tap_away", ["tree", "--tree", EXAMPLE], async (page) => {
  await page.find("walk").click();
  const [done, all] = await page.step();
  assert.ok(done < all, "the walk starts at the beginning");
  assert.equal(await page.find("play").getAttribute("aria-label"), "Pause");
});

const TWO = ["tree", "--tree", EXAMPLE, "--algorithm", "alpha-beta fail-soft", "--against", "sss*"];
pageTest("two_walks_are_shown_in_step", TWO, async (page) => {
  const titles = await page.find("title").allInnerTexts();
  assert.deepEqual(titles.map((title) => title.split(",")[0]), ["alpha-beta fail-soft", "sss*"]);
  await page.key("Home");
  await page.find("unit").selectOption("leaf");
  await page.find("unit").evaluate((unit) => unit.blur());
  const leaves = ["", ""];
  for (let step = 0; step < 12; step += 1) {
    await page.key("ArrowRight");
    const sentences = await page.page.locator(".v-panel [data-v=sentence]").allInnerTexts();
    sentences.forEach((sentence, panel) => sentence.startsWith("Leaf ") && (leaves[panel] += sentence.split(" ")[1]));
  }
  assert.deepEqual(leaves, ["DEGKLNORS", "DEKLRSNO"]);
  assert.equal(await page.find("position").innerText(), "10 / 10");
});

pageTest("nodes_are_selected_by_keys", ["tree", "--tree", EXAMPLE], async (page) => {
  await page.key("Home");
  for (const [key, name] of [["ArrowDown", "B — MIN"], ["ArrowRight", "I — MIN"], ["ArrowDown", "J — MAX"], ["ArrowUp", "I — MIN"]]) {
    await page.key(`Shift+${key}`);
    assert.equal(await page.find("name").innerText(), name);
  }
  assert.equal((await page.step())[0], 0, "selecting a node does not step");
});

const PAGES = {
  tree: ["tree", "--tree", EXAMPLE],
  board: ["tree", MATE_IN_1, "--depth", "2", "--ordering", "captures"],
  two: ["tree", "--tree", EXAMPLE, "--against", "mtd(f)"],
};
for (const [name, words] of Object.entries(PAGES)) {
  test(`${name} fits screens, light and dark`, { skip, timeout: 60_000 }, async () => {
    const url = write(...words);
    for (const [width, height] of [[1300, 850], [390, 844]]) {
      const hasTouch = width < 500;
      for (const [colorScheme, background] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(20, 24, 31)"]]) {
        const what = `${width} px, ${colorScheme}`;
        const page = await Page.open(url, { viewport: { width, height }, hasTouch, isMobile: hasTouch, colorScheme });
        if (name === "board") await page.click("Qxf7#");
        assert.ok((await page.page.evaluate(() => document.documentElement.scrollWidth)) <= width, what);
        assert.equal(await page.page.evaluate(() => getComputedStyle(document.body).backgroundColor), background, what);
        await page.page.locator(".v-help summary").click();
        const wording = page.page.locator(hasTouch ? ".v-touch" : ".v-keys").first();
        assert.ok(await wording.isVisible(), `${what}: wording for the device`);
        await page.close();
      }
    }
  });
}
