"""Random commands at random moments, for hours: go, stop, options, new games, positions; checks answers and resource use.

    python3 scripts/chaos.py ENGINE SECONDS [SEED]

Each go must be answered once, in order, with a move that is legal in its own position; each isready with readyok.
Memory and open files are sampled every two minutes, always in the same state: one thread, 16 MB, one PV, after
ucinewgame. Memory may grow by 15 MB; after five minutes (or half of SECONDS, if less) the number of files must stay equal.
SIGTERM ends the run early and prints the totals. The environment variable MEMORY_MB replaces the limit of 15 MB. Needs
python-chess.
"""

import os
import queue
import random
import signal
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

EQUAL_STATE = ["Threads value 1", "MultiPV value 1", "Hash value 16"]
SAMPLE_EVERY = 120.0
SETTLED_AFTER = 300.0


def memory(pid):
    """Returns resident and anonymous memory in kB."""
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["VmRSS"].split()[0]), int(fields["RssAnon"].split()[0])


def main():
    if len(sys.argv) < 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    engine, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    max_growth = float(os.environ.get("MEMORY_MB", "15"))
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    rng = random.Random(seed)
    try:
        child = subprocess.Popen([engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit(f"{engine}: cannot be run: {error.strerror}")
    lines = queue.Queue()
    errors = []
    # A pipe that is not read would block the engine.
    error_reader = threading.Thread(target=lambda: errors.extend(child.stderr), daemon=True)
    error_reader.start()

    def read_lines():
        for line in child.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read_lines, daemon=True).start()

    def send(text):
        child.stdin.write(text + "\n")
        child.stdin.flush()

    roots, answers, readies, worst_ready, sent = [], 0, 0, 0.0, 0

    def next_line():
        try:
            return lines.get(timeout=200)
        except queue.Empty:
            raise AssertionError(f"no output for 200 s; stderr: {''.join(errors)}") from None

    def check(line):
        nonlocal answers
        if line is None:
            error_reader.join(5)
            raise AssertionError(f"the engine has ended; stderr: {''.join(errors)}")
        assert line.endswith("\n"), "incomplete line"
        words = line.split()
        if words and words[0] == "bestmove":
            assert answers < len(roots), "a bestmove without a go"
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
        while check(next_line()) != ["readyok"]:
            pass
        readies += 1
        worst_ready = max(worst_ready, time.monotonic() - start)

    samples, total = [], 0

    def sample():
        send("".join(f"setoption name {text}\n" for text in EQUAL_STATE) + "ucinewgame")
        ready()
        resident, anonymous = memory(child.pid)
        samples.append((time.monotonic() - begin, resident, len(os.listdir(f"/proc/{child.pid}/fd"))))
        print(f"{samples[-1][0]:.0f} s: {total} answers, {sent} commands, RSS {resident} kB ({anonymous} kB anonymous), "
              f"{samples[-1][2]} files", flush=True)

    board = chess.Board()
    begin = time.monotonic()
    settled, next_sample = min(SETTLED_AFTER, seconds / 2), 0.0
    while time.monotonic() - begin < seconds and not ended.is_set():
        if time.monotonic() - begin >= next_sample:
            sample()
            next_sample += min(SAMPLE_EVERY, seconds / 4)
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
                send(rng.choice(["setoption name Hash value %d" % rng.choice([1, 2, 4, 16, 64]),
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
            check(next_line())
        roots.clear()
        total, answers = total + answers, 0
    sample()
    send("quit")
    code = child.wait(timeout=200)
    error_reader.join(5)
    stderr = "".join(errors)
    compared = [entry for entry in samples if entry[0] >= settled] or samples[-1:]
    base = compared[0]
    start, high = samples[0][1], max(entry[1] for entry in samples)
    print(f"seed {seed}: {time.monotonic() - begin:.0f} s, {sent} commands, {total} answers, "
          f"all legal; {readies} readyok, slowest {worst_ready * 1000:.0f} ms; RSS {start} kB at the start, at most {high}, "
          f"{samples[-1][1]} at the end; files {base[2]}, then {samples[-1][2]}; exit {code}; "
          f"stderr {len(stderr)} bytes")
    assert code == 0 and not stderr, stderr
    assert all(entry[2] == base[2] for entry in compared), "number of open files changed"
    assert high - start <= max_growth * 1024, f"memory grew by more than {max_growth:g} MB"


if __name__ == "__main__":
    main()
