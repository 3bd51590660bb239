"""Mate positions: each reported mate must have a PV of that length that ends in mate, and never be shorter than known.

    python3 scripts/mates.py ENGINE MATES.epd NODES THREADS [FIRST COUNT]

MATES.epd has lines with bm #N, for example tests/data/suites/mates.epd; FIRST counts from 0.
Needs python-chess. Checks each exact mate score among the info lines; prints faults and one line of totals.
"""

import sys

import chess
import uci


def main():
    if len(sys.argv) not in (5, 7) or "--help" in sys.argv:
        sys.exit(__doc__)
    engine, file, nodes, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    first, count = (int(sys.argv[5]), int(sys.argv[6])) if len(sys.argv) == 7 else (0, 1 << 30)
    if first < 0 or count < 1:
        sys.exit(f"mates.py: FIRST is {first} and COUNT is {count}, expected FIRST from 0 and COUNT from 1")
    try:
        with open(file) as epd:
            rows = epd.read().splitlines()[first:]
    except OSError as error:
        sys.exit(f"{file}: cannot be read: {error.strerror}")
    if not rows:
        sys.exit(f"{file}: expected at least one position from line {first + 1} on, found none")
    engine = uci.Engine(engine)
    engine.set_option("Threads", threads)
    positions = claimed = best_found = lines = faults = 0
    for number, row in enumerate(rows[:count], first + 1):
        fields, _, operation = row.partition(" bm ")
        try:
            known = int(operation.strip(" ;").removeprefix("#"))
        except ValueError:
            sys.exit(f"{file}, line {number}: expected a position with bm #N, found {row!r}")
        board = chess.Board(" ".join(fields.split()[:4]) + " 0 1")
        positions += 1
        *output, answer = engine.send(f"ucinewgame\nposition fen {board.fen()}\ngo nodes {nodes}", "bestmove")
        last, first_move = None, None
        for line in output:
            words = line.split()
            if words[0] != "info" or "score" not in words or "pv" not in words:
                continue
            pv = words[words.index("pv") + 1:]
            bounded = "lowerbound" in words or "upperbound" in words
            here, fault = board.copy(), None
            for text in pv:
                move = chess.Move.from_uci(text)
                if move not in here.legal_moves:
                    fault = f"illegal {text}"
                    break
                here.push(move)
            last = None
            if words[words.index("score") + 1] == "mate" and not bounded and not fault:
                last = int(words[words.index("score") + 2])
                lines += 1
                plies = 2 * last - 1 if last > 0 else -2 * last
                if len(pv) != plies or not here.is_checkmate():
                    fault = f"mate {last} with a PV of {len(pv)} plies"
                elif (last > 0) != (known > 0) or abs(last) < abs(known):
                    fault = f"mate {last}, but the best mate is {known}"
            if fault:
                faults += 1
                print(f"FAULT {fault}: {board.fen()} {line.strip()}", flush=True)
            first_move = pv[0]
        if last is not None:
            claimed += 1
            best_found += last == known
        best = answer.split()[1]
        if best != first_move:
            faults += 1
            print(f"FAULT bestmove {best}, last line {first_move}: {board.fen()}", flush=True)
    engine.quit()
    print(f"{positions} positions, {nodes} nodes, {threads} threads: {claimed} mates reported, {best_found} of them shortest, "
          f"{lines} mate PVs checked, {faults} faults")
    sys.exit(1 if faults else None)


if __name__ == "__main__":
    main()
