import assert from "node:assert/strict";
import { test } from "node:test";
import { INITIAL_FEN } from "../src/chess";
import { GameTree, PgnError } from "../src/game";

test("pgn_with_variations_and_comments_survives_a_round_trip", () => {
  const pgn = '[Event "Test"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 { best } 1... e5 ( 1... c5 2. Nf3 ( 2. c3 d5 ) ) 2. Nf3 $1 1-0';
  const first = GameTree.fromPgn(pgn).game.toPgn();
  assert.match(first, /1\. e4 \{ best \} e5 \( 1\.\.\. c5 2\. Nf3 \( 2\. c3 d5 \) \) 2\. Nf3 \$1 1-0/);
  assert.match(first, /\[White "A"\]/);
  assert.equal(GameTree.fromPgn(first).game.toPgn(), first);
});

test("pgn_with_start_position_keeps_it", () => {
  const fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
  const { game } = GameTree.fromPgn(`[SetUp "1"]\n[FEN "${fen}"]\n\n1. e4 Ke7 *`);
  assert.equal(game.root.fen, fen);
  assert.match(game.toPgn(), /\[FEN "4k3\/8\/8\/8\/8\/8\/4P3\/4K3 w - - 0 1"\]/);
});

test("chess960_game_has_the_variant_tag_and_castles_king_takes_rook", () => {
  const game = new GameTree("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9");
  assert.equal(game.chess960, true);
  assert.match(game.toPgn(), /\[Variant "Chess960"\]/);
  const castled = new GameTree("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1");
  assert.equal(castled.playUci(["e1g1"]), 1);
  assert.equal(castled.current.san, "O-O");
  assert.deepEqual(castled.moves(), ["e1g1"]);
  assert.equal(GameTree.fromPgn(castled.toPgn()).game.root.fen, castled.root.fen);
});

test("invalid_pgn_is_explained", () => {
  const cases: [string, RegExp][] = [
    ["", /the text is empty/],
    ["hello world", /no moves in "hello world"/],
    ["1. e4 e5 2. Nf6", /move 2\. "Nf6" is not legal/],
    ["1. e4 e5 (1... Ke6) 2. Nf3", /move 1\.\.\. "Ke6" is not legal/],
    ['[FEN "8/8/8 w - - 0 1"]\n\n1. e4', /has 3 ranks; expected 8/],
    ['[Variant "Atomic"]\n\n1. e4', /variant "Atomic" is not supported/],
  ];
  for (const [pgn, message] of cases) {
    assert.throws(() => GameTree.fromPgn(pgn), (error: Error) => error instanceof PgnError && message.test(error.message), pgn);
  }
});

test("words_that_are_no_moves_are_named_and_notation_of_other_programs_is_accepted", () => {
  for (const [pgn, word] of [["1. e4 hello", "hello"], ["1.e4 e5 2.Nf3 (2.f4 xyz) *", "xyz"], ["1. e4 e5 2. Nf9", "Nf9"]] as const) {
    assert.throws(() => GameTree.fromPgn(pgn), (error: Error) => error instanceof PgnError && error.message.includes(word), pgn);
  }
  const pgn = `[Event "A (b) {c}"]\n% escape\n1.e4!? $1 {a comment with hello} e5 2. Nf3 Nc6 ; rest hello\n3. Bb5 (3. Bc4 $6 Bc5) 3... a6 1/2-1/2`;
  assert.equal(GameTree.fromPgn(pgn).game.root.end().ply, 6);
});

test("several_games_are_counted_and_the_first_is_loaded", () => {
  const { game, count } = GameTree.fromPgn("1. e4 *\n\n1. d4 *\n");
  assert.equal(count, 2);
  assert.equal(game.root.end().san, "e4");
});

test("words_after_the_first_game_are_ignored_and_those_before_it_named", () => {
  const { game, count } = GameTree.fromPgn("1. e4 e5 *\r\n\r\n1. d4 hello *\r\n");
  assert.deepEqual([game.root.end().san, count], ["e5", 2]);
  assert.throws(() => GameTree.fromPgn("1. xyz *\n\n1. e4 *"), /"xyz" is no move/);
});

test("position_of_a_url_is_found_in_the_tree", () => {
  const { game } = GameTree.fromPgn("1. e4 e5 (1... c5 2. Nf3) 2. f4 *");
  const knight = game.find(INITIAL_FEN, ["e2e4", "c7c5", "g1f3"]);
  assert.equal(knight?.san, "Nf3");
  assert.equal(game.find(knight.fen, []), knight);
  assert.equal(game.find(INITIAL_FEN, []), game.root);
  assert.equal(game.find(INITIAL_FEN, ["e2e4", "d7d5"]), undefined);
  assert.equal(game.find(knight.fen, ["d7d6"]), undefined);
});

test("playing_an_existing_move_adds_no_variation", () => {
  const game = new GameTree();
  game.playUci(["e2e4", "e7e5"]);
  game.current = game.root;
  assert.equal(game.playUci(["e2e4", "c7c5", "e2e4"]), 2);
  assert.equal(game.root.children.length, 1);
  assert.deepEqual(game.root.children[0]!.children.map(({ san }) => san), ["e5", "c5"]);
});

test("promoted_variation_becomes_the_main_line", () => {
  const game = new GameTree();
  game.playUci(["e2e4", "e7e5"]);
  game.current = game.root.children[0]!;
  game.playUci(["c7c5"]);
  game.promote(game.current);
  assert.equal(game.root.end().san, "c5");
});

test("removing_moves_keeps_the_current_node_in_the_game", () => {
  const game = new GameTree();
  game.playUci(["e2e4", "e7e5", "g1f3"]);
  game.remove(game.root.children[0]!.children[0]!);
  assert.equal(game.current.san, "e4");
  assert.equal(game.current.children.length, 0);
});

test("threefold_repetition_ends_the_game", () => {
  const game = new GameTree();
  const cycle = ["g1f3", "g8f6", "f3g1", "f6g8"];
  game.playUci([...cycle, ...cycle.slice(0, 3)]);
  assert.equal(game.result(), undefined);
  game.playUci(["f6g8"]);
  assert.match(game.result()!.text, /threefold/);
});

test("long_pgn_is_wrapped_and_loads_again", () => {
  const game = new GameTree();
  const cycle = ["g1f3", "g8f6", "f3g1", "f6g8"];
  for (let round = 0; round < 300; round++) game.playUci(cycle);
  const pgn = game.toPgn();
  assert.ok(pgn.split("\n").every((line) => line.length <= 80));
  assert.equal(GameTree.fromPgn(pgn).game.root.end().ply, 1200);
});
