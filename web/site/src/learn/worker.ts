/// <reference lib="webworker" />

// The Worker of the view Learn: answers requests with the exports of web/algorithms in aspirant.wasm.

interface Exports {
  memory: WebAssembly.Memory;
  request_alloc(length: number): number;
  request_free(address: number, length: number): void;
  request_call(address: number, length: number): number;
}

const scope = self as unknown as DedicatedWorkerGlobalScope;

/** Functions of the engine's host, which the algorithms do not call. */
const env = { now: () => 0, send: () => undefined, pause: () => 0 };

async function load(): Promise<Exports> {
  const response = await fetch(new URL("engine/aspirant.wasm", scope.location.href));
  if (!response.ok) throw new Error(`aspirant.wasm: HTTP status ${response.status}`);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), { env });
  return instance.exports as unknown as Exports;
}

const loading = load();

function answer(wasm: Exports, request: string): string {
  const bytes = new TextEncoder().encode(request);
  const address = wasm.request_alloc(bytes.length);
  if (address === 0) return JSON.stringify({ error: `the request has ${bytes.length} bytes, more than the limit` });
  new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
  const reply = wasm.request_call(address, bytes.length);
  wasm.request_free(address, bytes.length);
  const length = new DataView(wasm.memory.buffer).getUint32(reply, true);
  const text = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, reply + 4, length));
  wasm.request_free(reply, length + 4);
  return text;
}

scope.onmessage = async ({ data }: MessageEvent<{ id: number; request: string }>) => {
  try {
    scope.postMessage({ id: data.id, reply: answer(await loading, data.request) });
  } catch (error) {
    scope.postMessage({ id: data.id, failure: (error as Error).message });
  }
};
