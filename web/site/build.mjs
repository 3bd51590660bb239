// Builds the page: `npm run build -- --outdir=DIR --engine=DIR --wasm=FILE`.
//
// --outdir      directory to write (default: dist); existing content is removed
// --engine      directory with aspirant.js and aspirant.wasm
// --wasm        file to use as aspirant.wasm: the one with the reference algorithms, for the view Learn
//
// Without --engine the page is built without the engine and shows a message where it needs it.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const site = dirname(fileURLToPath(import.meta.url));
const { values: args } = parseArgs({
  options: {
    outdir: { type: "string", default: join(site, "dist") },
    engine: { type: "string" },
    wasm: { type: "string" },
    tutorial: { type: "boolean", default: false },
  },
});
const outdir = resolve(args.outdir);
const isIn = (path, folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
if (isIn(site, outdir) || (isIn(outdir, site) && !isIn(outdir, join(site, "dist")))) {
  throw new Error(`--outdir=${args.outdir} contains or is part of the source of the page; expected dist or a directory elsewhere`);
}

const options = {
  bundle: true,
  minify: true,
  sourcemap: false,
  target: ["es2022"],
  legalComments: "none",
  logLevel: "warning",
};

await rm(outdir, { recursive: true, force: true });
await mkdir(outdir, { recursive: true });

const result = await build({
  ...options,
  entryPoints: { main: join(site, "src/main.ts"), style: join(site, "src/style.css") },
  outdir: join(outdir, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  format: "esm",
  splitting: true,
  metafile: true,
});

// The modules that the first view loads are preloaded; without this, the browser finds them one after another.
const outputs = result.metafile.outputs;
const url = (path) => relative(outdir, resolve(path)).split(sep).join("/");
const entry = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(source));
const script = entry("src/main.ts");
const style = entry("src/style.css");
const preload = new Set();
const addImports = (path) => {
  for (const { path: imported, kind } of outputs[path].imports) {
    if (kind === "import-statement" && !preload.has(imported)) {
      preload.add(imported);
      addImports(imported);
    }
  }
};
addImports(script);

const assets = [
  `<link rel="stylesheet" href="${url(style)}">`,
  ...[...preload].map((path) => `<link rel="modulepreload" href="${url(path)}">`),
  `<script type="module" src="${url(script)}"></script>`,
].join("\n  ");
const html = await readFile(join(site, "index.html"), "utf8");
const tutorial = args.tutorial ? `<a href="tutorial/index.html" data-testid="tutorial">Tutorial: from minimax to this engine</a>` : "";
await writeFile(join(outdir, "index.html"), html.replace("<!-- ASSETS -->", assets).replace("<!-- TUTORIAL -->", tutorial));

await cp(join(site, "static"), outdir, { recursive: true });
await cp(join(site, "../../LICENSE"), join(outdir, "LICENSE.txt"));
if (args.engine) {
  await mkdir(join(outdir, "engine"));
  await cp(join(args.engine, "aspirant.js"), join(outdir, "engine/aspirant.js"));
  await cp(args.wasm ?? join(args.engine, "aspirant.wasm"), join(outdir, "engine/aspirant.wasm"));
}
await build({ ...options, entryPoints: [join(site, "src/learn/worker.ts")], outfile: join(outdir, "learn-worker.js"), format: "iife" });

// The service worker caches every file under a version that depends on the content of all files.
const files = (await readdir(outdir, { recursive: true, withFileTypes: true }))
  .filter((file) => file.isFile())
  .map((file) => join(file.parentPath ?? file.path, file.name))
  .sort();
const hash = createHash("sha256");
let total = 0;
for (const file of files) {
  const content = await readFile(file);
  hash.update(url(file)).update("\0").update(content);
  total += gzipSync(content, { level: 9 }).length;
}
const precache = files.map(url).map((path) => (basename(path) === "index.html" ? "./" : path));
await build({
  ...options,
  entryPoints: [join(site, "src/service-worker.ts")],
  outfile: join(outdir, "service-worker.js"),
  format: "iife",
  define: {
    VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
    PRECACHE: JSON.stringify(precache),
  },
});

console.log(`${outdir}: ${files.length + 1} files, ${(total / 1000).toFixed(1)} kB gzipped without the service worker`);
