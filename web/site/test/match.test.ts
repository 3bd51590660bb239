import assert from "node:assert/strict";
import { test } from "node:test";
import { moveOfUci, INITIAL_FEN } from "../src/chess";
import { Clock, formatTime } from "../src/clock";
import type { SearchRequest } from "../src/engine";
import { Match, type MatchSettings } from "../src/play/match";

/** An engine that records searches; they are sent at once if it is ready. */
class FakeEngine {
  requests: SearchRequest[] = [];
  canceled = 0;
  ready = true;
  go = "";
  search(request: SearchRequest) {
    this.requests.push(request);
    if (this.ready) this.go = request.go();
  }
  cancel() {
    this.canceled++;
  }
  get last(): SearchRequest {
    return this.requests.at(-1)!;
  }
}

let time = 0;

function newMatch(settings: Partial<MatchSettings> = {}) {
  time = 0;
  const engine = new FakeEngine();
  const match = new Match({ fen: INITIAL_FEN, color: "white", go: "depth 1", ...settings }, engine, () => undefined, () => time);
  match.start();
  const play = (uci: string) => match.play(moveOfUci(match.node.position(), uci)!);
  return { engine, match, play };
}

test("clock_adds_the_increment_after_each_move", () => {
  let now = 0;
  const clock = new Clock(60_000, 2000, () => now);
  clock.start("white");
  now = 5000;
  clock.press();
  assert.equal(clock.remaining("white"), 57_000);
  now = 65_000;
  assert.equal(clock.flagged(), "black");
  assert.equal(clock.remaining("black"), 0);
});

test("paused_clock_stands_still", () => {
  let now = 0;
  const clock = new Clock(1000, 0, () => now);
  clock.start("white");
  now = 400;
  clock.pause();
  now = 5000;
  assert.equal(clock.remaining("white"), 600);
  assert.equal(clock.flagged(), undefined);
});

test("times_are_formatted", () => {
  assert.deepEqual([0, 9950, 10_000, 65_000, 3_909_000].map(formatTime), ["0:00.0", "0:09.9", "0:10", "1:05", "1:05:09"]);
});

test("engine_gets_position_clocks_and_strength", () => {
  const { engine, match, play } = newMatch({ clock: { base: 60_000, increment: 1000 }, elo: 1200 });
  time = 10_000;
  play("e2e4");
  assert.deepEqual(engine.last.moves, ["e2e4"]);
  assert.equal(engine.go, "wtime 51000 btime 60000 winc 1000 binc 1000");
  assert.equal(engine.last.options.UCI_LimitStrength, true);
  assert.equal(engine.last.options.UCI_Elo, 1200);
  assert.equal(engine.last.newGame, true);
  engine.last.onBestmove("e7e5");
  assert.equal(match.isUserTurn, true);
  play("g1f3");
  assert.equal(engine.last.newGame, false);
});

test("clock_of_the_engine_starts_with_its_search", () => {
  const { engine, match, play } = newMatch({ clock: { base: 60_000, increment: 0 } });
  engine.ready = false;
  play("e2e4");
  time = 5000;
  assert.match(engine.last.go(), /btime 60000/);
  time = 7000;
  engine.last.onBestmove("e7e5");
  assert.deepEqual(match.clock!.snapshot(), { white: 60_000, black: 58_000 });
  time = 8000;
  assert.equal(match.clock!.remaining("white"), 59_000);
});

test("moves_out_of_turn_are_ignored", () => {
  const { match, play } = newMatch();
  play("e2e4");
  play("e7e5");
  assert.equal(match.node.ply, 1);
});

test("take_back_restores_position_and_clocks", () => {
  const { engine, match, play } = newMatch({ clock: { base: 60_000, increment: 0 } });
  assert.equal(match.canTakeBack, false);
  time = 10_000;
  play("e2e4");
  time = 15_000;
  engine.last.onBestmove("e7e5");
  time = 30_000;
  match.takeBack();
  assert.equal(match.node.ply, 0);
  assert.equal(match.clock!.remaining("white"), 60_000);
  assert.equal(match.node.children.length, 0);
});

test("answer_to_a_position_that_was_taken_back_is_dropped", () => {
  const { engine, match, play } = newMatch();
  play("e2e4");
  const old = engine.last;
  match.takeBack();
  old.onBestmove("e7e5");
  assert.equal(match.node.ply, 0);
  assert.ok(engine.canceled > 0);
});

test("engine_moves_first_if_the_user_has_black", () => {
  const { engine, match } = newMatch({ color: "black" });
  engine.last.onBestmove("e2e4");
  assert.equal(match.isUserTurn, true);
  assert.equal(match.canTakeBack, false);
});

test("flag_fall_loses_or_draws_by_material", () => {
  const lost = newMatch({ clock: { base: 1000, increment: 0 } });
  time = 1500;
  lost.match.tick();
  assert.equal(lost.match.result?.winner, "black");
  assert.equal(lost.match.pgnHeaders("X", new Date(0)).Termination, "time forfeit");
  const drawn = newMatch({ fen: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", clock: { base: 1000, increment: 0 } });
  time = 1500;
  drawn.match.tick();
  assert.equal(drawn.match.result?.winner, undefined);
  assert.match(drawn.match.result!.text, /insufficient material/);
});

test("mate_ends_the_game", () => {
  const { engine, match, play } = newMatch({ fen: "7k/Q7/6K1/8/8/8/8/8 w - - 0 1" });
  play("a7g7");
  assert.equal(match.result?.text, "Checkmate. White wins.");
  assert.equal(engine.requests.length, 0);
});

test("resignation_ends_the_game", () => {
  const { match } = newMatch({ color: "black" });
  match.resign();
  assert.equal(match.result?.text, "Black resigns. White wins.");
});

test("illegal_answer_of_the_engine_is_reported", () => {
  const { engine, match } = newMatch({ color: "black" });
  engine.last.onBestmove("e2e5");
  assert.match(match.failure, /"e2e5", which is not a legal move/);
  assert.equal(match.node.ply, 0);
});

test("paused_game_resumes_with_the_engine_to_move", () => {
  const { engine, match, play } = newMatch({ clock: { base: 60_000, increment: 0 } });
  play("e2e4");
  time = 1000;
  match.pause();
  time = 100_000;
  assert.equal(match.clock!.remaining("black"), 59_000);
  const before = engine.requests.length;
  match.resume();
  assert.equal(engine.requests.length, before + 1);
  assert.equal(engine.last.newGame, true);
});

test("resume_clears_the_failure_of_the_engine", () => {
  const { engine, match } = newMatch({ color: "black" });
  engine.last.onBestmove("e2e5");
  assert.notEqual(match.failure, "");
  match.pause();
  match.resume();
  assert.equal(match.failure, "");
  engine.last.onBestmove("e2e4");
  assert.equal(match.isUserTurn, true);
});

test("saved_game_continues_paused_with_its_clocks", () => {
  const { engine, match, play } = newMatch({ clock: { base: 60_000, increment: 0 } });
  time = 1000;
  play("e2e4");
  time = 3000;
  engine.last.onBestmove("e7e5");
  time = 7000;
  const restored = Match.restore(JSON.parse(JSON.stringify(match.save())), engine, () => time)!;
  assert.equal(restored.paused, true);
  assert.deepEqual(restored.clock!.snapshot(), { white: 55_000, black: 58_000 });
  restored.resume();
  assert.equal(restored.isUserTurn, true);
  restored.takeBack();
  assert.equal(restored.node.ply, 0);
  assert.equal(restored.clock!.remaining("white"), 60_000);
});

test("damaged_saved_game_is_dropped", () => {
  const { engine, match } = newMatch({ clock: { base: 60_000, increment: 0 } });
  const saved = match.save();
  assert.equal(Match.restore({ ...saved, moves: ["e2e5"] }, engine), undefined);
  assert.equal(Match.restore({ ...saved, times: [] }, engine), undefined);
  assert.ok(Match.restore(saved, engine));
});
