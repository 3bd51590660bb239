"""Tests a UCI program with python-chess, which warns about every line that it cannot parse: analysis, options, games.

usage: client.py COMMAND…
"""

import logging
import random
import sys
import tempfile

import chess
import chess.engine

RANDOM = random.Random(1)
# Empty working directory, because the engine reads engine.toml from there.
DIRECTORY = tempfile.TemporaryDirectory()
WARNINGS = []


class WarningCollector(logging.Handler):
    def emit(self, record):
        WARNINGS.append(record.getMessage())


def start():
    return chess.engine.SimpleEngine.popen_uci(sys.argv[1:], timeout=60, cwd=DIRECTORY.name)


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
        for fen, legal_moves in ((chess.STARTING_FEN, 20), ("7k/8/8/8/8/8/6q1/7K w - - 0 1", 1)):
            board = chess.Board(fen)
            for count in (1, 3, 50):
                infos = engine.analyse(board, chess.engine.Limit(depth=7), multipv=count)
                assert [info["multipv"] for info in infos] == list(range(1, min(count, legal_moves) + 1)), infos
                for info in infos:
                    check_pv(board, info)


def options():
    with start() as engine:
        # Options set by lichess-bot at startup (except tablebases), and options expected by GUIs.
        for name in ("Move Overhead", "Threads", "Hash", "UCI_ShowWDL", "Ponder", "MultiPV", "UCI_Chess960", "Clear Hash"):
            assert name in engine.options, f"{name} is missing"
        engine.configure({"Hash": 32, "Move Overhead": 100, "UCI_ShowWDL": True, "Clear Hash": None})
        info = engine.analyse(chess.Board(), chess.engine.Limit(depth=8))
        assert sum(info["wdl"].relative) == 1000, info
        for name, option in engine.options.items():
            if option.type == "spin":
                assert option.min <= option.default <= option.max, option
                if not option.is_managed():
                    engine.configure({name: option.min})
                    engine.configure({name: option.default})
        check_pv(chess.Board(), engine.analyse(chess.Board(), chess.engine.Limit(depth=6)))


def game(board, ponder):
    """Plays a game of the engine against itself; its clocks run by the time that the engine reports."""
    clocks, increment, new_game = {chess.WHITE: 1.0, chess.BLACK: 1.0}, 0.02, object()
    with start() as white, start() as black:
        players = {chess.WHITE: white, chess.BLACK: black}
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            side = board.turn
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=increment, black_inc=increment
            )
            played = players[side].play(board, limit, game=new_game, info=chess.engine.INFO_ALL, ponder=ponder)
            clocks[side] = max(0.0, clocks[side] - played.info.get("time", 0)) + increment
            assert played.move and board.is_legal(played.move), f"{played} in {board.fen()}"
            # python-chess drops info lines before ponderhit, and the best move may follow immediately after it.
            if "pv" in played.info or not ponder:
                check_pv(board, played.info)
            board.push(played.move)
            assert not played.ponder or board.is_legal(played.ponder), f"ponder {played.ponder} in {board.fen()}"
    print(f"   {board.ply()} plies, {board.result(claim_draw=True)}", flush=True)


def main():
    logging.getLogger("chess.engine").addHandler(WarningCollector(logging.WARNING))
    steps = [
        ("analysis", analysis),
        ("options", options),
        ("game with pondering", lambda: game(chess.Board(), ponder=True)),
        ("Chess960 game", lambda: game(chess.Board.from_chess960_pos(RANDOM.randrange(960)), ponder=False)),
    ]
    for name, run in steps:
        print(f"-- {name}", flush=True)
        run()
        assert not WARNINGS, WARNINGS


if __name__ == "__main__":
    main()
