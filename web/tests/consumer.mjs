// A page that uses only UCI over postMessage plays two games between aspirant-web and the npm package stockfish.
//
// usage: node consumer.mjs [MILLISECONDS-PER-MOVE]
//
// $STOCKFISH_PACKAGE names the folder of an installed package stockfish; otherwise it is downloaded (200 MB unpacked).
import assert from "node:assert/strict";

import { Chess } from "chessops/chess";
import { makeSan } from "chessops/san";
import { parseUci } from "chessops/util";

import { STOCKFISH_SCRIPT, launchBrowser, serve, stockfishPackage } from "./programs.mjs";
import { PACKAGE } from "./uci.mjs";

const PAGE = `<!doctype html><title>Two engines</title><script>
function start(url) {
  const worker = new Worker(url);
  let wake;
  worker.onmessage = (event) => wake?.(event.data);
  worker.onerror = (event) => wake?.("error " + event.message);
  const until = (prefix) => new Promise((done) => {
    wake = (text) => /^error/.test(text) || text.startsWith(prefix) ? done(text) : undefined;
  });
  return { request(command, prefix) { const reply = until(prefix); worker.postMessage(command); return reply; }, send: (command) => worker.postMessage(command) };
}
async function play(urls, movetime, plies) {
  const engines = urls.map(start);
  for (const engine of engines) {
    await engine.request("uci", "uciok");
    engine.send("ucinewgame");
    await engine.request("isready", "readyok");
  }
  const moves = [];
  while (moves.length < plies) {
    const engine = engines[moves.length % 2];
    engine.send("position startpos moves " + moves.join(" "));
    const move = (await engine.request("go movetime " + movetime, "bestmove")).split(" ")[1];
    if (move === "(none)") break;
    moves.push(move);
    if (await isOver(moves)) break;
  }
  return moves;
}
</script>`;

/** Replays the moves; throws at an illegal one. */
function replay(moves) {
  const position = Chess.default();
  const seen = new Map();
  const sans = [];
  for (const text of moves) {
    const move = parseUci(text);
    assert.ok(move && position.isLegal(move), `illegal move ${text} after ${sans.join(" ")}`);
    sans.push(makeSan(position, move));
    position.play(move);
    const { board, turn, castles, epSquare } = position;
    const key = [board.white, board.black, board.pawn, board.knight, board.bishop, board.rook, board.queen]
      .map((set) => `${set.lo},${set.hi}`).concat(turn, `${castles.castlingRights.lo},${castles.castlingRights.hi}`, `${epSquare}`).join(" ");
    seen.set(key, (seen.get(key) ?? 0) + 1);
    position.repeated = Math.max(position.repeated ?? 0, seen.get(key));
  }
  let result = "*";
  if (position.isCheckmate()) result = position.turn === "white" ? "0-1" : "1-0";
  else if (position.isEnd() || position.halfmoves >= 100 || position.repeated >= 3) result = "1/2-1/2";
  return { sans, result };
}

const movetime = Number(process.argv[2] ?? 100);
const server = await serve({ "/": PAGE, "/aspirant/": PACKAGE, "/stockfish/": `${stockfishPackage()}/bin` });
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.exposeFunction("isOver", (moves) => replay(moves).result !== "*");
  await page.goto(`${server.origin}/`);
  const engines = [["aspirant-web", "/aspirant/aspirant.js"], ["stockfish lite", `/stockfish/${STOCKFISH_SCRIPT}`]];
  for (const pair of [engines, engines.toReversed()]) {
    const moves = await page.evaluate(([urls, time]) => play(urls, time, 400), [pair.map(([, url]) => url), movetime]);
    const { sans, result } = replay(moves);
    assert.ok(moves.length > 20, `the game ended after ${moves.length} plies`);
    console.log(`${pair.map(([name]) => name).join(" - ")}: ${result}, ${moves.length} plies`);
    console.log(sans.map((san, index) => (index % 2 === 0 ? `${index / 2 + 1}. ${san}` : san)).join(" "), "\n");
  }
} finally {
  await browser.close();
  await server.close();
}
