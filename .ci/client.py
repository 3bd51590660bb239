"""Drives the release binary with python-chess, and compares its perft with Stockfish's.

usage: client.py ENGINE
"""
import pathlib, random, shutil, subprocess, sys
import chess, chess.engine

ENGINE = sys.argv[1]
DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data"
STOCKFISH = shutil.which("stockfish") or "/usr/games/stockfish"


def open_engine(**options):
    engine = chess.engine.SimpleEngine.popen_uci(ENGINE)
    engine.configure(options)
    return engine


def analysis():
    with open_engine(Hash=32) as engine:
        board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
        info = engine.analyse(board, chess.engine.Limit(depth=8))
        assert info["score"].white() == chess.engine.Mate(1), info
        assert board.variation_san(info["pv"]) == "4. Qxf7#", info
        with engine.analysis(chess.Board(), chess.engine.Limit(nodes=200_000)) as analysis:
            lines = [info for info in analysis if "pv" in info]
        assert lines and all(chess.Board().variation_san(info["pv"]) for info in lines)
        assert lines[-1]["depth"] >= 8, lines[-1]


def multi_pv():
    with open_engine() as engine:
        infos = engine.analyse(chess.Board(), chess.engine.Limit(depth=9), multipv=4)
        assert len(infos) == 4 and len({info["pv"][0] for info in infos}) == 4
        scores = [info["score"].white().score(mate_score=100_000) for info in infos]
        assert scores == sorted(scores, reverse=True), scores


def options():
    with open_engine() as engine:
        for name in ("Hash", "Clear Hash", "Threads", "Ponder", "MultiPV", "Move Overhead", "UCI_Chess960", "UCI_ShowWDL"):
            assert name in engine.options, name
        engine.configure({"Threads": 2, "Hash": 8, "Move Overhead": 50, "UCI_ShowWDL": True})
        info = engine.analyse(chess.Board(), chess.engine.Limit(depth=10))
        assert sum(info["wdl"].relative) == 1000, info


def play(board, limit, ponder=False):
    with open_engine() as white, open_engine() as black:
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            engine = white if board.turn else black
            result = engine.play(board, limit, ponder=ponder, game="one")
            assert result.move in board.legal_moves, (board.fen(), result)
            board.push(result.move)
    return board


def games():
    board = play(chess.Board(), chess.engine.Limit(time=0.02), ponder=True)
    print("  standard game with ponder:", board.result(claim_draw=True), "after", board.ply(), "plies")
    clock = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
    for number in (0, 518, 777):
        board = play(chess.Board.from_chess960_pos(number), clock)
        print(f"  Chess960 game from position {number}:", board.result(claim_draw=True), "after", board.ply(), "plies")


def positions(count):
    """Standard positions of the shared suites where they are, and of random games."""
    found = []
    suite = DATA / "perft" / "perftsuite.epd"
    if suite.exists():
        found = [line.split(";")[0].strip() for line in suite.read_text().splitlines() if line.strip()][: count // 2]
    else:
        print("  no shared perft suite: random positions only")
    rng = random.Random(20)
    while len(found) < count:
        board = chess.Board()
        for _ in range(rng.randrange(4, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if not board.is_game_over():
            found.append(board.fen())
    return found


def divide(program, fen, depth):
    script = f"position fen {fen}\ngo perft {depth}\nquit\n"
    out = subprocess.run([program], input=script, capture_output=True, text=True, timeout=120).stdout
    lines = [line.strip() for line in out.splitlines()]
    counts = sorted(line for line in lines if len(line.split(": ")) == 2 and line[0] in "abcdefgh" and line[1].isdigit())
    total = [line for line in lines if line.startswith("Nodes searched")]
    return counts, total


def perft():
    todo = positions(100)
    for fen in todo:
        ours, theirs = divide(ENGINE, fen, 3), divide(STOCKFISH, fen, 3)
        assert ours == theirs and ours[1], (fen, ours, theirs)
    print(f"  perft 3 divided agrees with Stockfish on {len(todo)} positions")


passed = 0
for check in (analysis, multi_pv, options, games, perft):
    print(check.__name__, flush=True)
    check()
    passed += 1
print(f"{passed} passed, 0 failed")
