// The algorithms in WebAssembly against the native program: the same walks and the same cost for every algorithm and preset of the page.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { NO_NATIVE_PROGRAM, native } from "./uci.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url)).replace(/.$/, "");
const WASM = resolve(`${HERE}/../dist/wasm/site.wasm`);
const FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
/** Longest time of a request in milliseconds, with a reserve for slow machines. */
const LIMIT = 10_000;

/** Functions of the engine's host, which the algorithms do not call. */
const env = { now: () => 0, send: () => undefined, pause: () => 0 };
const folder = mkdtempSync(join(tmpdir(), "aspirant-algorithms-"));
after(() => rmSync(folder, { recursive: true }));

const { exports: wasm } = (await WebAssembly.instantiate(readFileSync(WASM), { env })).instance;

/** Returns the reply to a request text. */
function callText(text) {
  const bytes = new TextEncoder().encode(text);
  const address = wasm.request_alloc(bytes.length);
  assert.notEqual(address, 0, "alloc");
  new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
  const reply = wasm.request_call(address, bytes.length);
  wasm.request_free(address, bytes.length);
  const length = new DataView(wasm.memory.buffer).getUint32(reply, true);
  const json = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(wasm.memory.buffer, reply + 4, length));
  wasm.request_free(reply, length + 4);
  return JSON.parse(json);
}

const call = (request) => callText(JSON.stringify(request));

/** Returns the data in the page that `aspirant tree --html` writes. */
function nativeWalks(...args) {
  const path = join(folder, "tree.html");
  native("tree", ...args, "--html", path);
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(path, "utf8"))[1]);
}

/** Returns a module of the view Learn. */
function learnModule(name) {
  const { buildSync } = createRequire(`${HERE}/../site/package.json`)("esbuild");
  const outfile = join(folder, `${name}.cjs`);
  buildSync({ entryPoints: [`${HERE}/../site/src/learn/${name}.ts`], outfile, bundle: true, format: "cjs", platform: "node" });
  return createRequire(import.meta.url)(outfile);
}

/** Returns the trees of the page's presets. */
const presets = () => learnModule("presets").PRESETS.map(({ id, tree }) => ({ id, tree: tree() }));

let seed = 7;
const random = (below) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff) % below;

/** Returns a random tree whose root has children. */
function randomTree(depth = 4) {
  const children = Array.from({ length: 1 + random(3) }, () => (depth > 1 && random(4) > 0 ? randomTree(depth - 1) : String(random(10))));
  return `(${children.join(" ")})`;
}

/** The walks of all algorithms on 200 random trees. */
function* randomWalks() {
  for (let k = 0; k < 200; k++) {
    const tree = randomTree();
    for (const name of names) yield { tree, name, walk: call({ request: "walk", tree, algorithm: name }) };
  }
}

const catalog = call({ request: "algorithms" });
const names = catalog.algorithms.map(({ name }) => name);
const skip = NO_NATIVE_PROGRAM;

test("catalog_lists_the_algorithms_of_the_native_program", { skip }, () => {
  const listed = native("compare", "--list");
  for (const name of names) assert.ok(listed.includes(name), name);
  assert.equal(JSON.parse(native("compare", "--tree", "(1 2)", "--json")).length, names.length);
});

test("walk_is_the_data_of_the_native_page", { skip }, () => {
  for (const name of names) {
    assert.deepEqual([call({ request: "walk", tree: catalog.example, algorithm: name, max_nodes: 20_000 })],
      nativeWalks("--tree", catalog.example, "--algorithm", name), name);
  }
  const settings = { ordering: ["captures", "killers"], memory: true, guess: 30, delta: 10, depth: 3, max_nodes: 20_000 };
  const args = ["--ordering", "captures,killers", "--memory", "--guess", "30", "--delta", "10", "--depth", "3"];
  for (const name of ["alpha-beta fail-soft", "mtd(f)", "aspiration", "sss*"]) {
    assert.deepEqual([call({ request: "walk", fen: FEN, algorithm: name, ...settings })], nativeWalks(FEN, "--algorithm", name, ...args), name);
  }
});

test("costs_equal_those_of_the_native_program_for_all_presets", { skip }, () => {
  for (const { id, tree } of presets()) {
    for (const [memory, ordering] of [[false, "none"], [true, "all"]]) {
      const { rows } = call({ request: "compare", tree, memory, ordering: [ordering] });
      const expected = JSON.parse(native("compare", "--tree", tree, "--json", "--memory", memory ? "on" : "off", "--ordering", ordering));
      assert.equal(rows.length, names.length);
      for (const row of rows) {
        const other = expected.find(({ algorithm }) => algorithm === row.algorithm);
        assert.deepEqual([row.leaves, row.nodes, row.passes, row.value], [other.leaves, other.nodes, other.passes, other.value],
          `${id}, ${row.algorithm}, memory ${memory}`);
      }
    }
  }
});

test("walk_and_compare_return_equal_costs", () => {
  for (const input of [{ tree: catalog.example }, { fen: FEN, depth: 2, ordering: ["all"] }]) {
    for (const row of call({ request: "compare", ...input }).rows) {
      const walk = call({ request: "walk", algorithm: row.algorithm, ...input });
      assert.deepEqual([walk.leaves, walk.visited, walk.value], [row.leaves, row.nodes, row.value], row.algorithm);
    }
  }
});

test("invalid_requests_are_answered_by_messages", () => {
  const inputs = ["", "x", "[1]", "{}", '{"request":5}', '{"request":"walk","tree":""}', '{"request":"walk","tree":"(1 2","fen":""}',
    `{"request":"walk","tree":"${"(".repeat(99_000)}"}`, `{"request":"parse","tree":"(${"1 ".repeat(90_000)})"}`,
    '{"request":"walk","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}', '{"request":"walk","tree":"(1 2)","depth":1e9}', "\0\u{1F600}"];
  for (const input of inputs) assert.equal(typeof callText(input).error, "string", input.slice(0, 60));
  const broken = call({ request: "parse", tree: "(3\n 5x)" });
  assert.deepEqual([broken.line, broken.column, broken.position], [2, 2, 5]);
  assert.equal(broken.error, "character 5 (line 2, column 2) of the tree: `5x` is not an integer, `inf` or `-inf`");
  assert.equal(wasm.request_alloc(2_000_000), 0);
});

test("random_inputs_are_answered", () => {
  const alphabet = ["(", "(", ")", ")", " ", "1", "-7", "a", "a=", "inf", "=", ",", "é", "32001", "x("];
  for (let k = 0; k < 3000; k++) {
    const tree = Array.from({ length: random(24) }, () => alphabet[random(alphabet.length)]).join("");
    const reply = call({ request: "walk", tree, algorithm: names[random(names.length)] });
    assert.ok(typeof reply.error === "string" || Array.isArray(reply.steps), tree);
  }
});

test("large_inputs_are_answered", () => {
  // Many queens on both sides.
  const wide = "k2q1q2/1q1q2q1/q1q3q1/8/8/1Q3Q1Q/1Q2Q1Q1/2Q1Q2K w - - 0 1";
  const deep = `${"(1 ".repeat(100)}2${")".repeat(100)}`;
  const flat = `(${"(1 2 3 4 5 6 7 8 9)".repeat(1900)})`;
  for (const input of [{ fen: wide, depth: 3 }, { tree: deep }, { tree: flat }, { tree: flat, ordering: ["all"], memory: true }]) {
    for (const name of ["minimax", "alpha-beta fail-soft", "mtd(+inf)", "dual*", "alpha-beta etc"]) {
      const reply = call({ request: "walk", algorithm: name, ...input });
      assert.ok(typeof reply.error === "string" || reply.steps.length > 0, name);
    }
    assert.equal(call({ request: "compare", ...input }).rows.length, names.length);
  }
});

// What the view Learn derives from the walks, on random trees.
const { Replay, questionAt } = learnModule("predict");
const { boundsText, Memory, OpenList } = learnModule("state");
const { codeOf, currentLine } = learnModule("pseudocode");
const { minimalLeaves, orderedTree, parseTree } = learnModule("tree-text");

/** Returns the minimax values of the nodes of a walk of minimax. */
const valuesOf = (tree) => {
  const { nodes, steps } = call({ request: "walk", tree, algorithm: "minimax" });
  const values = new Map();
  for (const { t, n, v } of steps) if (t === "leaf" || t === "leave") values.set(nodes[n].name, v);
  return values;
};

test("explanations_are_true_of_their_steps", () => {
  for (const { tree, name, walk } of randomWalks()) {
    const replay = new Replay(walk), lines = codeOf(name, name.startsWith("mtd"));
    for (let at = 1; at <= walk.steps.length; at++) {
      replay.to(at);
      const text = replay.why(), what = `${name}, ${tree}, step ${at}: ${text}`, step = walk.steps[at - 1], { n } = step;
      assert.doesNotMatch(text, /undefined|NaN|null,/, what);
      assert.ok(walk.windows || !/window|α|β/.test(text), what);
      const isDriven = step.t !== "pass" || lines.some(({ kinds }) => kinds.includes("pass"));
      assert.ok(currentLine(lines, replay) >= 0 || !isDriven, `${what}: no line of the pseudocode for ${step.t}`);
      if (!replay.ended) assert.ok(!/principal variation/.test(replay.sentence(false)), what);
      const { win, tent } = replay.state[n], max = replay.isMax(n);
      if (/falls|rises/.test(text)) assert.ok(max ? tent > win[0] && tent < win[1] : tent < win[1] && tent > win[0], what);
      const deep = /found (\d+) plies above/.exec(text);
      if (deep) assert.equal(walk.nodes[n].ply - walk.nodes[step.by].ply, Number(deep[1]), what);
      if (step.t === "leaf" && /keeps it|improves/.test(text)) {
        const parent = walk.nodes[n].parent, next = walk.steps[at];
        // Fail-hard begins with α instead of no value.
        if (next && name !== "alpha-beta fail-hard") assert.equal(next.t === "tentative" && next.n === parent, /improves/.test(text), what);
      }
      const gamma = /γ = (-?\d+)/.exec(step.t === "pass" ? text : "");
      if (gamma) assert.equal(walk.steps[at].b, Number(gamma[1]), what);
      if (gamma) assert.ok(boundsText(replay).includes(`γ = ${gamma[1]}.`), `${what} ${boundsText(replay)}`);
      const exact = /exactly (-?\d+)/.exec(text);
      if (exact) assert.equal(valuesOf(tree).get(walk.nodes[n].name), Number(exact[1]), what);
      const merit = /its value: (-?\d+)\.$/.exec(text), taken = walk.steps.slice(at).find(({ t, n: node }) => t === "open" && node === n);
      if (merit && taken) assert.equal(taken.v, Number(merit[1]), what);
      assert.equal(merit !== null, step.t === "leaf" && walk.best_first && walk.nodes[n].parent !== null, what);
    }
    if (name.startsWith("mtd")) assert.match(boundsText(replay), new RegExp(`f⁻ = ${walk.value}, f⁺ = ${walk.value}.*stops`));
  }
});

test("open_list_and_memory_follow_from_the_walk", () => {
  for (const { tree, name, walk } of randomWalks()) {
    const replay = new Replay(walk), open = new OpenList(replay), memory = new Memory(replay), values = valuesOf(tree);
    for (let at = 0; at < walk.steps.length; at++) {
      replay.to(at);
      const { t, n, v, solved } = walk.steps[at];
      if (t === "open") assert.deepEqual(open.follow().sorted()[0], { node: n, merit: v, solved }, `${name}, ${tree}, step ${at}`);
      if (!name.startsWith("mtd")) continue;
      for (const { node, lower, upper } of memory.follow().latest()) {
        const value = values.get(walk.nodes[node].name);
        assert.ok(lower <= value && value <= upper, `${name}, ${tree}: ${walk.nodes[node].name}`);
      }
    }
  }
});

test("questions_have_one_right_answer_among_their_choices", () => {
  const asked = new Map();
  for (const { tree, name, walk } of randomWalks()) {
    const replay = new Replay(walk), after = new Replay(walk);
    for (let at = 1; at <= walk.steps.length; at++) {
      replay.to(at);
      const question = questionAt(replay), next = walk.steps[at];
      if (next?.t === "cut" && walk.steps[at - 1].t !== "enter") assert.match(question?.right ?? "", /^Cut off/, `${name}, ${tree}, step ${at}`);
      if (!question) continue;
      asked.set(name, (asked.get(name) ?? 0) + 1);
      after.to(Math.min(at + 1, walk.steps.length));
      const what = `${name}, ${tree}, step ${at}: ${question.text} ${question.choices} ${question.right}`;
      assert.ok(question.explain(after).length > 10, what);
      if (question.choices) assert.equal(question.choices.filter((choice) => choice === question.right).length, 1, what);
      else assert.match(question.right, /^-?\d+$/, what);
      if (question.right.startsWith("Cut off")) assert.equal(next.t, "cut", what);
    }
  }
  for (const name of names) assert.ok(asked.get(name) > 100, `${name}: ${asked.get(name)} questions`);
});

test("no_algorithm_evaluates_fewer_leaves_than_the_minimum", () => {
  for (const { tree, name, walk } of randomWalks()) {
    assert.ok(new Set(walk.steps.filter(({ t }) => t === "leaf").map(({ n }) => n)).size >= minimalLeaves(parseTree(tree)), `${name}, ${tree}`);
  }
  for (const [width, depth] of [[2, 3], [3, 4], [4, 2]]) {
    const tree = orderedTree(width, depth, true), minimum = width ** Math.ceil(depth / 2) + width ** Math.floor(depth / 2) - 1;
    assert.equal(minimalLeaves(parseTree(tree)), minimum);
    assert.equal(call({ request: "walk", tree, algorithm: "alpha-beta fail-soft" }).leaves, minimum);
  }
});
