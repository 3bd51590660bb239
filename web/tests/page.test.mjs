// The site (web/dist/site, or $ASPIRANT_SITE) in headless Chromium, or in Firefox if $BROWSER is firefox, served from a sub-path.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { makeSan } from "chessops/san";
import { makeUci } from "chessops/util";

import { launchBrowser, serve } from "./programs.mjs";
import { NO_NATIVE_PROGRAM, START, native } from "./uci.mjs";

const SITE = resolve(process.env.ASPIRANT_SITE ?? new URL("../dist/site", import.meta.url).pathname);
const PATH = "/some/folder/";
const LIMIT = 60_000;
const EXAMPLE = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))";
const MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
// Mate in two; every reply allows a mate by the pawn or the rook.
const MATE_IN_2 = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";

let server;
let browser;

before(async () => {
  server = await serve({ [PATH]: SITE });
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** A page with a profile of its own; collects errors and requests. */
class Page {
  errors = [];

  static async open(hash = "", options = {}, origin = server.origin) {
    const page = new Page();
    page.context = await browser.newContext(options);
    page.page = await page.context.newPage();
    page.page.setDefaultTimeout(LIMIT);
    page.page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.errors.push(message.text()));
    page.page.on("pageerror", (error) => page.errors.push(String(error)));
    page.page.on("response", (response) => response.status() >= 400 && page.errors.push(`${response.status()} ${response.url()}`));
    page.page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}${PATH}`) && /^https?:/.test(url)) page.errors.push(`request of ${url}`);
    });
    page.page.on("dialog", (dialog) => void dialog.accept());
    page.url = `${origin}${PATH}`;
      if (hash !== null) await page.page.goto(`${page.url}${hash}`);
    return page;
  }

  get(id) {
    return this.page.getByTestId(id);
  }

  async text(id) {
    return ((await this.get(id).textContent()) ?? "").trim();
  }

  fen() {
    return this.get("board").getAttribute("data-fen");
  }

  /** Waits until the function of the page returns a true value for this argument. */
  wait(condition, argument, timeout = LIMIT) {
    return this.page.waitForFunction(condition, argument, { timeout });
  }

  waitForText(id, pattern) {
    return this.wait(
      ([testId, source]) => new RegExp(source).test(document.querySelector(`[data-testid="${testId}"]`)?.textContent ?? ""),
      [id, pattern.source],
    );
  }

  async play(move) {
    await this.get("move-input").fill(move);
    await this.get("move-input").press("Enter");
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.errors, []);
  }
}

/** Runs a test with a page of its own that must log no errors. */
function pageTest(name, hash, body, options, skip = false) {
  test(name, { timeout: 4 * LIMIT, skip }, async () => {
    const page = await Page.open(hash, options);
    try {
      await body(page);
      await page.close();
    } catch (error) {
      error.message += `\n${page.errors.join("\n")}`;
      throw error;
    } finally {
      await page.context.close();
    }
  });
}

const positionOf = (fen) => Chess.fromSetup(parseFen(fen).unwrap()).unwrap();

function legalMoves(position) {
  const moves = [];
  for (const [from, targets] of position.allDests()) {
    for (const to of targets) {
      const isPromotion = position.board.getRole(from) === "pawn" && (to < 8 || to >= 56);
      moves.push({ from, to, promotion: isPromotion ? "queen" : undefined });
    }
  }
  return moves;
}

function matingMove(position) {
  return legalMoves(position).find((move) => {
    const next = position.clone();
    next.play(move);
    return next.isCheckmate();
  });
}

/** Starts a game with these settings from the position of the URL, or from the standard one. */
async function startGame(page, { color = "white", limit = "depth", value = 6 } = {}) {
  await page.get(`color-${color}`).check({ force: true });
  await page.get("strength-full").check({ force: true });
  await page.get("time-control").selectOption("none");
  await page.get("play-limit").selectOption(limit);
  await page.get("play-limit-value").fill(String(value));
  await page.get("start-game").click();
}

/** Waits until the side is to move or the game is over; returns the position on the board. */
async function turnOf(page, side) {
  await page.wait(
    (turn) => {
      const isOver = document.querySelector('[data-testid="result"]')?.textContent !== "";
      return isOver || document.querySelector('[data-testid="board"]').dataset.fen.split(" ")[1] === turn;
    },
    side,
  );
  return positionOf(await page.fen());
}

pageTest("game_is_played_to_mate_against_the_engine", `#/play?fen=${encodeURIComponent(MATE_IN_2)}`, async (page) => {
  await startGame(page);
  await page.play("Ra6");
  await page.wait((fen) => document.querySelector('[data-testid="board"]').dataset.fen !== fen, MATE_IN_2);
  const position = await turnOf(page, "w");
  await page.play(makeSan(position, matingMove(position)));
  await page.waitForText("result", /1-0/);
  assert.match(await page.text("result"), /checkmate|mate/i);
  await page.get("analyze-game").click();
  await page.get("engine-toggle").waitFor();
  assert.ok(positionOf(await page.fen()).isCheckmate());
});

pageTest("engine_mates_and_the_game_is_lost", `#/play?fen=${encodeURIComponent("8/8/8/8/8/6k1/P3q3/7K w - - 0 1")}`, async (page) => {
  await startGame(page);
  await page.play("a3");
  await page.waitForText("result", /0-1/);
  assert.ok(positionOf(await page.fen()).isCheckmate());
});

pageTest("whole_game_ends_by_rule", "#/play", async (page) => {
  await startGame(page, { color: "white", limit: "depth", value: 5 });
  let seed = 5;
  for (let ply = 0; ply < 200; ply += 1) {
    const position = await turnOf(page, "w");
    if (position.isEnd() || (await page.text("result"))) break;
    const before = await page.fen();
    const moves = legalMoves(position);
    seed = (seed * 48271) % 2147483647;
    const move = moves[seed % moves.length];
    await page.play(makeUci(move));
    await page.wait((fen) => document.querySelector('[data-testid="board"]').dataset.fen !== fen, before);
  }
  await page.waitForText("result", /\S/);
  const position = positionOf(await page.fen());
  const outcome = position.outcome();
  const result = await page.text("result");
  if (outcome?.winner) assert.match(result, outcome.winner === "white" ? /1-0/ : /0-1/);
  else assert.match(result, /½–½/);
  assert.ok((await page.get("resign").isHidden()) && (await page.get("analyze-game").isVisible()));
});

pageTest("game_is_resigned_and_moves_are_taken_back", "#/play", async (page) => {
  await startGame(page, { limit: "depth", value: 3 });
  await page.play("e4");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 2);
  await page.get("take-back").click();
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 0);
  assert.equal(await page.fen(), START);
  await page.play("d4");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 2);
  await page.get("resign").click();
  await page.waitForText("result", /0-1/);
});

pageTest("moves_are_typed_without_losing_the_focus", "#/play?moves=e2e4+e7e5", async (page) => {
  // The position of the URL is the one to start from.
  assert.equal(await page.get("start-position").inputValue(), "current");
  await startGame(page, { limit: "depth", value: 3 });
  await page.get("move-input").focus();
  for (const [move, count] of [["Nf3", 2], ["Bc4", 4]]) {
    await page.page.keyboard.type(move);
    await page.page.keyboard.press("Enter");
    await page.wait((moves) => document.querySelectorAll('[data-testid="move"]').length === moves, count);
    assert.equal(await page.page.evaluate(() => document.activeElement?.dataset.testid), "move-input");
  }
});

pageTest("premove_ends_with_take_back", "#/play", async (page) => {
  await startGame(page, { limit: "movetime", value: 3600 });
  const box = await page.get("board").locator("cg-board").boundingBox();
  const square = (file, rank) => ({ x: ((file + 0.5) * box.width) / 8, y: ((7.5 - rank) * box.height) / 8 });
  await page.play("e4");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 1);
  await page.get("board").locator("cg-board").click({ position: square(6, 0) });
  await page.get("board").locator("cg-board").click({ position: square(5, 2) });
  await page.get("board").locator(".current-premove").first().waitFor({ state: "attached" });
  await page.get("take-back").click();
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 0);
  // A premove would be played at once, or one timer tick later.
  await page.page.waitForTimeout(300);
  assert.equal(await page.fen(), START);
  assert.equal(await page.get("board").locator(".current-premove").count(), 0);
});

pageTest("limited_strength_plays_with_a_clock", "#/play", async (page) => {
  await page.get("strength-elo").check({ force: true });
  await page.get("color-black").check({ force: true });
  await page.get("time-control").selectOption("custom");
  await page.get("minutes").fill("1");
  await page.get("increment").fill("0");
  await page.get("start-game").click();
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 1);
  assert.match(await page.text("player-top"), /Elo \d+/);
  const before = await page.text("clock-bottom");
  await page.wait((text) => document.querySelector('[data-testid="clock-bottom"]').textContent !== text, before);
  await page.play("Nf6");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 3);
});

pageTest("elo_range_is_that_of_the_engine_before_it_has_loaded", null, async (page) => {
  // Never answered: the engine stays in the state "loading".
  await page.context.route("**/aspirant.wasm", () => {});
  await page.page.goto(`${page.url}#/play`);
  for (const [key, elo] of [["Home", "400"], ["End", "2720"]]) {
    await page.get("elo").press(key);
    assert.equal(await page.text("elo-value"), elo);
  }
});

pageTest("focus_moves_from_a_hidden_button_to_a_visible_one", "#/play", async (page) => {
  await startGame(page, { limit: "depth", value: 1 });
  for (const [button, next] of [["pause", "resume"], ["resume", "pause"], ["resign", "analyze-game"]]) {
    await page.get(button).press("Enter");
    await page.page.locator(`[data-testid="${next}"]:focus`).waitFor();
  }
});

pageTest("analysis_is_kept_when_a_game_is_restored", "#/play", async (page) => {
  await startGame(page, { limit: "depth", value: 1 });
  await page.play("e4");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 2);
  await page.get("nav-analyze").click();
  await page.get("fen-input").fill(MATE_IN_1);
  await page.get("fen-load").click();
  await page.wait(() => location.hash.includes("fen="));
  await page.page.reload();
  await page.get("nav-play").click();
  await page.get("resume").waitFor();
  await page.get("nav-analyze").click();
  await page.get("fen-input").waitFor();
  assert.equal(await page.fen(), MATE_IN_1);
});

pageTest("analysis_starts_and_stops", "", async (page) => {
  await page.get("engine-toggle").click();
  await page.waitForText("stat-depth", /^([89]|\d\d)/);
  await page.get("multipv").selectOption("3");
  await page.get("line-3").waitFor();
  await page.waitForText("stat-depth", /^([6-9]|\d\d)/);
  assert.ok((await page.page.locator("svg.cg-shapes line, svg.cg-shapes g line").count()) > 0, "no arrows");
  assert.match(await page.text("line-1"), /[NBRQKa-h]/);
  await page.get("engine-toggle").click();
  // Until then, output of the search may still be shown.
  await page.waitForText("announcer", /Analysis ended/);
  const nodes = await page.text("stat-nodes");
  await page.page.waitForTimeout(700);
  assert.equal(await page.text("stat-nodes"), nodes);
});

pageTest("link_of_the_current_view_does_not_stop_the_analysis", "#/analyze?moves=e2e4", async (page) => {
  await page.get("engine-toggle").click();
  await page.get("nav-analyze").click();
  // Time for the event of a navigation.
  await page.page.waitForTimeout(100);
  assert.match(await page.text("engine-toggle"), /Stop/);
});

pageTest("focus_stays_at_the_variations_when_a_move_is_played", "", async (page) => {
  await page.get("engine-toggle").click();
  await page.page.locator(".pv-move").first().press("Enter");
  await page.page.locator('[data-testid="lines"]:focus').waitFor();
  await page.get("line-1").locator(".pv-move").first().waitFor();
  await page.page.keyboard.press("Tab");
  await page.page.locator('[data-testid="line-1"] .pv-move:focus').waitFor();
});

pageTest("analysis_ends_with_the_game", `#/analyze?fen=${encodeURIComponent(MATE_IN_1)}`, async (page) => {
  await page.get("engine-toggle").click();
  await page.waitForText("engine-state", /Searching/);
  await page.play("Ra8");
  await page.waitForText("position-status", /mate/i);
  assert.doesNotMatch(await page.text("engine-state"), /Searching/);
});

pageTest("analysis_follows_the_position_of_the_board", "", async (page) => {
  await page.get("limit").selectOption("depth");
  await page.get("limit-value").fill("8");
  await page.get("limit-value").press("Tab");
  await page.get("fen-input").fill("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
  await page.get("fen-load").click();
  await page.get("engine-toggle").click();
  await page.waitForText("line-1", /Ra8#/);
  await page.waitForText("engine-state", /Done: depth/);
  // A search that has reached its limit does not turn the analysis off.
  await page.get("reset").click();
  await page.waitForText("stat-depth", /^8/);
  await page.waitForText("line-1", /^(?!.*Ra8#).*[a-hN]/);
  assert.doesNotMatch(await page.text("evaluation"), /#|mate/i);
});

pageTest("fen_and_pgn_are_loaded", "", async (page) => {
  const fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
  await page.get("fen-input").fill(fen);
  await page.get("fen-load").click();
  assert.equal(await page.fen(), fen);
  await page.get("pgn-input").fill('[Event "Test"]\n\n1. e4 e5 2. Nf3 (2. f4 exf4) 2... Nc6 3. Bb5 a6 1-0');
  await page.get("pgn-load").click();
  assert.equal(await page.fen(), "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4");
  const moves = await page.get("move").allTextContents();
  assert.deepEqual(moves.filter((move) => ["e4", "e5", "Nf3", "f4", "exf4", "Nc6", "Bb5", "a6"].includes(move)).length, 8);
  await page.get("step-first").click();
  assert.equal(await page.fen(), START);
  await page.page.keyboard.press("ArrowRight");
  assert.match(await page.fen(), / b /);
});

pageTest("invalid_fen_and_pgn_give_clear_messages_and_change_nothing", "", async (page) => {
  for (const fen of ["", "nonsense", "8/8/8/8/8/8/8/8 w - - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w KQkq - 0 1",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"]) {
    await page.get("fen-input").fill(fen);
    await page.get("fen-load").click();
    assert.ok((await page.text("fen-message")).length > 15, `message for "${fen}": ${await page.text("fen-message")}`);
    assert.equal(await page.get("fen-input").getAttribute("aria-invalid"), "true");
    assert.equal(await page.fen(), START);
  }
  for (const [pgn, part] of [["1. e4 e5 2. Ke3", "Ke3"], ["hello", "hello"]]) {
    await page.get("pgn-input").fill(pgn);
    await page.get("pgn-load").click();
    assert.ok((await page.text("pgn-message")).includes(part), await page.text("pgn-message"));
    assert.equal(await page.fen(), START);
  }
  await page.get("chess960-number").fill("960");
  await page.get("chess960-set").click();
  assert.match(await page.text("chess960-message"), /960/);
});

pageTest("position_is_set_up_on_the_board", "", async (page) => {
  await page.get("edit-position").click();
  const box = await page.get("editor-board").locator("cg-board").boundingBox();
  const square = (file, rank) => [box.x + ((file + 0.5) * box.width) / 8, box.y + ((7.5 - rank) * box.height) / 8];
  const drag = async (from, to) => {
    await page.page.mouse.move(...from);
    await page.page.mouse.down();
    await page.page.mouse.move(...to, { steps: 3 });
    // chessground follows the pointer once a frame.
    await page.page.waitForTimeout(100);
    await page.page.mouse.up();
  };
  await page.get("editor-clear").click();
  for (const [piece, file] of [["king", 4], ["rook", 7], ["rook", 0], ["pawn", 2]]) {
    await page.get(`editor-white-${piece}`).click();
    await page.page.mouse.click(...square(file, 0));
  }
  await page.get("editor-done").click();
  assert.match(await page.text("editor-error"), /1 white and 0 black kings/);
  const { x, y } = await page.get("editor-black-king").boundingBox();
  await drag([x + 10, y + 10], square(4, 7));
  await page.get("editor-move-pieces").click();
  // The pawn is dragged off the board, a rook away from its corner.
  await drag(square(2, 0), [box.x + box.width + 40, box.y + 40]);
  await drag(square(0, 0), square(0, 1));
  await page.wait(() => document.querySelector('[data-testid="editor-castling-Q"]').disabled);
  await page.get("editor-castling-K").check();
  await page.get("editor-turn").selectOption("b");
  await page.get("editor-done").click();
  await page.get("edit-position").waitFor();
  assert.equal(await page.fen(), "4k3/8/8/8/8/8/R7/4K2R b K - 0 1");
});

pageTest("chess960_position_is_analyzed", "", async (page) => {
  await page.get("chess960-number").fill("342");
  await page.get("chess960-set").click();
  assert.notEqual(await page.fen(), START);
  await page.get("engine-toggle").click();
  await page.waitForText("stat-depth", /^([6-9]|\d\d)/);
});

pageTest("move_is_entered_with_the_keyboard_only", "", async (page) => {
  const isFocused = () => page.page.evaluate(() => document.activeElement?.dataset.testid);
  for (let count = 0; count < 60 && (await isFocused()) !== "move-input"; count += 1) await page.page.keyboard.press("Tab");
  assert.equal(await isFocused(), "move-input");
  await page.page.keyboard.type("e4");
  await page.page.keyboard.press("Enter");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 1);
  assert.match(await page.text("announcer"), /e4|e 4/i);
  await page.page.keyboard.type("e7e5");
  await page.page.keyboard.press("Enter");
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 2);
  await page.page.keyboard.type("Ke5");
  await page.page.keyboard.press("Enter");
  await page.waitForText("move-error", /Ke5/);
});

pageTest("move_is_dragged_with_the_mouse", "", async (page) => {
  const box = await page.get("board").locator("cg-board").boundingBox();
  const square = (file, rank) => [box.x + ((file + 0.5) * box.width) / 8, box.y + ((7.5 - rank) * box.height) / 8];
  await page.page.mouse.move(...square(4, 1));
  await page.page.mouse.down();
  await page.page.mouse.move(...square(4, 2), { steps: 4 });
  await page.page.mouse.move(...square(4, 3), { steps: 4 });
  await page.page.mouse.up();
  await page.waitForText("moves", /e4/);
});

pageTest("move_is_tapped_on_a_phone", "", async (page) => {
  const box = await page.get("board").locator("cg-board").boundingBox();
  const tap = (file, rank) => page.page.touchscreen.tap(box.x + ((file + 0.5) * box.width) / 8, box.y + ((7.5 - rank) * box.height) / 8);
  await tap(6, 0);
  await tap(5, 2);
  await page.waitForText("moves", /Nf3/);
  const width = await page.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `the page is ${width} px wide`);
}, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

const learn = (parameters) => `#/learn?${new URLSearchParams(parameters)}`;
const sentence = (page) => page.page.locator('[data-v="sentence"]').first().textContent();

pageTest("algorithm_is_stepped_through", learn({ tree: EXAMPLE, algorithm: "alpha-beta fail-soft" }), async (page) => {
  await page.page.locator('[data-v="slider"]').waitFor();
  await page.page.locator('[data-v="slider"]').focus();
  await page.page.keyboard.press("Home");
  const steps = Number(await page.page.locator('[data-v="slider"]').getAttribute("max"));
  const leaves = [];
  for (let step = 0; step < steps; step += 1) {
    await page.page.keyboard.press("ArrowRight");
    const match = /^Leaf (\S+)/.exec((await sentence(page)).trim());
    if (match) leaves.push(match[1]);
  }
  assert.deepEqual(leaves, [..."DEGKLNORS"]);
  assert.match(await sentence(page), /value 5/);
  const node = page.page.locator('g.node[data-name="H"]').first();
  assert.equal(await node.getAttribute("data-state"), "pruned");
});

pageTest("leaves_of_all_algorithms_equal_the_native_program", learn({ tree: EXAMPLE }), async (page) => {
  const expected = JSON.parse(native("compare", "--tree", EXAMPLE, "--json"));
  await page.get("comparison").waitFor();
  const shown = await page.page.locator('[data-testid="comparison"] tbody tr').evaluateAll((rows) =>
    rows.map((row) => [row.dataset.algorithm, ...[...row.querySelectorAll("td.number")].map((cell) => Number(cell.textContent.replaceAll(",", "")))]));
  assert.ok(shown.length >= 10, `${shown.length} algorithms`);
  for (const [algorithm, leaves, nodes] of shown) {
    const row = expected.filter((candidate) => candidate.algorithm === algorithm).toSorted((a, b) => a.memory - b.memory)[0];
    assert.ok(row, algorithm);
    if (row.leaves !== undefined) assert.deepEqual([leaves, nodes], [row.leaves, row.nodes], algorithm);
  }
}, undefined, NO_NATIVE_PROGRAM);

pageTest("invalid_tree_gives_the_message_of_the_native_program", learn({ tree: EXAMPLE }), async (page) => {
  await page.page.locator('[data-v="slider"]').waitFor();
  await page.get("tree").fill("(1 2");
  await page.waitForText("tree-error", /unclosed bracket/);
  assert.match(await page.text("tree-error"), /character 5/);
  await page.get("tree").fill("(1 2)");
  await page.waitForText("tree-error", /^$/);
});

pageTest("position_on_the_board_is_searched_by_two_algorithms",
  learn({ fen: "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4", depth: "1", algorithm: "minimax", against: "negascout" }),
  async (page) => {
    await page.page.locator('[data-v="slider"]').waitFor();
    await page.wait(() => document.querySelectorAll('[data-v="sentence"]').length === 2);
    await page.page.locator('g.node[data-name="Qxf7#"]').first().waitFor();
  });

pageTest("deep_links_restore_the_state", "#/analyze?moves=e2e4+e7e5&ply=1", async (page) => {
  await page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 2);
  assert.match(await page.fen(), /^rnbqkbnr\/pppppppp\/8\/8\/4P3\/8\/PPPP1PPP\/RNBQKBNR b/);
  await page.get("nav-learn").click();
  await page.get("tree").fill("((3 5) (2 9))");
  await page.get("against").selectOption("minimax");
  await page.page.locator('[data-v="slider"]').waitFor();
  await page.wait(() => document.querySelectorAll('[data-v="sentence"]').length === 2);
  await page.page.locator('[data-v="slider"]').focus();
  await page.page.keyboard.press("Home");
  for (const _ of [1, 2, 3]) await page.page.keyboard.press("ArrowRight");
  await page.wait(() => /step=3/.test(location.hash));
  const before = await sentence(page);
  await page.page.reload();
  await page.page.locator('[data-v="slider"]').waitFor();
  await page.wait(() => document.querySelectorAll('[data-v="sentence"]').length === 2);
  assert.equal(await sentence(page), before);
  assert.equal(await page.get("tree").inputValue(), "((3 5) (2 9))");
});

pageTest("invalid_links_give_messages", "#/analyze?fen=nonsense", async (page) => {
  await page.get("notice").waitFor();
  assert.match(await page.text("notice"), /nonsense/);
  assert.equal(await page.fen(), START);
  await page.page.goto(`${page.url}#/learn?algorithm=nonsense`);
  await page.waitForText("notice", /nonsense.*expected one of/);
  await page.page.goto(`${page.url}#/learn?ordering=nonsense,killers`);
  await page.waitForText("notice", /Move ordering "nonsense".*expected all, none or a list of/);
  await page.page.locator('[data-v="slider"]').waitFor();
});

pageTest("navigation_is_kept_by_a_change_before_its_event", learn({ tree: EXAMPLE }), async (page) => {
  await page.wait(() => document.querySelectorAll('[data-v="sentence"]').length === 1);
  // The page writes its URL at most every 400 ms; afterwards the change below is written at once.
  await page.page.waitForTimeout(500);
  await page.page.evaluate(() => {
    location.hash = "#/learn?ordering=nonsense";
    const algorithm = document.querySelector('[data-testid="algorithm"]');
    algorithm.value = "minimax";
    algorithm.dispatchEvent(new Event("change"));
  });
  await page.waitForText("notice", /Move ordering "nonsense"/);
});

pageTest("game_is_kept_by_learn", "#/analyze?moves=e2e4+e7e5", async (page) => {
  const moves = () => page.wait(() => document.querySelectorAll('[data-testid="move"]').length === 2);
  await moves();
  await page.get("nav-learn").click();
  await page.get("source-board").check({ force: true });
  await page.wait(() => location.hash.includes("source=board"));
  await page.page.locator('.learn a[href="#/analyze"]').click();
  await moves();
  await page.page.goBack();
  await page.get("learn-fen").waitFor();
  await page.get("nav-analyze").click();
  await moves();
});

pageTest("variations_are_kept_by_the_history", "", async (page) => {
  await page.get("pgn-input").fill("1. e4 e5 (1... c5 {Sicilian}) 2. Nf3");
  await page.get("pgn-load").click();
  await page.wait(() => location.hash.includes("g1f3"));
  const fen = await page.fen();
  await page.get("nav-learn").click();
  await page.get("nav-analyze").click();
  await page.get("step-first").click();
  await page.page.goBack();
  await page.get("tree").waitFor();
  await page.page.goBack();
  await page.get("moves").waitFor();
  assert.equal(await page.get("move").count(), 4);
  assert.match(await page.text("moves"), /Sicilian/);
  assert.equal(await page.fen(), fen);
});

pageTest("learn_keeps_its_state", learn({ tree: "((3 5) (2 9))", algorithm: "minimax", against: "negascout", ordering: "killers", step: "3" }), async (page) => {
  const state = async () => {
    await page.wait(() => document.querySelectorAll('[data-v="sentence"]').length === 2);
    const values = await Promise.all(["tree", "algorithm", "against"].map((id) => page.get(id).inputValue()));
    return [...values, await page.get("ordering-killers").isChecked(), await sentence(page)];
  };
  const before = await state();
  await page.get("nav-analyze").click();
  await page.get("engine-toggle").waitFor();
  await page.get("nav-learn").click();
  assert.deepEqual(await state(), before);
});

pageTest("focus_stays_at_replaced_controls_of_learn", learn({ tree: EXAMPLE }), async (page) => {
  for (const control of ['[data-algorithm="minimax"] .learn-name', '[data-algorithm="negascout"] .learn-beside']) {
    await page.page.locator(control).press("Enter");
    await page.page.locator(`${control}[aria-pressed="true"]:focus`).waitFor();
  }
  await page.page.locator('g.node[data-name="D"]').first().click();
  for (const id of ["leaf-set", "add-child", "remove-node"]) {
    await page.get(id).evaluate((control) => (control.dataset.old = ""));
    await page.get(id).press("Enter");
    await page.page.locator(`[data-testid="${id}"]:not([data-old]):focus`).waitFor();
  }
});

pageTest("nodes_are_folded_by_the_keyboard", learn({ tree: EXAMPLE }), async (page) => {
  await page.page.locator('[data-v="tree"]').focus();
  const nodes = page.page.locator("g.node");
  const all = await nodes.count();
  assert.ok(all > 20, `${all} nodes`);
  await page.page.keyboard.press("Enter");
  assert.equal(await nodes.count(), 1);
  await page.page.keyboard.press("Enter");
  assert.equal(await nodes.count(), all);
});

pageTest("game_analysis_and_limit_are_kept_by_reload_and_other_views", "", async (page) => {
  await page.get("pgn-input").fill('[White "Anna"]\n[Black "Boris"]\n\n1. e4 e5 (1... c5 {Sicilian}) 2. Nf3 $14 2... -- 3. Bc4 *');
  await page.get("pgn-load").click();
  await page.get("limit").selectOption("depth");
  await page.get("limit-value").fill("5");
  await page.get("limit-value").press("Tab");
  await page.get("engine-toggle").click();
  const check = async () => {
    await page.waitForText("engine-state", /Done: depth 5/);
    assert.match(await page.text("moves"), /Sicilian/);
    assert.match(await page.text("moves"), /Nf3 ⩲/);
    assert.match(await page.text("moves"), /--/);
    assert.match(await page.text("game-title"), /Anna – Boris/);
    assert.equal(await page.get("limit-value").inputValue(), "5");
  };
  await check();
  await page.page.reload();
  await check();
  for (const view of ["nav-learn", "nav-play", "nav-analyze"]) await page.get(view).click();
  await check();
  assert.equal(await page.get("move").nth(3).getAttribute("aria-label"), "2. Nf3 ⩲, White: knight f3");
});

pageTest("game_of_a_pgn_is_chosen_and_errors_end_with_their_cause", "", async (page) => {
  await page.get("pgn-input").fill('[White "A"]\n\n1. e4 *\n\n[White "B"]\n[Result "1-0"]\n\n1. d4 d5 1-0\n\n[White "C"]\n\n1. c4 *');
  await page.get("pgn-load").click();
  assert.match(await page.text("pgn-message"), /Game 1 of 3/);
  await page.get("pgn-game").selectOption({ index: 1 });
  assert.match(await page.text("moves"), /d4.*d5/s);
  assert.match(await page.text("game-title"), /B – .*1-0/);
  await page.get("fen-input").fill("nonsense");
  await page.get("fen-load").click();
  assert.match(await page.text("fen-message"), /nonsense/);
  await page.get("step-first").click();
  assert.equal(await page.text("fen-message"), "");
});

pageTest("search_is_shown_unsolved_and_step_by_step_from_the_first_key", "#/learn", async (page) => {
  await page.page.locator('[data-v="slider"]').waitFor();
  assert.equal(await page.page.locator('g.node[data-name="A"]').first().getAttribute("data-value"), "");
  await page.page.keyboard.press("ArrowRight");
  await page.page.keyboard.press("ArrowRight");
  assert.match(await sentence(page), /^Visit A/);
  assert.equal(await page.page.locator(".state-code [aria-current]").textContent(), "search(p, α, β):");
  await page.page.locator('g.node[data-name="H"]').first().click();
  assert.equal(await page.page.locator('[data-v="name"]').textContent(), "H — MIN");
  await page.get("leaf-value").fill("x");
  await page.get("leaf-set").click();
  assert.match(await page.text("leaf-error"), /"x" is not the value of a leaf/);
  await page.get("leaf-value").fill("1");
  await page.get("leaf-set").click();
  await page.wait(() => document.querySelector('[data-testid="tree"]').value.includes("H=1"));
  await page.get("undo").click();
  assert.equal(await page.get("tree").inputValue(), EXAMPLE);
  await page.get("tree").fill("(a=1 a=2)");
  await page.waitForText("tree-warning", /"a" occurs more than once/);
});

pageTest("values_are_readable_on_a_laptop", learn({ random: "3,3,50,99,1", step: "9999", against: "sss*" }), async (page) => {
  for (const [width, height] of [[1024, 700], [1366, 768], [2560, 1300]]) {
    await page.page.setViewportSize({ width, height });
    await page.wait(() => document.querySelectorAll('[data-v="sentence"]').length === 2);
    await page.page.waitForTimeout(200);
    const sizes = await page.page.locator("g.node .value").evaluateAll((texts) => texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.clientWidth / text.ownerSVGElement.viewBox.baseVal.width));
    assert.ok(Math.min(...sizes) >= 11.9, `${width} px: ${Math.min(...sizes)} px`);
    // All leaves of both trees are in view.
    for (const tree of await page.page.locator('[data-v="tree"]').all()) {
      const [inner, outer] = await tree.evaluate((box) => [[box.scrollWidth, box.scrollHeight], [box.clientWidth, box.clientHeight]]);
      assert.ok(inner[0] <= outer[0] + 1, `${width} px: the tree is ${inner[0]} px wide in ${outer[0]}`);
    }
  }
});

pageTest("questions_are_asked_and_counted", learn({ tree: EXAMPLE }), async (page) => {
  await page.page.locator('[data-v="slider"]').waitFor();
  await page.get("predict-start").click();
  assert.match(await page.text("predict-question"), /C \(MAX\) has 2; its window is \(-∞, \+∞\)/);
  await page.page.getByRole("button", { name: "Search E", exact: true }).click();
  assert.match(await page.text("predict-feedback"), /Right: Search E/);
  await page.get("predict-next").click();
  assert.match(await page.text("predict-question"), /E is worth 1\. What is the value of C/);
  await page.get("predict-answer").fill("1");
  await page.get("predict-submit").click();
  assert.match(await page.text("predict-feedback"), /No: 2, not 1/);
  assert.equal(await page.text("predict-score"), "1 of 2 right");
  await page.get("predict-leave").click();
  assert.equal(await page.get("predict").count(), 0);
});

pageTest("race_ends_with_the_costs", learn({ random: "3,3,100,20,5" }), async (page) => {
  await page.get("comparison").waitFor();
  const before = await page.text("comparison");
  await page.get("race").click();
  await page.get("race-slider").waitFor();
  await page.get("race-slider").fill("0");
  assert.equal(await page.page.locator('tr[data-algorithm="minimax"] td.number').first().textContent(), "0");
  await page.get("race-slider").fill("27");
  assert.equal(await page.text("comparison"), before);
  // The first move is the best one everywhere: the minimal tree, 9 + 3 - 1 leaves.
  assert.equal(await page.page.locator('tr[data-algorithm="alpha-beta fail-soft"] td.number').first().textContent(), "11");
  const tree = await page.get("tree").inputValue();
  await page.page.reload();
  await page.get("comparison").waitFor();
  assert.equal(await page.get("tree").inputValue(), tree);
});

pageTest("order_beside_the_race_makes_a_random_tree_that_can_be_undone", learn({ tree: EXAMPLE }), async (page) => {
  await page.get("comparison").waitFor();
  await page.page.locator(".learn-compare").getByTestId("random-order").fill("100");
  assert.equal(await page.get("preset").inputValue(), "random");
  await page.get("undo").click();
  assert.equal(await page.get("tree").inputValue(), EXAMPLE);
});

pageTest("drawing_is_exported", learn({ tree: EXAMPLE, step: "9" }), async (page) => {
  await page.page.locator('[data-v="slider"]').waitFor();
  for (const [id, begin] of [["export-svg", "<svg"], ["export-png", "\u0089PNG"]]) {
    const download = page.page.waitForEvent("download");
    await page.get(id).click();
    assert.ok(readFileSync(await (await download).path(), "latin1").startsWith(begin), id);
  }
});

pageTest("embedded_view_shows_the_drawing_only", learn({ tree: EXAMPLE, embed: "1", large: "1" }), async (page) => {
  await page.page.locator("g.node").first().waitFor();
  assert.equal(await page.page.locator(".site-header").isVisible(), false);
  assert.equal(await page.get("tree").isVisible(), false);
  assert.ok(await page.page.locator(".viewer.v-large").isVisible());
});

test("page_needs_no_inline_script_or_style", { timeout: LIMIT }, async () => {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'";
  const own = await serve({ [PATH]: SITE }, { "Content-Security-Policy": policy });
  const page = await Page.open("", {}, own.origin);
  try {
    await page.get("engine-toggle").click();
    await page.waitForText("stat-depth", /^([5-9]|\d\d)/);
    await page.get("nav-learn").click();
    await page.page.locator("g.node").first().waitFor();
    await page.get("comparison").waitFor();
    await page.get("nav-play").click();
    await page.get("start-game").waitFor();
    await page.close();
  } finally {
    await page.context.close();
    await own.close();
  }
});

const NO_TUTORIAL = !existsSync(join(SITE, "tutorial")) && "the site was built without mdBook";
test("tutorial_is_linked_and_leads_to_learn", { timeout: LIMIT, skip: NO_TUTORIAL }, async () => {
  const page = await Page.open();
  await page.get("tutorial").click();
  await page.page.waitForURL(/\/tutorial\/index\.html$/);
  await page.page.locator('main a[href="03-negamax.html"]').first().click();
  await page.page.getByRole("link", { name: "Step through it" }).click();
  await page.page.waitForURL(/\/some\/folder\/#\/learn\?tree=/);
  await page.page.locator('[data-v="slider"]').waitFor();
  await page.close();
});

test("page_works_offline_after_the_first_visit", { timeout: 2 * LIMIT }, async () => {
  const own = await serve({ [PATH]: SITE });
  const page = await Page.open("", {}, own.origin);
  try {
    await page.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await own.close();
    await page.page.reload();
    await page.get("engine-toggle").click();
    await page.waitForText("stat-depth", /^([5-9]|\d\d)/);
    await page.get("nav-learn").click();
    await page.page.locator('[data-v="slider"]').waitFor();
    await page.get("nav-play").click();
    await page.get("start-game").waitFor();
    await page.close();
  } finally {
    await own.close();
    await page.context.close();
  }
});

test("memory_is_stable_over_60_analyses", { timeout: 5 * LIMIT }, async () => {
  // A copy of the site whose Worker gives access to the memory of the WebAssembly instance.
  const folder = mkdtempSync(join(tmpdir(), "aspirant-site-"));
  cpSync(SITE, folder, { recursive: true });
  const script = join(folder, "engine", "aspirant.js");
  const patch = `{ const { Instance } = WebAssembly; WebAssembly.Instance = function (...parts) {
    const instance = new Instance(...parts); self.testMemory = instance.exports.memory; return instance; }; }\n`;
  writeFileSync(script, patch + readFileSync(script, "utf8").replace(/^#!.*/, ""));
  const own = await serve({ [PATH]: folder });
  const page = await Page.open(null, {}, own.origin);
  try {
    const isEngine = (worker) => worker.url().includes("aspirant.js");
    const engine = page.page.waitForEvent("worker", isEngine);
    await page.page.goto(page.url);
    await page.get("limit").selectOption("depth");
    await page.get("limit-value").fill("4");
    await page.get("limit-value").press("Tab");
    await page.get("engine-toggle").click();
    const worker = await engine;
    await page.waitForText("stat-depth", /^4/);
    const session = await page.context.newCDPSession(page.page);
    const sizes = async () => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      return { wasm: await worker.evaluate(() => self.testMemory.buffer.byteLength), heap: usedSize };
    };
    const moves = ["e2e4", "d2d4", "g1f3", "c2c4", "b1c3"];
    const rounds = async (count) => {
      for (let round = 0; round < count; round += 1) {
        await page.page.evaluate((hash) => (location.hash = hash), `#/analyze?moves=${moves[round % moves.length]}`);
        await page.wait((move) => document.querySelectorAll('[data-testid="move"]').length === 1 && location.hash.includes(move), moves[round % moves.length]);
        await page.waitForText("engine-state", /Done: depth/);
      }
    };
    await rounds(20);
    const start = await sizes();
    await rounds(60);
    const end = await sizes();
    assert.equal(end.wasm, start.wasm, "memory of the engine");
    assert.ok(end.heap < start.heap * 1.3 + 1e6, `heap of the page: ${start.heap} bytes, then ${end.heap}`);
    assert.equal(page.page.workers().filter(isEngine).length, 1);
    await page.close();
  } catch (error) {
    error.message += `\n${page.errors.join("\n")}`;
    throw error;
  } finally {
    await page.context.close();
    await own.close();
    rmSync(folder, { recursive: true });
  }
});

test("missing_engine_is_reported_on_the_page", { timeout: LIMIT }, async () => {
  const page = await Page.open(null, { serviceWorkers: "block" });
  try {
    await page.context.route("**/aspirant.wasm", (route) => route.abort());
    await page.page.goto(page.url);
    await page.get("engine-toggle").click();
    await page.get("notice").waitFor();
    assert.ok((await page.text("notice")).length > 20, await page.text("notice"));
  } finally {
    await page.context.close();
  }
});
