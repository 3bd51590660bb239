"""Measures the latency of `stop` and `isready`, and by how much `movetime` is exceeded. Needs an idle machine.

    python3 scripts/latency.py ENGINE STOPS [THREADS…]

The stops are distributed over the given numbers of threads and several positions, two of them with many queens; 20,000
take five minutes. The default is 1 to 4 threads, but no more than there are processors, since threads that wait for one
delay the answers by tens of milliseconds. Each search receives `isready` after up to 20 ms and is then stopped; every
tenth is followed by one with `movetime 20`. Prints percentiles in milliseconds, including the delays of pipes and of this
script; a negative one is time that was left. Fails if stop takes 2 ms or more at p50 or 20 ms at p99.9, isready 20 ms at
p99.9, or if movetime is exceeded by 20 ms or more at p99.9.
"""

import os
import random
import sys
import time

import uci

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
]


def percentiles(name, times):
    times.sort()
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1000
    print(f"{name}: {len(times)}, p50 {at(0.5):.2f} ms, p99 {at(0.99):.2f} ms, p99.9 {at(0.999):.2f} ms, "
          f"slowest {times[-1] * 1000:.2f} ms", flush=True)
    return at(0.5), at(0.999)


def main():
    if len(sys.argv) < 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    engine, stops = sys.argv[1], int(sys.argv[2])
    counts = [int(text) for text in sys.argv[3:]] or list(range(1, min(4, os.cpu_count() or 1) + 1))
    if stops < len(counts):
        sys.exit(f"latency.py: STOPS is {stops}, expected at least {len(counts)}, one for each number of threads")
    rng = random.Random(1)
    engine = uci.Engine(engine)

    def seconds(command, word):
        start = time.perf_counter()
        engine.send(command, word)
        return time.perf_counter() - start

    all_stops, all_readies, all_overruns = [], [], []
    for threads in counts:
        engine.set_option("Threads", threads)
        stopped, ready = [], []
        for number in range(stops // len(counts)):
            engine.write(f"position fen {rng.choice(FENS)}\ngo infinite")
            time.sleep(rng.random() * 0.02)
            ready.append(seconds("isready", "readyok"))
            stopped.append(seconds("stop", "bestmove"))
            if number % 10 == 0:
                all_overruns.append(seconds("go movetime 20", "bestmove") - 0.02)
        all_stops += stopped
        all_readies += ready
        percentiles(f"{threads} threads, stop to bestmove", stopped)
        percentiles(f"{threads} threads, isready to readyok", ready)
    stop = percentiles("all, stop to bestmove", all_stops)
    ready = percentiles("all, isready to readyok", all_readies)
    overrun = percentiles("all, beyond movetime", all_overruns)
    engine.quit()
    checks = ("stop p50", stop[0], 2), ("stop p99.9", stop[1], 20), ("isready p99.9", ready[1], 20), ("movetime p99.9", overrun[1], 20)
    sys.exit("; ".join(f"{name} is {value:.2f} ms, expected less than {limit} ms" for name, value, limit in checks if value >= limit) or None)


if __name__ == "__main__":
    main()
