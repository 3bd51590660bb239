"""Anything at any moment, for hours: go, stop, options, new games, positions at random, and what becomes of the process.

    python3 tests/campaigns/chaos.py ENGINE SECONDS [SEED]

Every go is answered once, in order, with a move that is legal in its own position; every isready gets its readyok;
memory and open files at the end are those after the first minute. Needs python-chess. Prints one line of totals.
"""

import os
import queue
import random
import subprocess
import sys
import threading
import time

import chess

FENS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
    "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
    "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
]
GOES = ["infinite", "depth 6", "nodes 3000", "movetime 5", "wtime 100 btime 100 winc 1 binc 1", "ponder wtime 50 btime 50",
        "wtime -5 btime 10", "movetime 0", "mate 2 nodes 5000", "infinite depth 2", "depth 3 searchmoves a1a1"]


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main():
    engine, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    child = subprocess.Popen([engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = queue.Queue()
    threading.Thread(target=lambda: [lines.put(line) for line in child.stdout] and None or lines.put(None), daemon=True).start()

    def send(text):
        child.stdin.write(text + "\n")
        child.stdin.flush()

    roots, answers, readies, worst_ready, sent = [], 0, 0, 0.0, 0

    def take(line):
        nonlocal answers
        assert line is not None, "the engine has ended"
        assert line.endswith("\n"), "half a line"
        words = line.split()
        if words and words[0] == "bestmove":
            assert answers < len(roots), "a bestmove that nobody asked for"
            board = roots[answers]
            answers += 1
            if words[1] == "(none)":
                assert not any(board.legal_moves), board.fen()
            else:
                assert chess.Move.from_uci(words[1]) in board.legal_moves, (board.fen(), line)
        return words

    def ready():
        nonlocal readies, worst_ready
        send("isready")
        start = time.monotonic()
        while take(lines.get(timeout=200)) != ["readyok"]:
            pass
        readies += 1
        worst_ready = max(worst_ready, time.monotonic() - start)

    board = chess.Board()
    start = time.monotonic()
    first = None
    next_look = 60.0 if seconds > 120 else seconds / 3
    while time.monotonic() - start < seconds:
        for _ in range(20):
            kind = rng.randrange(10)
            sent += 1
            if kind < 2:
                board = chess.Board(rng.choice(FENS))
                moves = []
                for _ in range(rng.randrange(40)):
                    legal = list(board.legal_moves)
                    if not legal:
                        break
                    moves.append(rng.choice(legal))
                    board.push(moves[-1])
                root = board.root().fen()
                send(f"position fen {root}" + (" moves " + " ".join(m.uci() for m in moves) if moves else ""))
            elif kind < 5:
                send("go " + rng.choice(GOES))
                roots.append(board.copy(stack=False))
            elif kind == 5:
                send("stop")
            elif kind == 6:
                send(rng.choice(["ponderhit", "stop", "debug off", "go_nowhere"]))
            elif kind == 7:
                send(rng.choice(["setoption name Hash value %d" % rng.choice([1, 2, 4, 16]),
                                 "setoption name Threads value %d" % rng.randrange(1, 5),
                                 "setoption name MultiPV value %d" % rng.choice([1, 1, 3, 250]),
                                 "setoption name SyzygyPath value /nonexistent", "setoption name Clear Hash"]))
            elif kind == 8:
                send("ucinewgame")
            else:
                ready()
            time.sleep(rng.random() * 0.003)
        send("stop")
        ready()
        while answers < len(roots):
            take(lines.get(timeout=200))
        roots.clear()
        answers_here, answers = answers, 0
        main.total = getattr(main, "total", 0) + answers_here
        if time.monotonic() - start > next_look:
            send("setoption name Threads value 1\nsetoption name MultiPV value 1\nsetoption name Hash value 16\nucinewgame")
            ready()
            look = (resident(child.pid), len(os.listdir(f"/proc/{child.pid}/fd")))
            first = first or look
            print(f"{time.monotonic() - start:.0f} s: {main.total} answers, {sent} commands, RSS {look[0]} kB, {look[1]} files", flush=True)
            next_look += 300 if seconds > 600 else seconds / 3
    send("setoption name Threads value 1\nsetoption name MultiPV value 1\nsetoption name Hash value 16\nucinewgame")
    ready()
    last = (resident(child.pid), len(os.listdir(f"/proc/{child.pid}/fd")))
    first = first or last
    send("quit")
    code = child.wait(timeout=200)
    stderr = child.stderr.read()
    print(f"seed {seed}: {seconds:.0f} s, {sent} commands, {main.total} answers, all legal; {readies} readyok, slowest "
          f"{worst_ready * 1000:.0f} ms; RSS {first[0]} -> {last[0]} kB, files {first[1]} -> {last[1]}; exit {code}; "
          f"stderr {len(stderr)} bytes")
    assert code == 0 and not stderr and first[1] == last[1], stderr


if __name__ == "__main__":
    main()
