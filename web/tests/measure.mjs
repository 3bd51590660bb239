// Measures size, load time, speed, cost of slicing and latency of `stop`; prints a Markdown table.
//
// usage: node measure.mjs [--quick]
//
// Needs web/dist (`make web`), the native program ($ASPIRANT, else target/release/aspirant), Chromium and the npm package
// stockfish ($STOCKFISH_PACKAGE, else downloaded). Run it on an idle machine; --quick is for trying the script only.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { Program, STOCKFISH_SCRIPT, launchBrowser, quantile, serve, stockfishPackage, temporaryFolder } from "./programs.mjs";
import { PACKAGE, SCRIPT, nativeProgram } from "./uci.mjs";

const QUICK = process.argv.includes("--quick");
const ROOT = new URL("../..", import.meta.url);
const SITE = new URL("web/dist/site", ROOT).pathname;
const ROUNDS = QUICK ? 1 : 3;
const STOPS = QUICK ? 20 : 500;
const BENCH_DEPTH = QUICK ? 8 : 13;
const MOVETIME = QUICK ? 50 : 200;

const rows = [];
/** Adds a row; also shown at once on stderr, because the whole takes some minutes. */
const row = (what, value, how) => {
  rows.push(`| ${what} | ${value} | ${how} |`);
  console.error(`${what}: ${value}`);
};
const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
const median = (values) => quantile(values, 0.5);
const percent = (part) => `${(100 * part).toFixed(1)} %`;
const mega = (value) => (value / 1e6).toFixed(3);

const files = (folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
const gzipped = (path) => gzipSync(readFileSync(path), { level: 9 }).length;

function sizes() {
  for (const name of ["aspirant.js", "aspirant.wasm"]) {
    const path = join(PACKAGE, name);
    row(name, `${kilobytes(statSync(path).size)} kB, ${kilobytes(gzipped(path))} kB gzipped`, "`python3 web/build.py --check`");
  }
  const total = (size) => kilobytes(files(SITE).reduce((sum, path) => sum + size(path), 0));
  row("the whole page", `${total((path) => statSync(path).size)} kB, ${total(gzipped)} kB gzipped`, "all files of web/dist/site");
}

const BENCH_POSITIONS = /POSITIONS: &\[&str\] = &\[([^\]]+)\]/.exec(readFileSync(new URL("src/tools/bench.rs", ROOT), "utf8"))[1]
  .match(/"[^"]+"/g).map((text) => text.slice(1, -1));

/** Runs `bench`; returns nodes and seconds by this script's clock. */
async function bench(program) {
  program.send("isready");
  await program.until(/^readyok/);
  const start = performance.now();
  program.send(`bench ${BENCH_DEPTH}`);
  const { lines, time } = await program.until(/ nodes \d+ nps$/);
  return { nodes: Number(/(\d+) nodes/.exec(lines.at(-1))[1]), seconds: (time - start) / 1000 };
}

/** Searches positions with `go depth`; returns the seconds. */
async function timeToDepth(program, fens, depth) {
  let seconds = 0;
  for (const fen of fens) {
    program.send("ucinewgame", `position fen ${fen}`, "isready");
    await program.until(/^readyok/);
    const start = performance.now();
    program.send(`go depth ${depth}`);
    seconds += ((await program.until(/^bestmove/)).time - start) / 1000;
  }
  return seconds;
}

/** Returns a script that searches without handling messages, in one slice. */
function scriptWithoutSlices() {
  const folder = temporaryFolder("aspirant-measure-");
  cpSync(PACKAGE, folder, { recursive: true });
  const script = join(folder, "aspirant.js");
  const text = readFileSync(script, "utf8");
  const changed = text.replace(/const SLICE = \d+;/, "const SLICE = 1e9;");
  if (changed === text) throw new Error("aspirant.js has no constant SLICE");
  writeFileSync(script, changed);
  return script;
}

/** Searches the positions of `bench` for a fixed time each; the nodes and times are those of the engine's info lines. */
async function speedByTime(program) {
  let [nodes, milliseconds] = [0, 0];
  for (const fen of BENCH_POSITIONS) {
    program.send("ucinewgame", `position fen ${fen}`, "isready");
    await program.until(/^readyok/);
    program.send(`go movetime ${MOVETIME}`);
    const { lines } = await program.until(/^bestmove/);
    const last = lines.findLast((line) => / nodes \d+.* time \d+/.test(line));
    // Short searches, such as those that end with a proof, would add mostly startup.
    if (!last || Number(/ time (\d+)/.exec(last)[1]) < MOVETIME / 2) continue;
    nodes += Number(/ nodes (\d+)/.exec(last)[1]);
    milliseconds += Number(/ time (\d+)/.exec(last)[1]);
  }
  return (1000 * nodes) / milliseconds;
}

async function ready(program) {
  program.send("uci");
  await program.until(/^uciok/);
  program.send("setoption name Hash value 16", "isready");
  await program.until(/^readyok/);
  return program;
}

async function speed() {
  const native = await ready(new Program(nativeProgram()));
  const wasm = await ready(new Program(process.execPath, [SCRIPT]));
  const stockfish = await ready(new Program(process.execPath, [join(stockfishPackage(), "bin", STOCKFISH_SCRIPT)]));
  const whole = await ready(new Program(process.execPath, [scriptWithoutSlices()]));
  const results = { native: [], wasm: [], sliced: [], whole: [], slicedDeep: [], wholeDeep: [], slow: [], fast: [] };
  const deep = BENCH_POSITIONS.slice(0, 6);
  let nodes;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, two] = [await bench(native), await bench(wasm)];
    if (one.nodes !== two.nodes) throw new Error(`bench: ${two.nodes} nodes, expected ${one.nodes}`);
    nodes = one.nodes;
    results.native.push(one.nodes / one.seconds);
    results.wasm.push(two.nodes / two.seconds);
    results.sliced.push(await timeToDepth(wasm, BENCH_POSITIONS, BENCH_DEPTH));
    results.whole.push(await timeToDepth(whole, BENCH_POSITIONS, BENCH_DEPTH));
    results.slicedDeep.push(await timeToDepth(wasm, deep, BENCH_DEPTH + 5));
    results.wholeDeep.push(await timeToDepth(whole, deep, BENCH_DEPTH + 5));
    results.slow.push(await speedByTime(wasm));
    results.fast.push(await speedByTime(stockfish));
  }
  for (const program of [native, wasm, whole, stockfish]) program.quit();
  const ratio = (over, under) => median(results[over].map((value, round) => value / results[under][round]));
  const rounds = `median of ${ROUNDS} alternating runs`;
  row("`bench`, nodes", `${nodes}`, "equal in both programs");
  row("`bench`, M nodes/s native", mega(median(results.native)), `\`bench ${BENCH_DEPTH}\`, ${rounds}`);
  row("`bench`, M nodes/s in node", mega(median(results.wasm)), `\`bench ${BENCH_DEPTH}\`, ${rounds}, in one go`);
  row("in node / native", ratio("wasm", "native").toFixed(3), "ratio of these");
  row("cost of slicing", percent(ratio("sliced", "whole") - 1), `time of \`go depth ${BENCH_DEPTH}\` on the positions of \`bench\`, against one slice per search, ${rounds}`);
  row("the same, longer searches", percent(ratio("slicedDeep", "wholeDeep") - 1), `\`go depth ${BENCH_DEPTH + 5}\` on ${deep.length} positions, ${(median(results.wholeDeep) / deep.length).toFixed(1)} s each, ${rounds}`);
  row("M nodes/s, aspirant-web", mega(median(results.slow)), `\`go movetime ${MOVETIME}\` on the positions of \`bench\`, ${rounds}`);
  row("M nodes/s, stockfish 19 lite single", mega(median(results.fast)), "the same; its `bench` is not part of that build");
  row("aspirant-web / stockfish", ratio("slow", "fast").toFixed(2), "ratio of these");
}

/** Stops this many infinite searches; returns the latencies of `stop` and `isready` in milliseconds. */
async function latenciesInNode() {
  const program = await ready(new Program(process.execPath, [SCRIPT]));
  const latencies = { stop: [], isready: [] };
  for (let count = 0; count < STOPS; count += 1) {
    program.send(`position fen ${BENCH_POSITIONS[count % 30]}`, "go infinite");
    await new Promise((done) => setTimeout(done, 20 + 100 * Math.random()));
    let start = performance.now();
    program.send("isready");
    latencies.isready.push((await program.until(/^readyok/)).time - start);
    await new Promise((done) => setTimeout(done, 40 * Math.random()));
    start = performance.now();
    program.send("stop");
    latencies.stop.push((await program.until(/^bestmove/)).time - start);
  }
  program.quit();
  return latencies;
}

const PAGE = `<!doctype html><title>Latency</title><script>
async function measure(fens, stops) {
  const begin = performance.now();
  const worker = new Worker("/engine/aspirant.js");
  let wake = () => {};
  worker.onmessage = ({ data }) => wake(data);
  const until = (prefix) => new Promise((done) => (wake = (line) => line.startsWith(prefix) && done(performance.now())));
  const sleep = (time) => new Promise((done) => setTimeout(done, time));
  const request = (command, prefix) => { const reply = until(prefix); worker.postMessage(command); return reply; };
  await request("isready", "readyok");
  const load = performance.now() - begin;
  const move = await request("go depth 1", "bestmove") - begin;
  const latencies = { load, move, stop: [], isready: [] };
  for (let count = 0; count < stops; count += 1) {
    worker.postMessage("position fen " + fens[count % 30]);
    worker.postMessage("go infinite");
    await sleep(20 + 100 * Math.random());
    let start = performance.now();
    latencies.isready.push(await request("isready", "readyok") - start);
    await sleep(40 * Math.random());
    start = performance.now();
    latencies.stop.push(await request("stop", "bestmove") - start);
  }
  worker.terminate();
  return latencies;
}
</script>`;

async function inChromium() {
  // Cross-origin isolation gives performance.now() a resolution of 5 µs instead of 100 µs.
  const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
  const server = await serve({ "/latency": PAGE, "/engine/": PACKAGE, "/site/": SITE }, headers);
  const browser = await launchBrowser();
  const loads = { worker: [], move: [], page: [] };
  let latencies;
  try {
    for (let round = 0; round < (QUICK ? 2 : 20); round += 1) {
      // A context of its own, so that nothing is cached.
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${server.origin}/latency`);
      const { load, move } = await page.evaluate(() => measure([], 0));
      loads.worker.push(load);
      loads.move.push(move);
      await page.goto(`${server.origin}/site/#/analyze`);
      await page.waitForSelector('[data-testid="board"] cg-board piece');
      loads.page.push(await page.evaluate(() => performance.now()));
      await context.close();
    }
    const page = await browser.newPage();
    await page.goto(`${server.origin}/latency`);
    latencies = await page.evaluate(([fens, stops]) => measure(fens, stops), [BENCH_POSITIONS, STOPS]);
  } finally {
    await browser.close();
    await server.close();
  }
  const visits = `median of ${loads.worker.length} first visits, files from this machine`;
  row("load time, Chromium", `${median(loads.worker).toFixed(0)} ms`, `\`new Worker\` to \`readyok\`, ${visits}`);
  row("first move, Chromium", `${median(loads.move).toFixed(0)} ms`, `\`new Worker\` to the \`bestmove\` of \`go depth 1\`, ${visits}`);
  row("page ready, Chromium", `${median(loads.page).toFixed(0)} ms`, `start of the navigation to the pieces on the board, ${visits}`);
  return latencies;
}

async function loadInNode() {
  const factory = createRequire(import.meta.url)(SCRIPT);
  const times = [];
  for (let round = 0; round < 20; round += 1) {
    const start = performance.now();
    const engine = await factory();
    await new Promise((done) => {
      engine.onmessage = (event) => (event.data ?? event) === "readyok" && done();
      engine.postMessage("isready");
    });
    times.push(performance.now() - start);
    await engine.terminate();
  }
  row("load time, node", `${median(times).toFixed(0)} ms`, "`require(\"aspirant-web\")()` to `readyok`, median of 20");
}

function latencyRows(place, latencies) {
  for (const command of ["stop", "isready"]) {
    const [half, most] = [0.5, 0.99].map((part) => quantile(latencies[command], part).toFixed(1));
    row(`\`${command}\` during a search, ${place}`, `p50 ${half} ms, p99 ${most} ms, most ${Math.max(...latencies[command]).toFixed(1)} ms`, `${STOPS} searches`);
  }
}

if (!nativeProgram()) throw new Error("the native program is missing; build it (cargo build --release) or set ASPIRANT to its path");
const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
sizes();
await loadInNode();
const browserLatencies = await inChromium();
await speed();
latencyRows("node", await latenciesInNode());
latencyRows("Chromium", browserLatencies);
console.log(`Commit ${git("rev-parse", "--short", "HEAD")}, node ${process.versions.node}, ${cpus()[0].model}, ${cpus().length} cores.\n`);
console.log(["| what | result | measured by |", "|---|---|---|", ...rows].join("\n"));
