#!/usr/bin/env node
/*!
 * Aspirant, a UCI chess engine: https://en.wikipedia.org/wiki/Universal_Chess_Interface
 * License: GPL-3.0-or-later
 *
 * In a browser: const engine = new Worker("aspirant.js"); one UCI line per message in each direction.
 * In node: `node aspirant.js` runs the UCI protocol on stdin and stdout; require("./aspirant.js")() returns an engine.
 * aspirant.wasm is expected beside this file; in a browser, aspirant.js#/path/file.wasm names another one.
 */
"use strict";

(function () {
  /** Time after which a search is suspended to handle messages, in milliseconds. */
  const SLICE = 25;
  /** Budget of one call of `run_slice`, in milliseconds: in effect none, because the search is suspended instead. */
  const BUDGET = 1e12;
  /** Memory for the frames of a suspended search, in bytes: 4 kB for each of 256 plies and as much in reserve. */
  const FRAMES = 2 << 20;
  /** Results of `asyncify_get_state`. */
  const UNWINDING = 1;
  const REWINDING = 2;
  const FILE = "aspirant.wasm";
  /** Results of the exported function `run_slice`. */
  const SEARCHING = 1;
  const COMMANDS = new Set(
    ("uci isready ucinewgame stop ponderhit quit debug register setoption position go d eval flip bench perft genfens " +
      "help compiler").split(" "),
  );

  /**
   * Creates an engine on the calling thread.
   *
   * @param {WebAssembly.Module} module The compiled aspirant.wasm.
   * @param {(line: string) => void} send Receives each line of output.
   * @param {(callback: () => void) => void} defer Calls back after pending messages have been handled.
   * @param {() => void} quit Called after `quit`.
   * @returns {(message: unknown) => void} Handles a message of the client.
   */
  function createEngine(module, send, defer, quit) {
    const encoder = new TextEncoder();
    const decoder = new TextDecoder();
    let wasm = null;
    let stopFlag = null;
    let scheduled = false;
    /** Address of the memory for a suspended search. */
    let frames = 0;
    let inSlice = false;
    let sliceStart = 0;
    /** Whether a search is suspended in `pause`: no export may be called before it continues. */
    let suspended = false;
    let sliceShouldEnd = false;
    let ended = false;
    // What a new instance needs to continue after a trap.
    const options = new Map();
    /** The last accepted `position` command, if any, and the accepted `flip` commands after it. */
    let position = [];
    /** The running search, if any: its `go`, its `position`, and the first move of its last PV. */
    let search = null;
    /** A best move that must not be sent before `stop` or `ponderhit`. */
    let heldAnswer = null;
    /** Receives the output while the state is restored. */
    let redirected = null;
    let positionRejected = false;
    let optionRejected = false;

    function instantiate() {
      const env = {
        now: () => performance.now(),
        pause,
        stop_requested: () => (stopFlag === null ? 0 : Atomics.load(stopFlag, 0)),
        send: (address, length) => output(decoder.decode(new Uint8Array(wasm.memory.buffer, address, length))),
      };
      wasm = new WebAssembly.Instance(module, { env }).exports;
      inSlice = suspended = false;
      wasm.start(crypto.getRandomValues(new BigUint64Array(1))[0]);
      frames = wasm.alloc(FRAMES);
      new Uint32Array(wasm.memory.buffer, frames, 2).set([frames + 8, frames + FRAMES]);
    }

    /**
     * Called by the search every few hundred nodes: suspends it when the time is over, by Asyncify of Binaryen, which
     * unwinds the stack and rewinds it later. Returns 1 if the slice should end.
     */
    function pause() {
      if (!inSlice) return 0;
      if (wasm.asyncify_get_state() === REWINDING) {
        wasm.asyncify_stop_rewind();
        sliceStart = performance.now();
        return sliceShouldEnd ? 1 : 0;
      }
      if (sliceShouldEnd) return 1;
      if (performance.now() - sliceStart >= SLICE) {
        new Uint32Array(wasm.memory.buffer, frames, 1)[0] = frames + 8;
        wasm.asyncify_start_unwind(frames);
      }
      return 0;
    }

    /** Continues the search until it is suspended, finished or waits; returns whether it needs to be continued. */
    function continueSearch() {
      inSlice = true;
      sliceStart = performance.now();
      if (suspended) wasm.asyncify_start_rewind(frames);
      suspended = false;
      const status = wasm.run_slice(BUDGET);
      inSlice = false;
      if (wasm.asyncify_get_state() === UNWINDING) {
        wasm.asyncify_stop_unwind();
        suspended = true;
        return true;
      }
      return status === SEARCHING;
    }

    /** Ends the suspended slice, so that the engine can handle a line; the search keeps its state. */
    function endSlice() {
      if (!suspended) return;
      sliceShouldEnd = true;
      try {
        continueSearch();
      } finally {
        sliceShouldEnd = false;
      }
    }

    function output(line) {
      if (redirected !== null) {
        redirected.push(line);
        return;
      }
      if (line.startsWith("bestmove")) {
        search = null;
      } else if (search !== null && line.startsWith("info ") && / multipv 1 /.test(line)) {
        const pv = / pv (\S+)/.exec(line);
        search.best = pv === null ? search.best : pv[1];
      } else if (line.endsWith("the position is unchanged")) {
        positionRejected = true;
      } else if (line.startsWith("info string ignored ")) {
        optionRejected = true;
      }
      send(line);
    }

    /** Passes a line to the engine; returns whether it was not `quit`. */
    function pass(line) {
      const bytes = encoder.encode(line);
      const address = wasm.alloc(bytes.length);
      new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
      return wasm.line(address, bytes.length) !== 0;
    }

    /** Sets the position to which these `position` and `flip` commands lead from the initial position. */
    function setPosition(lines) {
      ["position startpos", ...lines].forEach((line) => pass(line));
    }

    /** Replaces the instance by a new one with the same options and position. */
    function restart() {
      redirected = [];
      try {
        instantiate();
        options.forEach((line) => pass(line));
        setPosition(position);
      } catch {
        instantiate();
        options.clear();
        position = [];
        send("info string the options and the position could not be restored, all options have their defaults");
      }
    }

    /** Replaces the instance after a trap (a defect, or no memory) and answers the search that was running. */
    function recover(error) {
      const failed = search;
      search = null;
      send(`info string internal error: ${error.message}; the engine was restarted with the same options and position`);
      restart();
      const answer = failed === null ? null : `bestmove ${failed.best ?? firstMove(failed)}`;
      redirected = null;
      if (answer === null) return;
      if (failed.waits) heldAnswer = answer;
      else send(answer);
    }

    /** Returns the best move of a search to depth 1, instead of a search that failed before its first PV. */
    function firstMove(failed) {
      try {
        redirected = [];
        setPosition(failed.position);
        pass(`go depth 1${failed.searchMoves}`);
        while (continueSearch());
        const move = redirected.map((line) => /^bestmove (\S+)/.exec(line)).find((match) => match !== null);
        setPosition(position);
        return move[1];
      } catch {
        restart();
        return "(none)";
      }
    }

    /** Keeps what `recover` needs of a line. */
    function note(command, line) {
      if (heldAnswer !== null && ["stop", "ponderhit", "go", "ucinewgame", "quit"].includes(command)) {
        send(heldAnswer);
        heldAnswer = null;
      }
      if (command === "stop" && stopFlag !== null) Atomics.store(stopFlag, 0, 0);
      if (command === "stop" || (command === "ponderhit" && search !== null && !search.infinite)) {
        if (search !== null) search.waits = false;
      }
    }

    function handleLine(line) {
      if (ended) return;
      // The engine ignores comments.
      const words = line.trimStart().startsWith("#") ? [] : line.trim().split(/\s+/);
      const command = words.map((word) => word.toLowerCase()).find((word) => COMMANDS.has(word));
      note(command, line);
      positionRejected = false;
      optionRejected = false;
      let running = true;
      let passed = false;
      try {
        endSlice();
        if (command === "go" && !/\sperft\s/i.test(line)) {
          // The search that is still running reports its best move before the new one begins.
          if (search !== null) {
            pass("stop");
            while (continueSearch());
          }
          const infinite = /\sinfinite\b/i.test(line);
          const searchMoves = /\ssearchmoves(?:\s+[a-h][1-8][a-h][1-8][nbrq]?)+/i.exec(line);
          search = {
            best: null,
            position,
            infinite,
            waits: infinite || /\sponder\b/i.test(line),
            searchMoves: searchMoves === null ? "" : searchMoves[0],
          };
        }
        passed = true;
        running = pass(line);
        if (command === "setoption" && !optionRejected) {
          const name = /\bname\s+(.*?)\s+value\b/i.exec(line);
          if (name !== null) options.set(name[1].toLowerCase(), line);
        }
        if (command === "position" && !positionRejected) position = [line];
        if (command === "flip" && !positionRejected) position = [...position, line];
      } catch (error) {
        recover(error);
        if (!passed) {
          // The previous search trapped before the engine received the line. No search is left that could trap again.
          handleLine(line);
          return;
        }
      }
      if (!running) {
        // `quit` ends a running search, which still reports its best move.
        finish();
        return;
      }
      schedule();
    }

    function finish() {
      if (ended) return;
      try {
        endSlice();
        pass("stop");
        while (continueSearch());
      } catch (error) {
        recover(error);
      }
      if (heldAnswer !== null) send(heldAnswer);
      ended = true;
      quit();
    }

    function schedule() {
      if (!scheduled) {
        scheduled = true;
        defer(runSlice);
      }
    }

    function runSlice() {
      scheduled = false;
      if (ended) return;
      let unfinished = false;
      try {
        unfinished = continueSearch();
      } catch (error) {
        recover(error);
      }
      if (unfinished) schedule();
    }

    instantiate();
    return function handle(message) {
      if (typeof message === "string") {
        message.split(/[\r\n]+/).forEach(handleLine);
      } else if (message !== null && typeof message === "object" && message.stopFlag instanceof Int32Array) {
        stopFlag = message.stopFlag;
      } else if (message === null) {
        finish();
      } else {
        send(`info string unknown message of type ${typeof message}; expected a string or { stopFlag: Int32Array }`);
      }
    };
  }

  /** Runs in a Worker of a browser: messages are queued until the WebAssembly module has been compiled. */
  function runInBrowser() {
    const scope = self;
    const queue = [];
    let handle = (message) => queue.push(message);
    const channel = new MessageChannel();
    let callback = null;
    channel.port1.onmessage = () => callback();
    const defer = (next) => {
      callback = next;
      channel.port2.postMessage(null);
    };
    scope.onmessage = (event) => handle(event.data);

    const hash = decodeURIComponent(scope.location.hash.slice(1)).split(",")[0];
    const url = new URL(hash === "" ? FILE : hash, scope.location.href);
    compile(url)
      .then((module) => {
        handle = createEngine(module, (line) => scope.postMessage(line), defer, () => scope.close());
        queue.forEach((message) => handle(message));
      })
      .catch((error) => {
        scope.postMessage(`info string cannot load ${url}: ${error.message}`);
        throw error;
      });
  }

  async function compile(url) {
    const response = await fetch(url, { credentials: "same-origin" });
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    // compileStreaming requires the media type application/wasm, which some servers do not send.
    if (/^application\/wasm\b/.test(response.headers.get("content-type") ?? "")) {
      return WebAssembly.compileStreaming(response);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }

  function readModule(file) {
    const { readFileSync } = require("fs");
    return new WebAssembly.Module(readFileSync(file ?? require("path").join(__dirname, FILE)));
  }

  /** Runs as a program in node: UCI on stdin and stdout. */
  function runAsProgram() {
    process.stdout.on("error", () => process.exit(0));
    const send = (line) => process.stdout.write(`${line}\n`);
    const handle = createEngine(readModule(), send, setImmediate, () => input.close());
    const input = require("readline").createInterface({ input: process.stdin, terminal: false });
    // A file that is redirected to stdin may start with a byte order mark.
    input.on("line", (line) => handle(line.replace(/^\uFEFF/, "")));
    input.on("close", () => {
      handle(null);
      process.stdin.destroy();
    });
  }

  /** Runs in a worker thread of node, which `startThread` has created. */
  function runInThread(port, file) {
    const handle = createEngine(readModule(file), (line) => port.postMessage(line), setImmediate, () => port.close());
    port.on("message", handle);
    port.postMessage(null);
  }

  /**
   * Starts an engine in a worker thread of node.
   *
   * @param {{ wasm?: string }} [options] `wasm`: path of aspirant.wasm.
   * @returns {Promise<object>} Resolves when the engine is loaded; see aspirant.d.ts.
   */
  function startThread(options = {}) {
    const { Worker } = require("worker_threads");
    const worker = new Worker(__filename, { workerData: { aspirant: { wasm: options.wasm } } });
    const engine = {
      onmessage: null,
      onerror: null,
      postMessage: (message) => worker.postMessage(message),
      terminate: () => worker.terminate(),
    };
    return new Promise((resolve, reject) => {
      worker.on("message", (line) => {
        if (line === null) resolve(engine);
        else if (engine.onmessage !== null) engine.onmessage({ data: line });
      });
      worker.on("error", (error) => {
        reject(error);
        if (engine.onerror !== null) engine.onerror(error);
      });
    });
  }

  if (typeof process === "object" && typeof require === "function" && typeof module === "object") {
    const { isMainThread, parentPort, workerData } = require("worker_threads");
    if (!isMainThread && workerData !== null && typeof workerData === "object" && workerData.aspirant !== undefined) {
      runInThread(parentPort, workerData.aspirant.wasm);
    } else if (require.main === module) {
      runAsProgram();
    } else {
      module.exports = startThread;
    }
  } else if (typeof importScripts === "function") {
    runInBrowser();
  }
})();
