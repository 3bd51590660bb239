/** Client of the engine's Worker, which receives and posts UCI lines as strings. */

import { parseBestmove, parseInfo, parseOption, type Info, type UciOption } from "./uci";

/** What a search needs and reports. */
export interface SearchRequest {
  /** FEN of the start of the game. */
  fen: string;
  /** Moves from `fen` to the position to search. */
  moves: readonly string[];
  /** Returns the rest of the `go` line, such as `depth 20`; called when the line is sent. */
  go(): string;
  /** Values of options; options that the engine does not declare are skipped, numbers out of range are clamped. */
  options: Record<string, string | number | boolean>;
  /** Whether the position belongs to another game than the previous one. */
  newGame?: boolean;
  onInfo(info: Info): void;
  /** Called once unless the search is replaced or canceled; `move` is `undefined` if there is none. */
  onBestmove(move: string | undefined): void;
  /** Called instead of `onBestmove` if the engine failed. */
  onError(message: string): void;
}

export type EngineState = "idle" | "loading" | "ready" | "failed";

/** Time until a Worker that does not answer is regarded as failed, in milliseconds. */
const LOAD_TIMEOUT = 30_000;
const STOP_TIMEOUT = 5_000;

/** The engine of the page: one Worker, at most one search. */
export class Engine {
  state: EngineState = "idle";
  /** What went wrong; for users. Set in the state `failed`. */
  failure = "";
  name = "";
  readonly options = new Map<string, UciOption>();

  private worker: Worker | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Option values that the Worker has. */
  private sent = new Map<string, string>();
  /** The search that the Worker runs. Its lines count only while it is also `wanted`. */
  private active: SearchRequest | undefined;
  /** The search whose results are wanted. */
  private wanted: SearchRequest | undefined;
  private retried: SearchRequest | undefined;
  /** The search that `stop` is ending. */
  private stopped: SearchRequest | undefined;
  private stopping = false;
  private listeners = new Set<() => void>();

  constructor(private readonly url: string) {}

  /** Calls `callback` after each change of `state`; returns a function that ends the subscription. */
  onState(callback: () => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  /** Loads the engine unless it is loaded or loading. */
  start(): void {
    if (this.state === "loading" || this.state === "ready") return;
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
      this.fail("This browser does not support WebAssembly in Workers, which the engine needs. The board works without the engine.");
      return;
    }
    try {
      this.worker = new Worker(this.url);
    } catch (error) {
      this.fail(`The engine ${this.url} could not be started: ${(error as Error).message}. The board works without the engine.`);
      return;
    }
    const worker = this.worker;
    worker.onmessage = (event: MessageEvent<unknown>) => {
      if (worker === this.worker && typeof event.data === "string") {
        for (const line of event.data.split("\n")) this.receive(line);
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.crashed(event.message || "its files could not be loaded");
    };
    this.setState("loading");
    this.arm(LOAD_TIMEOUT, () => this.crashed(`no answer within ${LOAD_TIMEOUT / 1000} s`));
    worker.postMessage("uci");
  }

  /** Starts a search. A search that is still running is stopped first, and its output is dropped. */
  search(request: SearchRequest): void {
    this.wanted = request;
    if (this.state === "failed") {
      this.wanted = undefined;
      request.onError(this.failure);
      return;
    }
    this.start();
    this.proceed();
  }

  /** Ends the search early; its `onBestmove` follows. */
  stop(): void {
    if (this.active && this.active === this.wanted) {
      this.stopped = this.active;
      this.sendStop();
    } else if (this.wanted) {
      const request = this.wanted;
      this.wanted = undefined;
      request.onBestmove(undefined);
    }
  }

  /** Ends the search; nothing more is reported. */
  cancel(): void {
    this.wanted = undefined;
    if (this.active) this.sendStop();
  }

  /** Loads the engine again after a failure. */
  restart(): void {
    this.terminate();
    this.setState("idle");
    this.start();
  }

  private proceed(): void {
    if (this.state !== "ready" || !this.wanted || this.wanted === this.active) return;
    if (this.active) {
      this.sendStop();
      return;
    }
    const request = this.wanted;
    this.active = request;
    this.stopping = false;
    for (const [name, value] of Object.entries(request.options)) {
      const option = this.options.get(name);
      if (!option) continue;
      const { min = -Infinity, max = Infinity } = option;
      const text = String(typeof value === "number" ? Math.min(max, Math.max(min, value)) : value);
      if (this.sent.get(name) === text) continue;
      this.sent.set(name, text);
      this.send(`setoption name ${name} value ${text}`);
    }
    if (request.newGame) this.send("ucinewgame");
    this.send(`position fen ${request.fen}${request.moves.length > 0 ? ` moves ${request.moves.join(" ")}` : ""}`);
    this.send(`go ${request.go()}`);
  }

  private receive(line: string): void {
    if (this.state === "loading" && line.startsWith("info string cannot load ")) {
      // Browsers do not report a rejected promise of a Worker as an error event.
      this.crashed(line.slice("info string ".length));
    } else if (line.startsWith("info ")) {
      if (this.active && this.active === this.wanted) {
        const info = parseInfo(line);
        if (info?.string?.endsWith("the position is unchanged")) this.rejected(info.string);
        else if (info) this.active.onInfo(info);
      }
    } else if (line.startsWith("bestmove")) {
      this.disarm();
      const request = this.active;
      this.active = undefined;
      if (request && request === this.wanted) {
        this.wanted = undefined;
        this.retried = undefined;
        request.onBestmove(parseBestmove(line)?.move);
      }
      this.proceed();
    } else if (line.startsWith("option ")) {
      const option = parseOption(line);
      if (option) this.options.set(option.name, option);
    } else if (line.startsWith("id name ")) {
      this.name = line.slice("id name ".length);
    } else if (line.trim() === "uciok" && this.state === "loading") {
      this.disarm();
      this.setState("ready");
      this.proceed();
    }
  }

  private send(line: string): void {
    this.worker?.postMessage(line);
  }

  private sendStop(): void {
    if (this.stopping) return;
    this.stopping = true;
    this.send("stop");
    this.arm(STOP_TIMEOUT, () => this.crashed(`"stop" was not answered within ${STOP_TIMEOUT / 1000} s`));
  }

  /** Gives up a search whose position the engine rejected; the engine searches the previous position instead. */
  private rejected(reason: string): void {
    const request = this.wanted;
    this.cancel();
    request?.onError(`The engine does not accept this position: ${reason.replace(/; the position is unchanged$/, "")}. The search was aborted.`);
  }

  /** Starts the Worker again after an error. A search is repeated once; an error while loading is final. */
  private crashed(reason: string): void {
    const loading = this.state === "loading";
    const request = this.wanted;
    this.terminate();
    if (loading) {
      this.fail(`The engine could not be loaded: ${reason}. The board works without the engine.`);
      request?.onError(this.failure);
      return;
    }
    if (request && request === this.stopped) {
      this.setState("idle");
      request.onBestmove(undefined);
      this.start();
      return;
    }
    if (request && request === this.retried) {
      this.setState("idle");
      request.onError(`The engine failed twice in this position: ${reason}. The search was aborted; the next one starts the engine again.`);
      return;
    }
    this.retried = request;
    this.wanted = request;
    this.setState("idle");
    this.start();
  }

  private terminate(): void {
    this.disarm();
    this.worker?.terminate();
    this.worker = undefined;
    this.active = undefined;
    this.wanted = undefined;
    this.stopping = false;
    this.sent.clear();
  }

  private fail(message: string): void {
    this.failure = message;
    this.wanted = undefined;
    this.setState("failed");
  }

  private setState(state: EngineState): void {
    this.state = state;
    for (const callback of this.listeners) callback();
  }

  private arm(delay: number, callback: () => void): void {
    this.disarm();
    this.timer = setTimeout(callback, delay);
  }

  private disarm(): void {
    clearTimeout(this.timer);
  }
}
