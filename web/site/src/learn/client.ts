/** The reference algorithms in their own Worker, so that the page never blocks. */

import type { Walk } from "../../../../game-tree/src/drawing/viewer.js";

/** An algorithm of the catalog. */
export interface Algorithm {
  name: string;
  family: number;
  year: number;
  authors: string;
  paper: string;
  link: string;
  summary: string;
  memory: "never" | "optional" | "always";
  /** Whether the algorithm takes an expected value. */
  guess: boolean;
  /** Whether the algorithm takes the width of a window. */
  delta: boolean;
}

/** Reply to the request `algorithms`. */
export interface Catalog {
  algorithms: Algorithm[];
  orderings: { name: string; summary: string }[];
  example: string;
  limits: Record<"tree_text" | "tree_nodes" | "tree_depth" | "chess_depth" | "visited_nodes" | "drawn_nodes", number>;
}

/** The cost of one algorithm; `error` if it reached a limit. */
export interface Row {
  algorithm: string;
  error?: string;
  value: number;
  best: string | null;
  leaves: number;
  nodes: number;
  passes: number;
  re_searches: number;
  cutoffs: number;
  deep_cutoffs: number;
  hits: number;
}

/** The tree and the settings of a search. */
export interface Search {
  tree?: string;
  fen?: string;
  depth?: number;
  ordering?: string[];
  memory?: boolean;
  guess?: number;
  delta?: number;
}

/** The message of a request that cannot be answered. */
export class RequestError extends Error {
  constructor(
    message: string,
    /** Position of the error in the tree text in characters, from 1; undefined if the cause is not its syntax. */
    readonly position?: number,
  ) {
    super(message);
  }
}

type Pending = { resolve: (value: unknown) => void; reject: (error: Error) => void };

/** Longest time for one request in milliseconds; the limits of the algorithms keep requests far below it. */
const TIMEOUT = 20_000;

/** Sends requests to `learn-worker.js`. A Worker that fails is replaced at the next request. */
export class Algorithms {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private next = 0;

  algorithms(): Promise<Catalog> {
    return this.call({ request: "algorithms" }) as Promise<Catalog>;
  }

  walk(search: Search, algorithm: string): Promise<Walk> {
    return this.call({ request: "walk", algorithm, ...search }) as Promise<Walk>;
  }

  async compare(search: Search): Promise<Row[]> {
    return ((await this.call({ request: "compare", ...search })) as { rows: Row[] }).rows;
  }

  terminate(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.pending.clear();
  }

  private call(request: object): Promise<unknown> {
    const id = this.next++;
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(`no answer within ${TIMEOUT / 1000} s`), TIMEOUT);
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.pending.delete(id);
        finish();
      };
      this.pending.set(id, {
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      });
      worker.postMessage({ id, request: JSON.stringify(request) });
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL("learn-worker.js", document.baseURI));
    worker.onmessage = ({ data }: MessageEvent<{ id: number; reply?: string; failure?: string }>) => {
      if (data.failure !== undefined) {
        this.fail(data.failure);
        return;
      }
      const pending = this.pending.get(data.id);
      const value = JSON.parse(data.reply ?? "{}") as { error?: string; position?: number };
      if (value.error === undefined) pending?.resolve(value);
      else pending?.reject(new RequestError(value.error, value.position));
    };
    worker.onerror = (event) => this.fail(event.message || "learn-worker.js cannot be loaded");
    return worker;
  }

  private fail(reason: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const pending of [...this.pending.values()]) pending.reject(new Error(`The algorithms failed: ${reason}.`));
  }
}
