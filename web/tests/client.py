"""Plays and analyzes with `node aspirant.js` through python-chess, which warns about every line that it cannot parse.

usage: client.py ASPIRANT_JS
"""

import logging
import sys

import chess
import chess.engine

SCRIPT = sys.argv[1]
WARNINGS = []


class WarningCollector(logging.Handler):
    def emit(self, record):
        WARNINGS.append(record.getMessage())


def start():
    return chess.engine.SimpleEngine.popen_uci(["node", SCRIPT], timeout=60)


def analysis():
    with start() as engine:
        assert engine.id["name"].startswith("Aspirant "), engine.id
        engine.configure({"Hash": 32, "UCI_ShowWDL": True})
        infos = engine.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=3)
        assert [info["multipv"] for info in infos] == [1, 2, 3] and all("wdl" in info for info in infos), infos
        with engine.analysis(chess.Board()) as infinite:
            for info in infinite:
                if info.get("depth", 0) >= 8:
                    break
        assert infinite.wait().move


def game(board, ponder):
    """Plays a game of the engine against itself to its end."""
    chess960 = board.chess960
    with start() as white, start() as black:
        clocks = [2.0, 2.0]
        game_id = object()
        while not board.is_game_over(claim_draw=True):
            limit = chess.engine.Limit(white_clock=clocks[0], black_clock=clocks[1], white_inc=0.02, black_inc=0.02)
            player = white if board.turn == chess.WHITE else black
            result = player.play(board, limit, game=game_id, ponder=ponder, info=chess.engine.INFO_ALL)
            clocks[board.turn == chess.BLACK] += 0.02 - result.info.get("time", 0)
            board.push(result.move)
        print(f"   {'Chess960' if chess960 else 'standard'} game, ponder {ponder}: {board.ply()} plies, "
              f"{board.result(claim_draw=True)}", flush=True)


def main():
    logging.getLogger("chess.engine").addHandler(WarningCollector(logging.WARNING))
    analysis()
    game(chess.Board(), ponder=False)
    game(chess.Board.from_chess960_pos(342), ponder=True)
    assert not WARNINGS, WARNINGS[:5]


if __name__ == "__main__":
    main()
