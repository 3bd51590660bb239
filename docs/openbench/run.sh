#!/usr/bin/env bash
# Runs one complete workload of OpenBench on the loopback address: a fixed number of games of Aspirant against itself.
#
# usage: run.sh OPENBENCH DIRECTORY FASTCHESS BOOK [GAMES]
#   OPENBENCH  a clone of github.com/AndyGrant/OpenBench
#   DIRECTORY  the work directory; may be removed afterwards
#   FASTCHESS  a fastchess binary, 1.8.1 or newer
#   BOOK       openings, an .epd file
#   GAMES      number of games, by default 8
# Requires python3 with venv, make, g++, cargo, git. The environment variable BENCH may contain the bench signature; otherwise
# it is computed. Tests the checked-out commit (HEAD), without uncommitted changes.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source_of_engine="$(git -C "$here" rev-parse --show-toplevel)"
if (($# < 4)); then
    echo "usage: run.sh OPENBENCH DIRECTORY FASTCHESS BOOK [GAMES]" >&2
    exit 2
fi
openbench="$(realpath -e -- "$1")" fastchess="$(realpath -e -- "$3")" book="$(realpath -e -- "$4")"
directory="$2" games="${5:-8}"
server=127.0.0.1:8471 mirror=127.0.0.1:8472

mkdir -p "$directory"
directory="$(cd "$directory" && pwd)"
cd "$directory"
[[ -d OpenBench ]] || git clone --quiet "$openbench" OpenBench
if [[ ! -d venv ]]; then
    python3 -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check -r OpenBench/requirements.txt -r OpenBench/Client/requirements.txt setuptools
fi
python="$directory/venv/bin/python"
export PYTHONPATH="$here" OPENBENCH_MIRROR="http://$mirror" CARGO_TARGET_DIR="$directory/target"

# Configure the server: this engine and one book.
cp "$here/Aspirant.json" OpenBench/Engines/
name="$(basename "$book")"
sha="$(sha256sum "$book" | cut -d ' ' -f 1)"
printf '{ "sha" : "%s", "source" : "https://raw.githubusercontent.com/OWNER/books/main/%s.zip" }\n' "$sha" "$name" >"OpenBench/Books/$name.json"
"$python" - "$name" <<'PY'
import json, sys
path = "OpenBench/Config/config.json"
config = json.load(open(path))
config.update(books=[sys.argv[1]], engines=["Aspirant"])
json.dump(config, open(path, "w"), indent=4)
PY
cp "$fastchess" OpenBench/Client/fastchess-ob
cd OpenBench
rm -f db.sqlite3
# OpenBench starts its PGN watcher with every command; it prints errors until the database exists.
"$python" manage.py migrate --verbosity 0 2>"$directory/migrate.log" || { cat "$directory/migrate.log"; exit 1; }
"$python" manage.py shell -c "
from django.contrib.auth.models import User
from OpenBench.models import Profile
user = User.objects.create_superuser('tester', 'tester@localhost', 'tester')
Profile.objects.create(user=user, enabled=True, approver=True)"

running=()
trap 'kill "${running[@]}" 2>/dev/null || true' EXIT
"$python" manage.py runserver --noreload "$server" >"$directory/server.log" 2>&1 &
running+=($!)
"$python" "$here/mirror.py" "${mirror##*:}" "$source_of_engine" "$book" >"$directory/mirror.log" 2>&1 &
running+=($!)
until curl --silent --output /dev/null "http://$server/"; do sleep 0.5; done

commit="$(git -C "$source_of_engine" rev-parse HEAD)"
bench="${BENCH:-$(cd "$source_of_engine" && cargo run --quiet --release --locked -- bench 2>/dev/null | tail -n 1 | cut -d ' ' -f 1)}"
echo "commit $commit, bench $bench"
"$python" - "http://$server/scripts/" "$commit" "$bench" "$name" "$games" <<'PY'
import re, sys, requests
url, commit, bench, book, games = sys.argv[1:]
data = {
    "username": "tester", "password": "tester", "action": "CREATE_TEST", "info": "loopback",
    "test_mode": "GAMES", "test_bounds": "N/A", "test_confidence": "N/A", "test_max_games": games,
    "book_name": book, "upload_pgns": "COMPACT", "throughput": "1000", "workload_size": str(max(1, int(games) // 2)), "priority": "0",
    "syzygy_wdl": "DISABLED", "syzygy_adj": "DISABLED", "win_adj": "movecount=3 score=400",
    "draw_adj": "movenumber=40 movecount=8 score=10", "scale_method": "BASE", "scale_nps": "1000000",
}
for side in ("dev", "base"):
    data.update({
        f"{side}_engine": "Aspirant", f"{side}_repo": "https://github.com/OWNER/aspirant", f"{side}_branch": commit,
        f"{side}_bench": bench, f"{side}_network": "", f"{side}_options": "Threads=1 Hash=16", f"{side}_time_control": "2.0+0.02",
    })
answer = requests.post(url, data=data)
print("test created:", answer.status_code, re.findall(r'class="error[^>]*>([^<]*)', answer.text))
PY

cd Client
"$python" client.py --no-client-downloads -U tester -P tester -S "http://$server" -T 1 -N 1 >"$directory/client.log" 2>&1 &
running+=($!)
# Prints the state of the test from the server's database.
state() {
    "$python" - "$directory/OpenBench/db.sqlite3" <<'PY'
import sqlite3, sys
row = sqlite3.connect(sys.argv[1]).execute(
    "select finished, t.games, t.wins, t.losses, t.draws, sum(crashes), sum(timeloss), error"
    " from OpenBench_test t left join OpenBench_result on test_id = t.id").fetchone()
print(*("%s %s" % pair for pair in zip(("finished", "games", "won", "lost", "drawn", "crashes", "time losses", "error"), row)), sep=", ")
PY
}
for _ in $(seq 360); do
    sleep 5
    [[ "$(state)" == "finished 1"* ]] && break
done
grep -E '^(Building|Bench|Speed|Scale|\[#0\] Finished)' "$directory/client.log" || true
state
