/** Starts an engine in a worker thread of Node.js. In a browser, use `new Worker("aspirant.js")` instead. */
declare function aspirant(options?: aspirant.Options): Promise<aspirant.Engine>;

declare namespace aspirant {
  /** A message to the engine: a UCI command, or a flag that stops a search at once (see README.md). */
  type Message = string | { stopFlag: Int32Array };

  interface Options {
    /** Path of aspirant.wasm; by default it is beside aspirant.js. */
    wasm?: string;
  }

  /**
   * The Worker of a browser:
   * `new Worker(new URL("aspirant-web/aspirant.js", import.meta.url)) as aspirant.WebEngine`.
   */
  interface WebEngine {
    /** Sends a UCI command. */
    postMessage(message: Message): void;
    /** Receives each line of output. */
    onmessage: ((event: { data: string }) => void) | null;
    /** Ends the Worker at once. */
    terminate(): void;
  }

  /** An engine in a worker thread, with the interface of a Web Worker. */
  interface Engine {
    /** Sends a UCI command. */
    postMessage(message: Message): void;
    /** Receives each line of output. */
    onmessage: ((event: { data: string }) => void) | null;
    /** Receives the error that ended the worker thread. */
    onerror: ((error: Error) => void) | null;
    /** Ends the worker thread at once; resolves to its exit code. */
    terminate(): Promise<number>;
  }
}

export = aspirant;
