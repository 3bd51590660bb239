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
  /** Memory for the frames of a suspended search, in bytes: 4 kB for each of 256 plies and as much in reserve. */
  const FRAMES = 2 << 20;
  /** Results of `asyncify_get_state`. */
  const UNWINDING = 1;
  const REWINDING = 2;
  /** Results of `pause`. */
  const CONTINUE = 0;
  const STOP = 1;
  const PONDER_HIT = 2;
  const FILE = "aspirant.wasm";
  const COMMANDS = new Set(
    "uci isready ucinewgame stop ponderhit quit debug register setoption position go d eval bench perft genfens help".split(" "),
  );
  /** Commands that end a running search before they are handled. */
  const ENDS_SEARCH = new Set(["go", "ucinewgame", "bench", "perft", "genfens", "quit"]);

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
    /** Whether the line that is being handled is a search that may be suspended. */
    let suspendable = false;
    let sliceStart = 0;
    /** Whether a search is suspended in `pause`: no other line may be passed before it has ended. */
    let suspended = false;
    /** Whether the suspended search has ended and waits for `stop` or `ponderhit`. */
    let waiting = false;
    /** The result of the next call of `pause`. */
    let request = CONTINUE;
    /** Lines to be handled after the running search, and whether one of them ends it. */
    let deferred = [];
    let deferredEndsSearch = false;
    let ended = false;
    // What a new instance needs to continue after a trap.
    const options = new Map();
    /** The last accepted `position` command. */
    let position = "position startpos";
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
        send: (address, length) => output(decoder.decode(new Uint8Array(wasm.memory.buffer, address, length))),
      };
      wasm = new WebAssembly.Instance(module, { env }).exports;
      suspended = false;
      request = CONTINUE;
      wasm.start(crypto.getRandomValues(new BigUint64Array(1))[0]);
      frames = wasm.alloc(FRAMES);
      new Uint32Array(wasm.memory.buffer, frames, 2).set([frames + 8, frames + FRAMES]);
    }

    /**
     * Called by the search every few hundred nodes: suspends it when the time is over, by Asyncify of Binaryen, which
     * unwinds the stack and rewinds it later. `hasEnded`: the search only waits for `stop` or `ponderhit`.
     */
    function pause(hasEnded) {
      if (!suspendable) return hasEnded ? STOP : CONTINUE;
      if (wasm.asyncify_get_state() === REWINDING) {
        wasm.asyncify_stop_rewind();
      } else if (hasEnded || performance.now() - sliceStart >= SLICE) {
        waiting = hasEnded !== 0;
        new Uint32Array(wasm.memory.buffer, frames, 1)[0] = frames + 8;
        wasm.asyncify_start_unwind(frames);
        return CONTINUE;
      }
      if (stopFlag !== null && Atomics.load(stopFlag, 0) !== 0) return STOP;
      const answer = request;
      request = CONTINUE;
      return answer;
    }

    /** Calls `line`, which returns when the line has been handled or its search is suspended; returns false after `quit`. */
    function enter(address, length) {
      waiting = false;
      sliceStart = performance.now();
      const running = wasm.line(address, length) !== 0;
      suspended = wasm.asyncify_get_state() === UNWINDING;
      if (suspended) wasm.asyncify_stop_unwind();
      else request = CONTINUE;
      return suspended || running;
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
    function pass(line, isSearch = false) {
      const bytes = encoder.encode(line);
      const address = wasm.alloc(bytes.length);
      new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
      suspendable = isSearch;
      return enter(address, bytes.length);
    }

    /** Replaces the instance by a new one with the same options and position. */
    function restart() {
      redirected = [];
      try {
        instantiate();
        options.forEach((line) => pass(line));
        pass(position);
      } catch {
        instantiate();
        options.clear();
        position = "position startpos";
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
        pass(failed.position);
        pass(`go depth 1${failed.searchMoves}`);
        const move = redirected.map((line) => /^bestmove (\S+)/.exec(line)).find((match) => match !== null);
        pass(position);
        return move[1];
      } catch {
        restart();
        return "(none)";
      }
    }

    /** Sets the message that the running search receives when it continues. */
    function tell(message) {
      if (request !== STOP) request = message;
      if (message === STOP || !search.infinite) search.waits = false;
    }

    /** Handles or defers a line that arrives during a search. */
    function handleDuringSearch(command, line) {
      // What follows a command that ends the search concerns the next one.
      if (!deferredEndsSearch && command === "stop") {
        if (stopFlag !== null) Atomics.store(stopFlag, 0, 0);
        tell(STOP);
      } else if (!deferredEndsSearch && command === "ponderhit") {
        tell(PONDER_HIT);
      } else if (!deferredEndsSearch && command === "isready") {
        send("readyok");
      } else {
        deferred.push(line);
        if (ENDS_SEARCH.has(command)) {
          deferredEndsSearch = true;
          tell(STOP);
        }
      }
    }

    function handleLine(line) {
      if (ended) return;
      // The engine ignores comments.
      const words = line.trimStart().startsWith("#") ? [] : line.trim().split(/\s+/);
      const command = words.map((word) => word.toLowerCase()).find((word) => COMMANDS.has(word));
      if (suspended) {
        handleDuringSearch(command, line);
        schedule();
        return;
      }
      if (heldAnswer !== null && ["stop", "ponderhit", "go", "ucinewgame", "quit"].includes(command)) {
        send(heldAnswer);
        heldAnswer = null;
      }
      if (command === "stop" && stopFlag !== null) Atomics.store(stopFlag, 0, 0);
      positionRejected = false;
      optionRejected = false;
      const isSearch = command === "go" && !/\sperft\s/i.test(line);
      if (isSearch) {
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
      let running = true;
      try {
        running = pass(line, isSearch);
        if (command === "setoption" && !optionRejected) {
          const name = /\bname\s+(.*?)\s+value\b/i.exec(line);
          if (name !== null) options.set(name[1].toLowerCase(), line);
        }
        if (command === "position" && !positionRejected) position = line;
      } catch (error) {
        recover(error);
      }
      if (!running) {
        ended = true;
        quit();
      }
      schedule();
    }

    /** Continues the search after pending messages, unless it waits for one. */
    function schedule() {
      if (suspended && !scheduled && (!waiting || request !== CONTINUE)) {
        scheduled = true;
        defer(continueSearch);
      }
    }

    function continueSearch() {
      scheduled = false;
      try {
        wasm.asyncify_start_rewind(frames);
        enter(0, 0);
      } catch (error) {
        recover(error);
      }
      if (!suspended) {
        const lines = deferred;
        deferred = [];
        deferredEndsSearch = false;
        lines.forEach(handleLine);
      }
      schedule();
    }

    instantiate();
    return function handle(message) {
      if (typeof message === "string") {
        message.split(/[\r\n]+/).forEach(handleLine);
      } else if (message !== null && typeof message === "object" && message.stopFlag instanceof Int32Array) {
        stopFlag = message.stopFlag;
      } else if (message === null) {
        handleLine("quit");
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
      // For cli.js: Vite's development server does not accept a script that begins with `#!`.
      startThread.runAsProgram = runAsProgram;
    }
  } else if (typeof importScripts === "function") {
    runInBrowser();
  }
})();
