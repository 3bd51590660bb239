// Runs the WebAssembly benchmark in node: node run.mjs FILE.wasm DEPTH. The last line is that of `aspirant bench`.
import { readFileSync } from "node:fs";

const [file, depth] = process.argv.slice(2);
const host = { env: { now: () => performance.now() } };
const { instance } = await WebAssembly.instantiate(readFileSync(file), host);
const start = performance.now();
const nodes = instance.exports.bench(Number(depth));
const seconds = (performance.now() - start) / 1000;
console.log(`${nodes} nodes ${Math.round(nodes / seconds)} nps`);
