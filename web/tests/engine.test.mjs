// The npm package in node: the scenarios of tests/it/protocol.rs that apply to one thread without files.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Program } from "./programs.mjs";
import { BARE_KINGS, Engine, KIWIPETE, LIMIT, MANY_QUEENS, MATED, MATE_IN_1, NO_NATIVE_PROGRAM, PACKAGE, Root, SCRIPT, native, nativeProgram, parse, sleep } from "./uci.mjs";

/** The engine of examples/negamax.rs: the library does not contain its search. */
const NEGAMAX = fileURLToPath(new URL("../dist/wasm/negamax.wasm", import.meta.url));
const NO_NEGAMAX = !existsSync(NEGAMAX) && "no web/dist/wasm/negamax.wasm; build it with: python3 web/build.py --test-search";

/** Runs a test with an engine of its own; `options` as for the package. */
function engineTest(name, body, skip = false, options = undefined) {
  test(name, { timeout: 5 * LIMIT, skip }, async () => {
    const engine = await Engine.start(options);
    try {
      await body(engine);
      await engine.quit();
    } finally {
      await engine.worker.terminate();
    }
  });
}

/** Seeded random numbers (mulberry32). */
function generator(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

engineTest("uci_lists_id_and_options", async (engine) => {
  engine.send("uci");
  const messages = await engine.until((message) => message.kind === "uciok", "uciok");
  assert.match(messages[0].line, /^id name Aspirant /);
  assert.match(messages[1].line, /^id author /);
  assert.ok(messages.slice(2, -1).every((message) => message.kind === "option"));
  const names = messages.filter((message) => message.kind === "option").map((message) => message.name);
  for (const name of ["Hash", "Clear Hash", "Ponder", "MultiPV", "Move Overhead", "UCI_Chess960", "UCI_ShowWDL",
    "UCI_LimitStrength", "UCI_Elo"]) {
    assert.equal(names.filter((other) => other === name).length, 1, `${name}: ${names}`);
  }
  const threads = messages.find((message) => message.name === "Threads");
  assert.ok(threads === undefined || threads.max === 1, threads?.text);
});

engineTest("valid_commands_are_silent", async (engine) => {
  for (const line of [
    "", "   ", "\t", "# a comment", "debug on", "debug off", "ucinewgame", "setoption name Clear Hash",
    "setoption name hash value 8", "setoption name Hash value 16 ", "position startpos", "position startpos moves",
    "position startpos moves e2e4 e7e5", "position  startpos  moves  e2e4  ",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "stop", "stop", "ponderhit",
  ]) {
    await engine.sendSilent(line);
  }
});

engineTest("invalid_commands_print_one_warning_and_change_nothing", async (engine) => {
  await engine.sendSilent("position startpos moves e2e4");
  for (const [line, part] of [
    ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8"],
    ["position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w KQkq - 0 1", "FEN"],
    ["position fen", "FEN"],
    ["position", "position"],
    ["position kiwipete", "kiwipete"],
    ["position startpos moves e2e5", "e2e5"],
    ["position startpos moves e2e4 e7e5 e1e3 d7d5", "e1e3"],
    ["position startpos moves 0000", "0000"],
    ["setoption name Hash value 0", "Hash"],
    ["setoption name Hash value lots", "lots"],
    ["setoption name Hash", "Hash"],
    ["setoption name Ponder value 1", "true or false"],
    ["setoption name Hsah value 16", "Hash"],
    ["setoption name NoSuchThing value 16", "NoSuchThing"],
    ["setoption name Threads value 2", "Threads"],
    ["setoption", "setoption"],
    ["debug maybe", "debug"],
    ["perft x", "perft"],
    ["bench x", "bench"],
    ["xyzzy", "xyzzy"],
    ["isreadyx", "isreadyx"],
    ["setoption name \u00ff value \u00fe", "\u00ff"],
  ]) {
    assert.ok((await engine.warning(line)).includes(part), line);
  }
  engine.send("go depth 3");
  await engine.answer(new Root("startpos moves e2e4"));
  engine.allowText().send("d");
  const board = (await engine.ready()).map((message) => message.line).join("\n");
  assert.ok(board.includes("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"), board);
});

engineTest("file_options_are_absent_or_answered", async (engine) => {
  engine.send("uci");
  const options = await engine.until((message) => message.kind === "uciok", "uciok");
  for (const [name, value] of [["SyzygyPath", "/tables"], ["Book File", "/book.bin"], ["Debug Log File", "/log"]]) {
    const text = await engine.warning(`setoption name ${name} value ${value}`);
    if (!options.some((message) => message.name === name)) assert.ok(text.includes(name), text);
  }
  await engine.search("startpos", "depth 3");
});

engineTest("console_commands_print_their_output", async (engine) => {
  engine.allowText();
  const outputOf = async (line) => {
    engine.send(line);
    return (await engine.ready()).map((message) => message.line).join("\n");
  };
  const board = await outputOf("d");
  assert.ok(board.includes("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") && board.includes("Key: "), board);
  assert.match(await outputOf("eval"), /evaluation/i);
  for (const word of ["position", "go", "setoption", "bench", "ponderhit"]) assert.ok((await outputOf("help")).includes(word));
});

engineTest("perft_counts_match", async (engine) => {
  for (const [position, command, count, moves] of [
    ["startpos", "go perft 3", 8902, 20],
    ["startpos", "perft 4", 197281, 20],
    [KIWIPETE, "go perft 3", 97862, 48],
    ["fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "go perft 5", 674624, 14],
    ["fen rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", "go perft 3", 62379, 44],
    ["fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "go perft 3", 12189, 21],
  ]) {
    engine.send(`position ${position}`);
    engine.send(command);
    const messages = await engine.until((message) => message.kind === "perft", "sum of perft");
    const divided = messages.filter((message) => message.kind === "divide").map((message) => message.count);
    assert.equal(messages.at(-1).count, count, position);
    assert.equal(divided.length, moves, position);
    assert.equal(divided.reduce((a, b) => a + b), count, position);
  }
  await engine.ready();
});

engineTest("go_parameters_work_alone_and_combined", async (engine) => {
  for (const go of [
    "depth 4", "nodes 2000", "movetime 50", "mate 1 depth 3", "wtime 1000 btime 1000",
    "btime 1000 wtime 1000 binc 10 winc 10", "wtime 500 btime 500 movestogo 1", "movestogo 20 btime 500 wtime 500",
    "depth 50 nodes 2000", "nodes 100000000 depth 3", "depth 50 movetime 50", "wtime 100000 btime 100000 depth 3",
    "wtime 100000 btime 100000 nodes 2000", "wtime 100000 btime 100000 movetime 50", "searchmoves e2e4 d2d4 depth 4",
    "depth 4 searchmoves e2e4 d2d4", "DEPTH 4 depth 3", "depth 3 somethingnew nodes 1000", "depth 3 ", "depth\t3\t",
  ]) {
    assert.ok((await engine.search("startpos moves g1f3 g8f6", go)).best, `go ${go}`);
  }
});

engineTest("depth_and_node_limits_are_kept", async (engine) => {
  for (const depth of [1, 2, 5, 9]) {
    const { infos } = await engine.search(KIWIPETE, `depth ${depth}`);
    assert.deepEqual(infos.map((info) => info.depth), Array.from({ length: depth }, (_, index) => index + 1));
  }
  for (const nodes of [1, 2, 10, 500, 10_000]) {
    const { last } = await engine.search(KIWIPETE, `nodes ${nodes}`);
    assert.ok(last.nodes <= nodes + 2, last.line);
  }
});

engineTest("any_clock_returns_bestmove", async (engine) => {
  for (const go of [
    "wtime 0 btime 0", "wtime -1 btime -1", "wtime -99999999999999999999999999 btime 1", "wtime 1 btime 1",
    "wtime 1 btime 1 winc 0 binc 0 movestogo 0", "wtime 100", "btime 100", "winc 10", "binc 10",
    "wtime 100 btime 100 movestogo 300", "wtime 5 btime 5 winc 200 binc 200", "movetime 0", "movetime -5", "movetime 1",
  ]) {
    for (const side of ["startpos", "startpos moves e2e4"]) {
      engine.send(`position ${side}`);
      engine.send(`go ${go}`);
      await engine.answer(new Root(side));
    }
  }
  for (const go of ["wtime 99999999999999999999 btime 1", "movetime 9223372036854775807"]) {
    engine.send("position startpos");
    engine.send(`go ${go}`);
    await engine.noAnswerFor(50);
    engine.send("stop");
    await engine.answer(new Root("startpos"));
  }
});

engineTest("out_of_range_limits_are_survived", async (engine) => {
  for (const go of [
    "depth 0", "depth -1", "nodes 0", "nodes -5", "mate 0 nodes 2000", "mate 9999 nodes 2000", "depth 256 nodes 2000",
    "depth 99999999999 nodes 2000", "nodes 18446744073709551616 depth 3", "movetime 99999999999999999999999 depth 3",
  ]) {
    await engine.search("startpos", go);
  }
  assert.ok((await engine.search(BARE_KINGS, "depth 99999")).last.depth > 100);
});

engineTest("invalid_go_argument_is_reported_and_answered", async (engine) => {
  for (const go of ["depth x nodes 500", "depth 3 wtime", "movetime fast depth 3"]) {
    assert.equal((await engine.search("startpos", go)).strings.length, 1, go);
  }
  const { strings } = await engine.search("startpos", "depth 3 searchmoves e2e5");
  assert.match(strings.join(" "), /illegal move 'e2e5'.*all moves are searched/);
});

engineTest("searchmoves_restricts_the_root", async (engine) => {
  assert.equal((await engine.search("startpos", "searchmoves a2a3 depth 6")).best, "a2a3");
  assert.ok(["a2a3", "h2h3"].includes((await engine.search("startpos", "depth 6 searchmoves a2a3 h2h3")).best));
});

engineTest("go_mate_finds_the_mate", async (engine) => {
  const { best, last } = await engine.search(MATE_IN_1, "mate 1");
  assert.deepEqual([best, last.mate], ["a1a8", 1]);
  const two = await engine.search("fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "mate 2");
  assert.deepEqual([two.best, two.last.mate], ["a1a6", 2]);
});

engineTest("no_legal_move_returns_none_for_every_limit", async (engine) => {
  for (const multiPv of [1, 3]) {
    await engine.sendSilent(`setoption name MultiPV value ${multiPv}`);
    for (const go of ["", "depth 1", "nodes 100", "movetime 10", "wtime 10 btime 10", "mate 3", "searchmoves a1a2"]) {
      assert.equal((await engine.search(MATED, go)).best, undefined);
    }
  }
});

engineTest("isready_is_answered_before_the_bestmove_of_an_infinite_search", async (engine) => {
  for (const position of ["startpos", MANY_QUEENS]) {
    engine.send(`position ${position}`);
    engine.send("go infinite");
    for (let count = 0; count < 20; count += 1) {
      const messages = await engine.ready();
      assert.ok(messages.every((message) => message.kind !== "bestmove"));
    }
    engine.send("stop");
    await engine.answer(new Root(position));
  }
});

engineTest("stop_returns_bestmove", async (engine) => {
  for (const position of ["startpos", KIWIPETE, MANY_QUEENS, MATE_IN_1, BARE_KINGS, MATED]) {
    for (const delay of [0, 1, 30, 200]) {
      engine.send(`position ${position}`);
      engine.send("go infinite");
      if (delay > 0) await sleep(delay);
      engine.send("stop");
      await engine.answer(new Root(position));
    }
  }
});

engineTest("infinite_and_ponder_return_no_early_bestmove", async (engine) => {
  for (const position of [MATE_IN_1, BARE_KINGS, MATED, "startpos"]) {
    const root = new Root(position);
    for (const go of ["infinite", "infinite depth 2", "infinite nodes 10", "infinite movetime 1", "infinite mate 1",
      "ponder wtime 1 btime 1", "ponder movetime 1", "ponder depth 1", "ponder nodes 1", "ponder infinite"]) {
      engine.send(`position ${position}`);
      engine.send(`go ${go}`);
      await engine.noAnswerFor(30);
      engine.send("stop");
      await engine.answer(root);
    }
    for (const go of ["ponder wtime 100 btime 100", "ponder depth 2", "ponder nodes 10", "ponder movetime 30"]) {
      engine.send(`position ${position}`);
      engine.send(`go ${go}`);
      await engine.noAnswerFor(30);
      engine.send("ponderhit");
      await engine.answer(root);
    }
  }
});

engineTest("ponder_infinite_waits_for_stop_after_ponderhit", async (engine) => {
  engine.send("position startpos");
  engine.send("go ponder infinite");
  engine.send("ponderhit");
  await engine.noAnswerFor(200);
  engine.send("stop");
  await engine.answer(new Root("startpos"));
});

engineTest("late_stop_does_not_end_the_next_search", async (engine) => {
  for (let count = 0; count < 50; count += 1) engine.send(["stop", "ponderhit"][count % 2]);
  engine.send("position startpos");
  engine.send("go infinite");
  await engine.noAnswerFor(100);
  engine.send("stop");
  await engine.answer(new Root("startpos"));
  await engine.search("startpos", "depth 3");
});

engineTest("second_go_answers_both_in_order", async (engine) => {
  for (let count = 0; count < 20; count += 1) {
    engine.send("position startpos");
    engine.send("go infinite");
    engine.send(`position ${BARE_KINGS}`);
    engine.send("go depth 2");
    await engine.answer(new Root("startpos"));
    await engine.answer(new Root(BARE_KINGS));
  }
});

engineTest("position_and_options_during_a_search_apply_to_the_next_go", async (engine) => {
  engine.send("position startpos");
  engine.send("go infinite");
  engine.send(`position ${MATE_IN_1}`);
  const messages = await engine.ready();
  assert.ok(messages.every((message) => message.kind === "info"), messages.map((message) => message.line).join("\n"));
  engine.send("stop");
  await engine.answer(new Root("startpos"));
  engine.send("go depth 3");
  assert.equal((await engine.answer(new Root(MATE_IN_1))).last.mate, 1);
  engine.send("go infinite");
  engine.send("setoption name MultiPV value 3");
  await engine.ready();
  engine.send("stop");
  await engine.answer(new Root(MATE_IN_1));
  assert.equal((await engine.search("startpos", "depth 3")).last.depth, 3);
});

engineTest("random_scripts_give_one_bestmove_for_each_go", async (engine) => {
  const random = generator(24);
  const pick = (list) => list[random(list.length)];
  const positions = ["startpos", KIWIPETE, MATE_IN_1, BARE_KINGS, MATED];
  const limits = ["infinite", "ponder wtime 50 btime 50", "depth 5", "movetime 5", "nodes 500", "depth 3 searchmoves a1a2"];
  let next = "startpos";
  for (let script = 0; script < 300; script += 1) {
    const roots = [];
    for (let count = 0; count < 12; count += 1) {
      const action = random(12);
      if (action < 3) {
        next = pick(positions);
        engine.send(`position ${next}`);
      } else if (action < 7) {
        engine.send(`go ${pick(limits)}`);
        roots.push(new Root(next));
      } else if (action === 7) engine.send("stop");
      else if (action === 8) engine.send("ponderhit");
      else if (action === 9) engine.send(`setoption name Hash value ${1 + random(20)}`);
      else if (action === 10) engine.send("isready");
      else engine.send(pick(["ucinewgame", "setoption name MultiPV value 2", "setoption name MultiPV value 1"]));
      if (random(3) === 0) await sleep(random(3));
    }
    engine.send("stop");
    for (const root of roots) await engine.answer(root);
  }
  await engine.ready();
});

engineTest("multipv_lines_are_distinct_and_sorted", async (engine) => {
  for (const [count, position, expected] of [[1, "startpos", 1], [3, "startpos", 3], [50, "startpos", 20],
    [5, "fen 7k/8/8/8/8/8/6q1/7K w - - 0 1", 1]]) {
    await engine.sendSilent(`setoption name MultiPV value ${count}`);
    const { infos } = await engine.search(position, "depth 6");
    const last = infos.slice(-expected);
    assert.equal(new Set(last.map((info) => info.pv[0])).size, expected);
    assert.equal(Math.max(...infos.map((info) => info.multipv)), expected);
    const scores = last.map((info) => info.cp ?? (info.mate > 0 ? 100_000 - info.mate : -100_000 - info.mate));
    assert.deepEqual(scores, scores.toSorted((a, b) => b - a));
  }
});

engineTest("chess960_castling_is_written_as_king_takes_rook", async (engine) => {
  const castle = "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
  assert.equal((await engine.search(castle, "depth 2 searchmoves e1g1")).best, "e1g1");
  await engine.sendSilent("setoption name UCI_Chess960 value true");
  assert.equal((await engine.search(castle, "depth 2 searchmoves e1h1")).best, "e1h1");
  await engine.search("fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "depth 7");
});

engineTest("wdl_is_printed_only_when_enabled", async (engine) => {
  assert.equal((await engine.search("startpos", "depth 6")).last.wdl, undefined);
  await engine.sendSilent("setoption name UCI_ShowWDL value true");
  assert.equal((await engine.search("startpos", "depth 6")).last.wdl.length, 3);
});

engineTest("limited_strength_searches_fewer_nodes", async (engine) => {
  engine.send("uci");
  const elo = (await engine.until((message) => message.kind === "uciok", "uciok")).find((m) => m.name === "UCI_Elo");
  const nodes = [];
  for (const value of [elo.min, elo.max]) {
    await engine.sendSilent(`setoption name UCI_Elo value ${value}`);
    await engine.sendSilent("setoption name UCI_LimitStrength value true");
    await engine.sendSilent("ucinewgame");
    nodes.push((await engine.search(KIWIPETE, "movetime 20000")).last.nodes);
  }
  assert.ok(nodes[0] < 1000 && nodes[0] < nodes[1], `${nodes}`);
});

engineTest("hash_size_changes_hashfull", async (engine) => {
  const full = [];
  for (const megabytes of [64, 1]) {
    await engine.sendSilent(`setoption name Hash value ${megabytes}`);
    await engine.sendSilent("ucinewgame");
    full.push((await engine.search(KIWIPETE, "nodes 100000")).last.hashfull);
  }
  assert.ok(full[1] > 4 * full[0], `${full}`);
});

engineTest("largest_hash_is_set_or_refused_with_a_message", async (engine) => {
  engine.send("uci");
  const hash = (await engine.until((message) => message.kind === "uciok", "uciok")).find((m) => m.name === "Hash");
  engine.send(`setoption name Hash value ${hash.max}`);
  const messages = await engine.ready();
  assert.ok(messages.length === 0 || messages.every((message) => message.kind === "string"), JSON.stringify(messages));
  await engine.search(KIWIPETE, "depth 5");
});

// A search without commands in between visits the nodes of the native program.
engineTest("searches_within_a_slice_equal_those_of_the_native_program", async (engine) => {
  const program = new Program(nativeProgram());
  for (const position of ["startpos", KIWIPETE, MATE_IN_1]) {
    program.send("ucinewgame", `position ${position}`, "go depth 3");
    const { lines } = await program.until(/^bestmove/);
    const expected = parse(lines.findLast((line) => line.startsWith("info depth 3 ")));
    await engine.sendSilent("ucinewgame");
    const { last } = await engine.search(position, "depth 3");
    assert.deepEqual([last.nodes, last.cp, last.mate, last.pv], [expected.nodes, expected.cp, expected.mate, expected.pv]);
  }
  program.quit();
}, NO_NATIVE_PROGRAM);

engineTest("long_games_are_accepted_whole", async (engine) => {
  const round = ["g1f3", "g8f6", "f3g1", "f6g8"];
  const moves = (plies) => Array.from({ length: plies }, (_, ply) => round[ply % 4]).join(" ");
  for (const plies of [601, 2402]) await engine.search(`startpos moves ${moves(plies)}`, "depth 4");
  assert.ok((await engine.warning(`position startpos moves ${moves(800)} e2e5`)).includes("801"));
});

engineTest("five_megabyte_line_is_survived", async (engine) => {
  engine.send("a".repeat(5 << 20));
  await engine.ready();
  await engine.search("startpos", "depth 3");
});

engineTest("every_isready_is_answered", async (engine) => {
  for (let count = 0; count < 2000; count += 1) engine.send("isready");
  for (let count = 0; count < 2000; count += 1) await engine.until((message) => message.kind === "readyok", "readyok");
});

engineTest("shared_flag_stops_a_search", async (engine) => {
  const stopFlag = new Int32Array(new SharedArrayBuffer(4));
  engine.worker.postMessage({ stopFlag });
  for (let count = 0; count < 10; count += 1) {
    engine.send("position startpos");
    engine.send("go infinite");
    await sleep(30);
    Atomics.store(stopFlag, 0, 1);
    engine.send("stop");
    await engine.answer(new Root("startpos"));
    await engine.ready();
    assert.equal(Atomics.load(stopFlag, 0), 0);
  }
  await engine.search("startpos", "depth 6");
});

engineTest("message_that_is_no_command_is_reported", async (engine) => {
  engine.worker.postMessage(42);
  const messages = await engine.ready();
  assert.deepEqual(messages.map((message) => message.kind), ["string"]);
  await engine.search("startpos", "depth 3");
});

engineTest("bench_signature_equals_the_native_program", async (engine) => {
  const total = (text) => /^(\d+) nodes \d+ nps$/m.exec(text)[1];
  engine.allowText().send("bench");
  const messages = await engine.until((message) => / nodes \d+ nps$/.test(message.text ?? ""), "total of bench", 4 * LIMIT);
  assert.equal(total(messages.at(-1).line), total(native("bench")));
}, NO_NATIVE_PROGRAM);

engineTest("search_of_another_engine_is_suspended_and_stopped", async (engine) => {
  engine.send("uci");
  const messages = await engine.until((message) => message.kind === "uciok", "uciok");
  assert.match(messages[0].line, /^id name Negamax/);
  engine.send("position startpos");
  engine.send("go infinite");
  await engine.until((message) => message.depth === 3, "line of depth 3");
  for (let count = 0; count < 5; count += 1) {
    assert.ok((await engine.ready()).every((message) => message.kind === "info"));
  }
  const sent = performance.now();
  engine.send("stop");
  await engine.answer(new Root("startpos"));
  assert.ok(performance.now() - sent < LIMIT / 10, "bestmove long after stop");
  assert.ok((await engine.search(KIWIPETE, "movetime 100")).best);
  assert.ok((await engine.search("startpos", "nodes 2000")).last.nodes <= 2000);
  engine.send("position startpos");
  engine.send("go ponder movetime 30");
  await engine.noAnswerFor(60);
  engine.send("ponderhit");
  await engine.answer(new Root("startpos"));
}, NO_NEGAMAX, { wasm: NEGAMAX });

test("several_engines_work_in_one_process", { timeout: LIMIT }, async () => {
  const engines = await Promise.all([Engine.start(), Engine.start(), Engine.start()]);
  try {
    const searches = await Promise.all(engines.map((engine) => engine.search(MATE_IN_1, "depth 8")));
    assert.deepEqual(searches.map((search) => search.best), ["a1a8", "a1a8", "a1a8"]);
  } finally {
    await Promise.all(engines.map((engine) => engine.worker.terminate()));
  }
});

/** Runs `node aspirant.js` with this input; returns the lines of stdout and the exit status. */
function runScript(input, { end = true } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
    const timer = setTimeout(() => child.kill(), LIMIT);
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, lines: text.split(/\r?\n/).slice(0, -1) });
    });
    child.stdin.write(input);
    if (end) child.stdin.end();
  });
}

test("script_is_a_uci_program_on_stdin_and_stdout", { timeout: LIMIT }, async () => {
  const { code, lines } = await runScript("uci\r\nisready\nposition startpos\ngo depth 5\nisready\n\n", { end: true });
  assert.equal(code, 0);
  for (const line of lines) parse(line);
  assert.ok(lines.includes("uciok") && lines.includes("readyok"), lines.join("\n"));
  assert.equal(lines.filter((line) => line.startsWith("bestmove ")).length, 1);
});

test("quit_ends_the_script_during_a_search", { timeout: LIMIT }, async () => {
  const { code, lines } = await runScript("go infinite\nquit\n", { end: false });
  assert.equal(code, 0);
  assert.equal(lines.filter((line) => line.startsWith("bestmove ")).length, 1);
});

test("end_of_input_ends_the_script", { timeout: LIMIT }, async () => {
  for (const [input, answers] of [["", 0], ["uci\n", 0], ["go infinite\n", 1], ["go ponder wtime 1000 btime 1000\n", 1], ["isready", 0]]) {
    const { code, lines } = await runScript(input);
    assert.equal(code, 0, input);
    assert.equal(lines.filter((line) => line.startsWith("bestmove ")).length, answers, input);
  }
});

/**
 * Starts the script with a WebAssembly module that traps once: in the call of `line` with this number, of those that start
 * or continue a search.
 */
function startWithTrap(call) {
  const patch = `
    const { Instance } = WebAssembly;
    let calls = 0;
    WebAssembly.Instance = class {
      constructor(module, imports) {
        const { exports } = new Instance(module, imports);
        const line = (address, length) => {
          const text = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, address, length));
          if ((length === 0 || /^go/i.test(text)) && (calls += 1) === ${call}) {
            throw new WebAssembly.RuntimeError("unreachable");
          }
          return exports.line(address, length);
        };
        this.exports = { ...exports, line };
      }
    };`;
  return new Program(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(patch)}`, SCRIPT]);
}

test("trap_during_a_search_is_answered_and_state_is_restored", { timeout: LIMIT }, async () => {
  for (const call of [1, 2, 5]) {
    const program = startWithTrap(call);
    // The rejected value does not replace the accepted one.
    program.send("setoption name MultiPV value 2", "setoption name MultiPV value two", "position startpos moves e2e4", "go movetime 20000");
    const { lines } = await program.until(/^bestmove/);
    assert.ok(lines.some((line) => /^info string internal error: /.test(line)), lines.join("\n"));
    new Root("startpos moves e2e4").walk([lines.at(-1).split(" ")[1]]);
    program.send("isready");
    assert.deepEqual((await program.until(/^readyok/)).lines, ["readyok"]);
    program.send("go depth 4");
    const next = (await program.until(/^bestmove/)).lines;
    assert.ok(next.some((line) => / multipv 2 /.test(line)), "MultiPV was not restored");
    new Root("startpos moves e2e4").walk([next.at(-1).split(" ")[1]]);
    program.quit();
  }
});

test("trap_during_an_infinite_search_is_answered_after_stop", { timeout: LIMIT }, async () => {
  const program = startWithTrap(3);
  program.send("position startpos", "go infinite");
  await program.until(/internal error/);
  program.send("# stop", "isready");
  const before = (await program.until(/^readyok/)).lines;
  assert.ok(before.every((line) => !line.startsWith("bestmove")), before.join("\n"));
  program.send("stop");
  new Root("startpos").walk([(await program.until(/^bestmove/)).lines.at(-1).split(" ")[1]]);
  program.quit();
});

test("trap_during_an_infinite_search_is_answered_at_the_end_of_input", { timeout: LIMIT }, async () => {
  const program = startWithTrap(3);
  program.send("position startpos", "go infinite");
  await program.until(/internal error/);
  program.endInput();
  new Root("startpos").walk([(await program.until(/^bestmove/)).lines.at(-1).split(" ")[1]]);
});

test("lines_deferred_during_a_search_are_handled_after_a_trap", { timeout: LIMIT }, async () => {
  const program = startWithTrap(2);
  program.send("position startpos", "go infinite", "position startpos moves e2e4", "go depth 3", "isready");
  const { lines } = await program.until(/^bestmove/);
  assert.equal(lines.filter((line) => /internal error/.test(line)).length, 1, lines.join("\n"));
  new Root("startpos").walk([lines.at(-1).split(" ")[1]]);
  new Root("startpos moves e2e4").walk([(await program.until(/^bestmove/)).lines.at(-1).split(" ")[1]]);
  program.send("quit");
});

test("position_is_restored_after_a_trap", { timeout: LIMIT }, async () => {
  for (const call of [1, 3]) {
    for (const commands of [
      [],
      ["position startpos moves e2e4"],
      [`position ${KIWIPETE}`, "position kiwipete", "position", "position startpos e2e4", "position startpos moves e2e5"],
    ]) {
      const program = startWithTrap(call);
      program.send(...commands, "d", "go movetime 20000");
      const fen = (await program.until(/^Fen: /)).lines.at(-1);
      const { lines } = await program.until(/^bestmove/);
      program.send("d");
      const restored = (await program.until(/^Fen: /)).lines.at(-1);
      program.quit();
      assert.ok(lines.some((line) => /internal error/.test(line)), lines.join("\n"));
      assert.equal(restored, fen, commands.join("\n"));
      new Root(fen.replace("Fen: ", "fen ")).walk([lines.at(-1).split(" ")[1]]);
    }
  }
});

test("trap_after_perft_returns_no_bestmove", { timeout: LIMIT }, async () => {
  for (const command of ["go perft 2", "go PERFT 2"]) {
    const program = startWithTrap(1);
    program.send(command);
    await program.until(/internal error/);
    program.send("isready");
    const { lines } = await program.until(/^readyok/);
    program.quit();
    assert.deepEqual(lines, ["readyok"], command);
  }
});

test("wasm_imports_only_the_functions_of_the_host", () => {
  const module = new WebAssembly.Module(readFileSync(`${PACKAGE}/aspirant.wasm`));
  const imports = WebAssembly.Module.imports(module);
  assert.ok(imports.length <= 8, JSON.stringify(imports));
  assert.ok(imports.every(({ module: name, kind }) => !name.includes("wbindgen") && kind === "function"), JSON.stringify(imports));
});

test("files_contain_no_paths_of_the_build_machine", () => {
  for (const file of ["aspirant.wasm", "aspirant.js"]) {
    const text = readFileSync(`${PACKAGE}/${file}`, "latin1");
    assert.doesNotMatch(text, /\/(root|home|Users)\/[\w.]+/, file);
  }
});
