import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chess960Fen, FenError, fenOf, INITIAL_FEN, isChess960, MoveError, moveOfText, moveOfUci, parseChess960Number, parsePosition, resultByRule, spokenSan, uciOf,
} from "../src/chess";

test("valid_fen_is_returned_unchanged", () => {
  for (const fen of [INITIAL_FEN, "8/8/8/8/8/5k2/6p1/6K1 w - - 12 80", "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w KQkq - 0 1"]) {
    assert.equal(fenOf(parsePosition(fen)), fen);
  }
});

test("missing_fields_of_a_fen_have_defaults", () => {
  assert.equal(fenOf(parsePosition("4k3/8/8/8/8/8/8/4K3")), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
});

test("invalid_fen_is_explained", () => {
  const cases: [string, RegExp][] = [
    ["", /The FEN is empty/],
    ["8/8/8", /has 3 ranks; expected 8/],
    ["rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", /rank 7 "ppppppppp" has 9 squares; expected 8/],
    ["rnbqkbnr/pppppppx/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", /"x" in rank 7 is not a piece/],
    ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", /side to move "x"; expected w or b/],
    ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1", /castling rights "KQxq"/],
    ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", /en passant square "e9"/],
    ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", /halfmove clock "x"/],
    ["8/8/8/8/8/8/8/4K3 w - - 0 1", /1 white and 0 black kings; expected one of each/],
    ["4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", /the side that is not to move is in check/],
    ["4k2P/8/8/8/8/8/8/4K3 w - - 0 1", /a pawn on rank 1 or 8/],
    ["8/8/8/8/8/8/8/8 w - - 0 1", /the board is empty/],
  ];
  for (const [fen, message] of cases) {
    assert.throws(() => parsePosition(fen), (error: Error) => error instanceof FenError && message.test(error.message), fen);
  }
});

test("chess960_numbers_follow_the_standard_numbering", () => {
  assert.equal(chess960Fen(518), INITIAL_FEN);
  assert.match(chess960Fen(0), /^bbqnnrkr\//);
  assert.match(chess960Fen(959), /^rkrnnqbb\//);
  const all = new Set(Array.from({ length: 960 }, (_, number) => chess960Fen(number)));
  assert.equal(all.size, 960);
  for (const fen of all) {
    const rank = fen.slice(0, 8);
    assert.match(rank, /r.*k.*r/);
    assert.notEqual(rank.indexOf("b") % 2, rank.lastIndexOf("b") % 2);
    assert.equal(isChess960(parsePosition(fen)), !/^r...k..r/.test(rank), fen);
  }
});

test("chess960_number_out_of_range_is_rejected", () => {
  for (const text of ["", "960", "-1", "1.5", "x"]) assert.throws(() => parseChess960Number(text), FenError);
  assert.equal(parseChess960Number("959"), 959);
});

test("castling_is_accepted_in_both_notations", () => {
  const position = parsePosition("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  for (const uci of ["e1g1", "e1h1"]) {
    const move = moveOfUci(position, uci);
    assert.ok(move);
    assert.equal(uciOf(position, move, false), "e1g1");
    assert.equal(uciOf(position, move, true), "e1h1");
  }
});

test("typed_moves_are_accepted_in_san_and_uci", () => {
  const position = parsePosition("r3k2r/1P6/8/8/2b5/1P6/8/R3K1NR w KQkq - 0 1");
  for (const [text, uci] of [["Nf3", "g1f3"], ["nf3", "g1f3"], ["g1f3", "g1f3"], ["bxc4", "b3c4"], ["0-0-0", "e1c1"], ["o-o-o", "e1c1"], ["O-O-O", "e1c1"], ["bxa8=Q+", "b7a8q"], ["b7b8n", "b7b8n"]]) {
    assert.equal(uciOf(position, moveOfText(position, text!), false), uci, text);
  }
});

test("typed_text_that_is_no_legal_move_is_explained", () => {
  const position = parsePosition(INITIAL_FEN);
  assert.throws(() => moveOfText(position, ""), /No move was entered/);
  assert.throws(() => moveOfText(position, "hello"), /"hello" is not a move/);
  assert.throws(() => moveOfText(position, "e2e5"), (error) => error instanceof MoveError && /not a legal move for White/.test(error.message));
});

test("results_by_rule", () => {
  const result = (fen: string, repetitions = 1) => resultByRule(parsePosition(fen), repetitions);
  assert.equal(result(INITIAL_FEN), undefined);
  assert.equal(result("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")?.winner, "white");
  assert.match(result("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")!.text, /stalemate/);
  assert.match(result("7k/8/6K1/8/8/8/8/6N1 b - - 0 1")!.text, /insufficient material/);
  assert.match(result(INITIAL_FEN, 3)!.text, /threefold/);
  assert.match(result("7k/8/6K1/8/8/8/8/6R1 b - - 100 90")!.text, /fifty-move/);
  assert.match(result("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90")!.text, /Checkmate/, "mate takes precedence over the fifty-move rule");
});

test("san_is_spoken_in_words", () => {
  assert.equal(spokenSan("Nxf3+"), "knight takes f3, check");
  assert.equal(spokenSan("exd8=Q#"), "e takes d8 promotes to queen, checkmate");
  assert.equal(spokenSan("O-O-O"), "castles queenside");
});
