"""Creates a workload on an OpenBench server through its web interface, or prints the state of the only workload.

usage: workload.py create SERVER COMMIT BENCH BOOK GAMES [PARAMETERS]
       workload.py state DATABASE

PARAMETERS is a file of SPSA parameters in OpenBench's format. With it the workload is an SPSA run, otherwise a match of
COMMIT against itself. Uses the user "tester" with the password "tester", whom run.sh creates.
"""

import re
import sqlite3
import sys

SETTINGS = {
    "info": "loopback", "upload_pgns": "COMPACT", "priority": "0", "throughput": "1000",
    "syzygy_wdl": "DISABLED", "syzygy_adj": "DISABLED", "win_adj": "movecount=3 score=400",
    "draw_adj": "movenumber=40 movecount=8 score=10", "scale_method": "BASE", "scale_nps": "1000000",
}


def engine(side, commit, bench):
    return {
        f"{side}_engine": "Aspirant", f"{side}_repo": "https://github.com/OWNER/aspirant", f"{side}_branch": commit,
        f"{side}_bench": bench, f"{side}_network": "", f"{side}_options": "Threads=1 Hash=16",
        f"{side}_time_control": "2.0+0.02",
    }


def create(server, commit, bench, book, games, parameters=None):
    import requests

    games = int(games)
    data = SETTINGS | {"book_name": book} | engine("dev", commit, bench)
    if parameters:
        kind = "tune"
        data |= {
            "spsa_inputs": open(parameters).read().strip(), "spsa_reporting_type": "BATCHED", "spsa_pairs_per": "2",
            "spsa_distribution_type": "MULTIPLE", "spsa_iterations": str(max(1, games // 4)), "spsa_alpha": "0.602",
            "spsa_gamma": "0.101", "spsa_A_ratio": "0.1",
        }
    else:
        kind = "test"
        data |= engine("base", commit, bench) | {
            "test_mode": "GAMES", "test_bounds": "N/A", "test_confidence": "N/A", "test_max_games": str(games),
            "workload_size": str(max(1, games // 4)),
        }
    session = requests.Session()

    def post(path, fields):
        session.get(server + path)
        answer = session.post(server + path, data=fields | {"csrfmiddlewaretoken": session.cookies["csrftoken"]})
        errors = re.findall(r'class="[^"]*error[^>]*>\s*([^<]+)', answer.text)
        if answer.status_code != 200 or errors:
            sys.exit(f"workload.py: {path}: status {answer.status_code} {' '.join(errors)}")

    post("/login/", {"username": "tester", "password": "tester"})
    post(f"/{kind}/new/", data)


def state(database):
    rows = lambda query: sqlite3.connect(database).execute(query).fetchall()
    ((*test, error),) = rows("select finished, games, wins, losses, draws, error from OpenBench_test")
    print(*("%s %s" % pair for pair in zip(("finished", "games", "won", "lost", "drawn"), test)), sep=", ", end="")
    print(f", error {error}")
    for name, games, crashes, losses in rows(
            "select json_extract(info, '$.machine_name'), r.games, r.crashes, r.timeloss from OpenBench_result r"
            " join OpenBench_machine m on m.id = r.machine_id order by r.id"):
        print(f"client {name}: games {games}, crashes {crashes}, time losses {losses}")
    for name, start, value in rows('select name, start, value from OpenBench_spsaparameter order by "index"'):
        print(f"{name}: {start:g} -> {value:.3f}")


if __name__ == "__main__":
    {"create": create, "state": state}[sys.argv[1]](*sys.argv[2:])
