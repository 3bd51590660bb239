"""Tests the engine with python-chess (analysis, games, options) and compares perft with Stockfish.

usage: client.py ENGINE STOCKFISH
"""

import logging
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import chess
import chess.engine

ENGINE, STOCKFISH = sys.argv[1:3]
DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data"
RANDOM = random.Random(1)


class WarningCollector(logging.Handler):
    """Collects warnings of python-chess, such as engine output that it cannot parse."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


WARNINGS = WarningCollector()
logging.getLogger("chess.engine").addHandler(WARNINGS)


def step(text):
    print(f"-- {text}", flush=True)


# Empty working directory, because the engine reads engine.toml from there.
DIRECTORY = tempfile.TemporaryDirectory()


def start():
    return chess.engine.SimpleEngine.popen_uci(ENGINE, timeout=60, cwd=DIRECTORY.name)


def check_pv(board, info):
    board = board.copy()
    assert info.get("pv"), info
    for move in info["pv"]:
        assert board.is_legal(move), f"{move} in {board.fen()}: {info}"
        board.push(move)
    for key in ("depth", "seldepth", "score", "nodes", "nps", "hashfull", "tbhits", "time"):
        assert key in info, f"{key} is missing: {info}"


def analysis():
    with start() as engine:
        assert engine.id["name"].startswith("Aspirant "), engine.id
        board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
        info = engine.analyse(board, chess.engine.Limit(depth=8))
        check_pv(board, info)
        assert info["score"].white() == chess.engine.Mate(1) and info["pv"] == [chess.Move.from_uci("f3f7")], info
        for limit in (
            chess.engine.Limit(time=0.2),
            chess.engine.Limit(nodes=20000),
            chess.engine.Limit(depth=9),
            chess.engine.Limit(mate=2, depth=6),
            chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.1, black_inc=0.1, remaining_moves=5),
        ):
            check_pv(chess.Board(), engine.analyse(chess.Board(), limit))
        # An infinite analysis, stopped at depth 10.
        with engine.analysis(chess.Board()) as infinite:
            for info in infinite:
                if info.get("depth", 0) >= 10:
                    break
        check_pv(chess.Board(), infinite.info)
        assert infinite.wait().move
        restricted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
        info = engine.analyse(chess.Board(), chess.engine.Limit(depth=5), root_moves=restricted)
        assert info["pv"][0] in restricted, info


def multipv():
    with start() as engine:
        for fen, legal_moves in ((chess.STARTING_FEN, 20), ("7k/8/8/8/8/8/6q1/7K w - - 0 1", 1)):
            board = chess.Board(fen)
            for count in (1, 3, 50):
                infos = engine.analyse(board, chess.engine.Limit(depth=7), multipv=count)
                assert len(infos) == min(count, legal_moves), (count, infos)
                assert len({info["pv"][0] for info in infos}) == len(infos)
                scores = [info["score"].relative for info in infos]
                assert scores == sorted(scores, reverse=True), scores
                for info in infos:
                    check_pv(board, info)


def options():
    with start() as engine:
        # Options set by lichess-bot at startup (except tablebases), and options expected by GUIs.
        for name in ("Move Overhead", "Threads", "Hash", "UCI_ShowWDL", "Ponder", "MultiPV", "UCI_Chess960", "Clear Hash"):
            assert name in engine.options, f"{name} is missing"
        engine.configure({"Hash": 32, "Threads": 2, "Move Overhead": 100, "UCI_ShowWDL": True, "Clear Hash": None})
        info = engine.analyse(chess.Board(), chess.engine.Limit(depth=8))
        wdl = info["wdl"].relative
        assert wdl.wins + wdl.draws + wdl.losses == 1000, info
        for name, option in engine.options.items():
            if option.type == "spin":
                assert option.min <= option.default <= option.max, option
                if not option.is_managed():
                    engine.configure({name: option.min})
                    engine.configure({name: option.default})
        check_pv(chess.Board(), engine.analyse(chess.Board(), chess.engine.Limit(depth=6)))


def strength():
    """Minimum UCI_Elo searches few nodes and loses by checkmate against maximum UCI_Elo."""
    with start() as weak, start() as strong:
        elo = weak.options["UCI_Elo"]
        weak.configure({"UCI_LimitStrength": True, "UCI_Elo": elo.min, "Skill Seed": 1})
        strong.configure({"UCI_LimitStrength": True, "UCI_Elo": elo.max, "Skill Seed": 1})
        limit = chess.engine.Limit(time=60)
        nodes = [engine.analyse(chess.Board(), limit)["nodes"] for engine in (weak, strong)]
        assert nodes[0] < 1000 < nodes[1] < 1000000, nodes
        infos = strong.analyse(chess.Board(), limit, multipv=3)
        assert len(infos) == 3, infos
        board = chess.Board()
        while not board.is_game_over(claim_draw=True):
            player = strong if board.turn == chess.WHITE else weak
            board.push(player.play(board, limit).move)
        print(f"   {nodes} nodes, {board.ply()} plies, {board.result(claim_draw=True)}", flush=True)
        assert board.result() == "1-0", board.fen()


def game(start_board, ponder):
    """Plays a game of the engine against itself and measures the clocks."""
    board = start_board
    clock, increment = {chess.WHITE: 3.0, chess.BLACK: 3.0}, 0.05
    with start() as white, start() as black:
        players = {chess.WHITE: white, chess.BLACK: black}
        new_game = object()
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            side = board.turn
            limit = chess.engine.Limit(
                white_clock=clock[chess.WHITE], black_clock=clock[chess.BLACK], white_inc=increment, black_inc=increment
            )
            begin = time.monotonic()
            played = players[side].play(
                board, limit, game=new_game, info=chess.engine.INFO_ALL, ponder=ponder
            )
            clock[side] += increment - (time.monotonic() - begin)
            assert played.move and board.is_legal(played.move), f"{played} in {board.fen()}"
            # Tolerance for a loaded machine.
            assert clock[side] > -10.0, f"time forfeit in {board.fen()}"
            # python-chess drops info lines before ponderhit, and the best move may follow immediately after it.
            if "pv" in played.info or not ponder:
                check_pv(board, played.info)
            if played.ponder:
                after = board.copy()
                after.push(played.move)
                assert after.is_legal(played.ponder), f"ponder {played.ponder} in {after.fen()}"
            board.push(played.move)
    print(f"   {board.ply()} plies, {board.result(claim_draw=True)}, clocks {clock}", flush=True)


def perft_lines(program, chess960, fen, depth):
    commands = [f"setoption name UCI_Chess960 value {str(chess960).lower()}", f"position fen {fen}", f"go perft {depth}"]
    process = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=DIRECTORY.name
    )
    process.stdin.write("\n".join(commands) + "\n")
    process.stdin.flush()
    counts = {}
    for line in process.stdout:
        name, _, count = line.strip().partition(": ")
        if count.isdigit():
            counts[name] = int(count)
        if name == "Nodes searched":
            break
    process.communicate("quit\n", timeout=60)
    assert process.returncode == 0, (program, process.returncode)
    return counts


def random_positions(number, chess960):
    for _ in range(number):
        board = chess.Board.from_chess960_pos(RANDOM.randrange(960)) if chess960 else chess.Board()
        for _ in range(RANDOM.randrange(6, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(RANDOM.choice(moves))
        yield board.shredder_fen() if chess960 else board.fen()


def positions():
    files = {False: DATA / "perft" / "perftsuite.epd", True: DATA / "books" / "chess960_3moves.epd"}
    for chess960, file in files.items():
        suite = [line.split(";")[0].strip() for line in file.read_text().splitlines() if "/" in line]
        # Stockfish may reject positions that cannot occur in a game, such as two checkers in line.
        suite = [fen for fen in suite if chess.Board(fen, chess960=chess960).is_valid()]
        suite = RANDOM.sample(suite, min(20, len(suite)))
        yield from ((chess960, fen) for fen in suite)
        yield from ((chess960, fen) for fen in random_positions(50 - len(suite), chess960))


def perft():
    total = nodes = 0
    for chess960, fen in positions():
        ours, theirs = (perft_lines(program, chess960, fen, 4) for program in (ENGINE, STOCKFISH))
        assert ours == theirs, f"{fen}\n ours:   {ours}\n theirs: {theirs}"
        total += 1
        nodes += ours["Nodes searched"]
    print(f"   {total} positions, {nodes} nodes", flush=True)
    assert total == 100


def main():
    steps = [
        ("analysis", analysis),
        ("MultiPV", multipv),
        ("options", options),
        ("limited strength", strength),
        ("game with pondering", lambda: game(chess.Board(), ponder=True)),
        ("Chess960 game", lambda: game(chess.Board.from_chess960_pos(RANDOM.randrange(960)), ponder=False)),
        ("perft compared with Stockfish", perft),
    ]
    for name, run in steps:
        step(name)
        run()
        assert not WARNINGS.messages, WARNINGS.messages
    step("done")


if __name__ == "__main__":
    main()
