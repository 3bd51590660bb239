// Runs the npm package in this process and checks every line and every search, as tests/it/common does for the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { parseUci } from "chessops/util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Folder of the npm package; $ASPIRANT_PACKAGE replaces web/dist/package. */
export const PACKAGE = resolve(process.env.ASPIRANT_PACKAGE ?? `${ROOT}/web/dist/package`);
export const SCRIPT = `${PACKAGE}/aspirant.js`;

/** Milliseconds for anything that must happen eventually; generous, for a loaded machine. */
export const LIMIT = 30_000;

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
export const KIWIPETE = "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
export const MATE_IN_1 = "fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
export const BARE_KINGS = "fen 8/8/4k3/8/8/3K4/8/8 w - - 0 1";
export const MATED = "fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1";
export const MANY_QUEENS = "fen q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1";

const load = createRequire(import.meta.url);

/** Returns the path of the native program ($ASPIRANT, else target/release/aspirant), or undefined. */
export function nativeProgram() {
  const target = process.env.CARGO_TARGET_DIR ?? `${ROOT}/target`;
  const paths = [process.env.ASPIRANT, `${target}/release/aspirant`];
  return paths.find((path) => path !== undefined && existsSync(path));
}

/** The reason to skip a test that needs the native program; false if it exists. */
export const NO_NATIVE_PROGRAM = nativeProgram() === undefined && "no native program; set $ASPIRANT";

/** Returns the output of the native program for these arguments. */
export function native(...args) {
  return execFileSync(nativeProgram(), args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const MOVE = "[a-h][1-8][a-h][1-8][nbrq]?";
const INFO = new RegExp(
  "^info depth (?<depth>\\d+) seldepth (?<seldepth>\\d+) multipv (?<multipv>[1-9]\\d*)" +
    " score (?:cp (?<cp>-?\\d+)|mate (?<mate>-?\\d+))(?: (?<bound>lowerbound|upperbound))?" +
    "(?: wdl (?<wdl>\\d+ \\d+ \\d+))? nodes (?<nodes>\\d+) nps (?<nps>\\d+) hashfull (?<hashfull>\\d+)" +
    ` tbhits (?<tbhits>\\d+) time (?<time>\\d+)(?: pv (?<pv>${MOVE}(?: ${MOVE})*))?$`,
);
const CURRENT_MOVE = new RegExp(`^info depth \\d+ currmove ${MOVE} currmovenumber [1-9]\\d*$`);
const BEST_MOVE = new RegExp(`^bestmove (?:\\(none\\)|(?<best>${MOVE})(?: ponder (?<ponder>${MOVE}))?)$`);
const OPTION = new RegExp(
  "^option name (?<name>.+) type (?:button|check default (?:true|false)|string default \\S.*" +
    "|spin default (?<value>-?\\d+) min (?<min>-?\\d+) max (?<max>-?\\d+))$",
);

/** Parses a line; throws if it is no message of the protocol. Other text is accepted only with `allowText`. */
export function parse(line, allowText = false) {
  assert.equal(typeof line, "string");
  assert.doesNotMatch(line, /[\u0000-\u001f\u007f]/, "control character");
  let match;
  if (line.startsWith("info string ")) return { kind: "string", text: line.slice("info string ".length) };
  if ((match = INFO.exec(line))) {
    const fields = match.groups;
    const number = (name) => (fields[name] === undefined ? undefined : Number(fields[name]));
    const info = {
      kind: "info", line, bound: fields.bound, wdl: fields.wdl?.split(" ").map(Number), pv: fields.pv?.split(" ") ?? [],
    };
    for (const name of ["depth", "seldepth", "multipv", "cp", "mate", "nodes", "nps", "hashfull", "tbhits", "time"]) {
      info[name] = number(name);
    }
    assert.ok(info.hashfull <= 1000 && info.seldepth >= info.pv.length && (info.depth === 0) === (info.pv.length === 0), line);
    if (info.wdl) assert.equal(info.wdl.reduce((a, b) => a + b), 1000, line);
    return info;
  }
  if (CURRENT_MOVE.test(line)) return { kind: "currmove" };
  if ((match = BEST_MOVE.exec(line))) return { kind: "bestmove", best: match.groups.best, ponder: match.groups.ponder };
  if ((match = OPTION.exec(line))) {
    const { name, value, min, max } = match.groups;
    assert.ok(value === undefined || (Number(min) <= Number(value) && Number(value) <= Number(max)), line);
    return { kind: "option", name, min: Number(min), max: Number(max), text: line };
  }
  if (line === "uciok" || line === "readyok") return { kind: line };
  if (/^id (name|author) \S/.test(line)) return { kind: "id", text: line };
  if (new RegExp(`^${MOVE}: \\d+$`).test(line)) return { kind: "divide", count: Number(line.split(" ")[1]) };
  if (/^Nodes searched: \d+$/.test(line)) return { kind: "perft", count: Number(line.split(" ")[2]) };
  if (line === "") return { kind: "blank" };
  assert.ok(allowText, `not a message of the protocol: ${line}`);
  return { kind: "text", text: line };
}

/** A position given as the arguments of `position`. */
export class Root {
  constructor(text) {
    const [setup, moves = ""] = text.split("moves");
    const fen = setup.trim().startsWith("fen ") ? setup.trim().slice(4) : START;
    this.position = Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
    this.is960 = /^\S+ \S+ (?!-)(?![KQkq]*(?: |$))/.test(fen);
    for (const move of moves.trim().split(/\s+/).filter(Boolean)) this.position.play(parseUci(move));
  }

  /** Plays the moves on a copy and returns it; throws at an illegal move or a wrong notation of castling. */
  walk(moves, chess960 = this.is960) {
    const position = this.position.clone();
    for (const text of moves) {
      const move = parseUci(text);
      assert.ok(position.isLegal(move), `illegal move ${text} of ${moves.join(" ")}`);
      const isKing = position.board.getRole(move.from) === "king";
      const ontoOwn = position.board.getColor(move.to) === position.turn;
      const twoFiles = Math.abs((move.from & 7) - (move.to & 7)) > 1;
      if (isKing) assert.ok(chess960 ? !twoFiles || ontoOwn : !ontoOwn, `castling written ${text}`);
      position.play(move);
    }
    return position;
  }
}

/** Checks the messages from `go` to `bestmove`; returns the parts. */
export function checkSearch(root, messages, chess960) {
  const infos = messages.filter((message) => message.kind === "info");
  const { best, ponder } = messages.at(-1);
  const strings = messages.filter((message) => message.kind === "string").map((message) => message.text);
  const search = { best, ponder, infos, strings, last: infos.findLast((info) => info.multipv === 1), messages };
  assert.ok(infos.length > 0, "bestmove without an info line");
  const is960 = chess960 || root.is960;
  for (const info of infos) {
    const end = root.walk(info.pv, is960);
    if (info.mate !== undefined && info.bound === undefined) {
      assert.equal(info.pv.length, info.mate > 0 ? 2 * info.mate - 1 : 2 * Math.abs(info.mate), info.line);
      assert.ok(end.isCheckmate(), info.line);
    }
  }
  for (let index = 1; index < infos.length; index += 1) {
    const [before, after] = [infos[index - 1], infos[index]];
    const isOrdered = after.nodes >= before.nodes && after.time >= before.time;
    // The last set of an interrupted MultiPV search continues with lines of the iteration before.
    const mayBeShallower = index === infos.length - 1 || after.multipv > 1;
    assert.ok(isOrdered && (after.depth >= before.depth || mayBeShallower), `${before.line}\n${after.line}`);
    if (after.multipv > 1) assert.equal(after.multipv, before.multipv + 1, after.line);
  }
  if (!root.position.hasDests()) {
    assert.equal(best, undefined);
    assert.equal(infos.length, 1);
    assert.equal(infos[0].depth, 0);
    return search;
  }
  assert.ok(best, "bestmove (none) with legal moves");
  root.walk(ponder ? [best, ponder] : [best], is960);
  assert.equal(search.last.pv[0], best, `bestmove ${best}, but the last PV begins with ${search.last.pv[0]}`);
  return search;
}

/** The engine of the npm package, in this process. */
export class Engine {
  #worker;
  #lines = [];
  #wake = () => {};
  #allowText = false;
  #chess960 = false;
  #current = [];
  #finished = [];
  #gos = 0;
  #answers = 0;

  static async start(options) {
    const engine = new Engine();
    engine.#worker = await load(SCRIPT)(options);
    engine.#worker.onmessage = (event) => engine.#receive(event.data ?? event);
    return engine;
  }

  #receive(line) {
    try {
      const message = parse(line, this.#allowText);
      message.line = line;
      if (message.kind === "bestmove") {
        this.#answers += 1;
        assert.ok(this.#answers <= this.#gos, "bestmove without a go");
        this.#finished.push([...this.#current, message]);
        this.#current = [];
      } else if (["info", "string", "currmove"].includes(message.kind) && this.#answers < this.#gos) {
        this.#current.push(message);
      }
      this.#lines.push(message);
    } catch (error) {
      this.#lines.push(error);
    }
    this.#wake();
  }

  /** The object that the package returns. */
  get worker() {
    return this.#worker;
  }

  send(line) {
    if (/^\s*go(\s|$)/.test(line) && !/^\s*go\s+perft/.test(line)) this.#gos += 1;
    const value = /setoption name UCI_Chess960 value (true|false)/.exec(line)?.[1];
    if (value) this.#chess960 = value === "true";
    this.#worker.postMessage(line);
  }

  allowText() {
    this.#allowText = true;
    return this;
  }

  /** Returns all messages up to the first that fulfills the condition. */
  async until(isLast, what, limit = LIMIT) {
    const end = performance.now() + limit;
    const found = [];
    for (;;) {
      while (this.#lines.length > 0) {
        const message = this.#lines.shift();
        if (message instanceof Error) throw message;
        found.push(message);
        if (isLast(message)) return found;
      }
      const rest = end - performance.now();
      assert.ok(rest > 0, `no ${what} within ${limit} ms; received: ${JSON.stringify(found.map((m) => m.line).slice(-20))}`);
      await new Promise((done) => {
        const timer = setTimeout(done, rest);
        this.#wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
  }

  /** Sends `isready`; returns the messages before `readyok`. */
  async ready() {
    this.send("isready");
    return (await this.until((message) => message.kind === "readyok", "readyok")).slice(0, -1);
  }

  async sendSilent(line) {
    this.send(line);
    assert.deepEqual((await this.ready()).map((message) => message.line), [], line);
  }

  /** Sends a line that must be answered by exactly one `info string`; returns its text. */
  async warning(line) {
    this.send(line);
    const messages = await this.ready();
    assert.deepEqual(messages.map((message) => message.kind), ["string"], `${line}: ${messages.map((m) => m.line).join("\n")}`);
    return messages[0].text;
  }

  /** Waits for the next `bestmove` and checks its search. */
  async answer(root) {
    if (this.#finished.length === 0) await this.until((message) => message.kind === "bestmove", "bestmove");
    const messages = this.#finished.shift();
    this.#lines.splice(0, this.#lines.indexOf(messages.at(-1)) + 1);
    return checkSearch(root, messages, this.#chess960);
  }

  async search(position, go) {
    this.send(`position ${position}`);
    this.send(`go ${go}`);
    const search = await this.answer(new Root(position));
    assert.deepEqual((await this.ready()).map((message) => message.line), [], "output after bestmove");
    return search;
  }

  /** Checks that no `bestmove` comes for some time. */
  async noAnswerFor(milliseconds) {
    await sleep(milliseconds);
    assert.equal(this.#finished.length, 0, "bestmove too early");
  }

  async quit() {
    assert.equal(this.#answers, this.#gos, "number of bestmoves");
    await this.ready();
    await this.#worker.terminate();
  }
}
