import assert from "node:assert/strict";
import { test } from "node:test";
import { expectedScore, formatCount, formatScore, parseBestmove, parseInfo, parseOption, whiteScore } from "../src/uci";

test("info_line_is_parsed", () => {
  assert.deepEqual(
    parseInfo("info depth 12 seldepth 20 multipv 2 score cp -31 upperbound wdl 10 900 90 nodes 12345 nps 1000000 hashfull 7 tbhits 0 time 12 pv e2e4 e7e5"),
    {
      depth: 12, seldepth: 20, multipv: 2, score: { cp: -31 }, bound: "upper", wdl: [10, 900, 90], nodes: 12345, nps: 1000000, hashfull: 7, tbhits: 0,
      time: 12, pv: ["e2e4", "e7e5"],
    },
  );
});

test("mate_scores_and_strings_are_parsed", () => {
  assert.deepEqual(parseInfo("info depth 3 score mate -2 pv a1a2")?.score, { mate: -2 });
  assert.deepEqual(parseInfo("info string depth 5 is ignored"), { multipv: 1, string: "depth 5 is ignored" });
});

test("malformed_fields_are_skipped", () => {
  assert.deepEqual(parseInfo("info depth x nodes 5 unknown 7 score cp"), { multipv: 1, nodes: 5 });
  assert.equal(parseInfo("information"), undefined);
});

test("option_lines_are_parsed", () => {
  assert.deepEqual(parseOption("option name UCI_Elo type spin default 2620 min 800 max 2620"), { name: "UCI_Elo", type: "spin", default: "2620", min: 800, max: 2620 });
  assert.deepEqual(parseOption("option name Clear Hash type button"), { name: "Clear Hash", type: "button" });
  assert.deepEqual(parseOption("option name Book File type string default <empty>"), { name: "Book File", type: "string", default: "<empty>" });
});

test("bestmove_without_a_move_is_recognized", () => {
  assert.deepEqual(parseBestmove("bestmove e2e4 ponder e7e5"), { move: "e2e4", ponder: "e7e5" });
  for (const line of ["bestmove (none)", "bestmove 0000"]) assert.deepEqual(parseBestmove(line), {});
  assert.equal(parseBestmove("info depth 1"), undefined);
});

test("scores_are_shown_from_the_view_of_white", () => {
  assert.equal(formatScore(whiteScore({ cp: 50 }, "black")), "-0.50");
  assert.equal(formatScore(whiteScore({ cp: 0 }, "black")), "0.00");
  assert.equal(formatScore(whiteScore({ mate: 3 }, "black")), "#-3");
  assert.equal(formatScore({ cp: 123 }), "+1.23");
});

test("expected_score_uses_wdl_if_present", () => {
  assert.equal(expectedScore({ cp: 100 }, [500, 400, 100]), 0.7);
  assert.equal(expectedScore({ cp: 0 }), 0.5);
  assert.equal(expectedScore({ mate: -4 }), 0);
});

test("counts_have_three_significant_digits", () => {
  assert.deepEqual([999, 1234, 123456, 1234567, 999_600_000].map(formatCount), ["999", "1.23k", "123k", "1.23M", "1000M"]);
});
