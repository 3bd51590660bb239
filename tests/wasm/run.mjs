// Runs the WebAssembly benchmark in node: node run.mjs FILE.wasm DEPTH. The last line is that of `aspirant bench`.
import { readFileSync } from "node:fs";

const [file, depth] = process.argv.slice(2);
const host = { env: { now: () => performance.now() } };
const { instance } = await WebAssembly.instantiate(readFileSync(file), host);
const slices = instance.exports.bench(1) && instance.exports.search_in_slices(14);
if (slices < 2) throw new Error(`a search in slices: ${slices}`);
console.log(`depth 14 in ${slices} slices of 20 ms`);
const start = performance.now();
const nodes = instance.exports.bench(Number(depth));
const seconds = (performance.now() - start) / 1000;
console.log(`${nodes} nodes ${Math.round(nodes / seconds)} nps`);
