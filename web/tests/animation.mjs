// Writes docs/page-light.png, docs/page-dark.png and the same with `phone`: animated PNG files of the page (web/dist/site,
// from `make web`) that steps through two algorithms side by side. Each frame stores only the pixels that changed.
//
//     node web/tests/animation.mjs [FOLDER]
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";

import { launchBrowser, serve } from "./programs.mjs";

const SITE = resolve(process.env.ASPIRANT_SITE ?? new URL("../dist/site", import.meta.url).pathname);
const FOLDER = resolve(process.argv[2] ?? new URL("../../docs", import.meta.url).pathname);
// Both searches side by side, drawn at two thirds of their size; for phones one above the other, without controls and data.
const PICTURES = [
  {
    name: "page", viewport: { width: 1500, height: 780 }, deviceScaleFactor: 2 / 3,
    tree: "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))",
    steps: [5, 13, 21, 29, 37, 45, 53, 61, 69, 77, 84],
    style: "",
  },
  {
    name: "page-phone", viewport: { width: 420, height: 906 }, deviceScaleFactor: 1,
    tree: "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)))",
    steps: [5, 15, 26, 37, 48, 61, 72],
    style: `.v-bar, .v-help, .v-subtitle, .v-data { display: none !important }
      .v-panels { grid-auto-rows: auto !important } .v-tree { min-height: 0 !important }
      .viewer .v-title { font-size: .9rem !important; white-space: nowrap } .v-live { height: 122px }
      .viewer .v-panel { grid-template: "head" auto "live" auto "box" 280px / minmax(0, 1fr) !important }`,
  },
];
// Milliseconds for each frame, and for the last one.
const DELAY = 700;
const LAST_DELAY = 3000;

/** Returns the pixels of a screenshot (PNG with 8 bits per channel, not interlaced) as RGB. */
function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const data = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const lines = Buffer.alloc(stride * height);
  const pixels = Buffer.alloc(3 * width * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : lines[y * stride + x - channels];
      const up = y === 0 ? 0 : lines[(y - 1) * stride + x];
      const corner = y === 0 || x < channels ? 0 : lines[(y - 1) * stride + x - channels];
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      lines[y * stride + x] = data[y * (stride + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  for (let i = 0; i < width * height; i++) lines.copy(pixels, 3 * i, channels * i, channels * i + 3);
  return { width, height, pixels };
}

function chunk(type, ...parts) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...parts]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(body.length - 4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

const numbers = (...values) => Buffer.concat(values.map((value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}));

/** Returns the image data of a frame; pixels that did not change are transparent. */
function frameData({ width, height, pixels }, before) {
  const rows = Buffer.alloc((4 * width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 3 * (y * width + x);
      if (before && pixels.compare(before.pixels, at, at + 3, at, at + 3) === 0) continue;
      const to = y * (4 * width + 1) + 1 + 4 * x;
      pixels.copy(rows, to, at, at + 3);
      rows[to + 3] = 255;
    }
  }
  return deflateSync(rows, { level: 9 });
}

/** Returns an animated PNG (https://wiki.mozilla.org/APNG_Specification). */
function animation(frames) {
  const { width, height } = frames[0];
  const out = [Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", numbers(width, height), Buffer.from([8, 6, 0, 0, 0])),
    chunk("acTL", numbers(frames.length, 0))];
  let sequence = 0;
  frames.forEach((frame, index) => {
    const delay = index + 1 === frames.length ? LAST_DELAY : DELAY;
    const control = Buffer.alloc(6);
    control.writeUInt16BE(delay);
    control.writeUInt16BE(1000, 2);
    control[5] = index === 0 ? 0 : 1;
    out.push(chunk("fcTL", numbers(sequence++, width, height, 0, 0), control));
    const data = frameData(frame, frames[index - 1]);
    out.push(index === 0 ? chunk("IDAT", data) : chunk("fdAT", numbers(sequence++), data));
  });
  return Buffer.concat([...out, chunk("IEND")]);
}

const server = await serve({ "/": SITE });
const browser = await launchBrowser();
for (const { name, viewport, deviceScaleFactor, tree, steps, style } of PICTURES) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme });
    const page = await context.newPage();
    const frames = [];
    for (const step of steps) {
      const hash = new URLSearchParams({ tree, algorithm: "alpha-beta fail-soft", against: "mtd(f)", step: String(step) });
      await page.goto("about:blank");
      await page.goto(`${server.origin}/#/learn?${hash}`);
      const viewer = page.getByTestId("viewer");
      await viewer.locator("svg.v-picture").nth(1).waitFor();
      if (style) await page.addStyleTag({ content: style });
      await viewer.locator("[data-v=fit]").evaluate((button) => button.click());
      await viewer.evaluate((element) => element.scrollIntoView({ block: "start", behavior: "instant" }));
      await page.waitForTimeout(300);
      frames.push(decode(await page.screenshot()));
    }
    const file = `${FOLDER}/${name}-${colorScheme}.png`;
    const data = animation(frames);
    writeFileSync(file, data);
    console.log(`${file}: ${frames.length} frames, ${data.length} bytes`);
    await context.close();
  }
}
await browser.close();
await server.close();
