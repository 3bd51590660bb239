import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, type SearchRequest } from "../src/engine";

/** A Worker that records what it receives. */
class FakeWorker {
  static last: FakeWorker;
  received: string[] = [];
  onmessage: ((event: { data: string }) => void) | undefined;
  constructor() {
    FakeWorker.last = this;
  }
  postMessage(line: string) {
    this.received.push(line);
  }
  terminate() {}
  load() {
    this.onmessage?.({ data: "option name UCI_Elo type spin default 2720 min 1030 max 2720\nuciok" });
  }
}
Object.assign(globalThis, { Worker: FakeWorker });

const request = (changes: Partial<SearchRequest>): SearchRequest => ({
  fen: "fen", moves: [], go: () => "depth 1", options: {}, onInfo() {}, onBestmove() {}, onError() {}, ...changes,
});

test("numbers_out_of_range_are_clamped_and_unknown_options_skipped", () => {
  for (const [elo, sent] of [[800, 1030], [1500, 1500], [3000, 2720]]) {
    const engine = new Engine("");
    engine.search(request({ options: { UCI_Elo: elo!, Unknown: 1 } }));
    FakeWorker.last.load();
    assert.deepEqual(FakeWorker.last.received.slice(1, -2), [`setoption name UCI_Elo value ${sent}`]);
  }
});

test("limits_are_those_of_the_time_when_the_search_is_sent", () => {
  const engine = new Engine("");
  let time = 1;
  engine.search(request({ go: () => `wtime ${time}` }));
  time = 2;
  FakeWorker.last.load();
  assert.equal(FakeWorker.last.received.at(-1), "go wtime 2");
});
