#!/usr/bin/env bash
# Runs one complete workload of OpenBench on the loopback address: a match of Aspirant against itself, or an SPSA run.
#
# usage: run.sh OPENBENCH DIRECTORY FASTCHESS BOOK [GAMES [CLIENTS [PARAMETERS]]]
#   OPENBENCH   a clone of github.com/AndyGrant/OpenBench
#   DIRECTORY   the work directory; may be removed afterwards
#   FASTCHESS   a fastchess binary, 1.8.1 or newer
#   BOOK        openings, an .epd file
#   GAMES       number of games, by default 8
#   CLIENTS     number of OpenBench clients on this machine, by default 1
#   PARAMETERS  a file of search parameters to tune by SPSA (see docs/testing.md); builds with the feature `tune`
# Requires python3 with venv, make, g++, cargo, git and curl. The environment variable BENCH may contain the bench signature;
# otherwise it is computed. Tests the checked-out commit (HEAD), without uncommitted changes. The exit status is 0 only if the
# server reports the workload as finished, with games and without crashes or illegal moves.
set -euo pipefail

# Prints a message and, if given, a log file; ends the script.
fail() {
    echo "run.sh: $1" >&2
    [[ -z "${2:-}" ]] || cat "$2" >&2
    exit 1
}

here="$(cd "$(dirname "$0")" && pwd)"
source_of_engine="$(git -C "$here" rev-parse --show-toplevel)" || fail "$here is not in a git repository, expected a clone of Aspirant"
if (($# < 4)); then
    echo "usage: run.sh OPENBENCH DIRECTORY FASTCHESS BOOK [GAMES [CLIENTS [PARAMETERS]]]" >&2
    exit 2
fi
openbench="$(realpath -e -- "$1")"
fastchess="$(realpath -e -- "$3")"
book="$(realpath -e -- "$4")"
directory="$2" games="${5:-8}" clients="${6:-1}"
[[ "$games" =~ ^[1-9][0-9]*$ ]] || fail "GAMES is '$games', expected a whole number from 1"
[[ "$clients" =~ ^[1-9][0-9]*$ ]] || fail "CLIENTS is '$clients', expected a whole number from 1"
parameters="${7:+$(realpath -e -- "$7")}"
server=127.0.0.1:8471 mirror=127.0.0.1:8472

mkdir -p "$directory"
directory="$(cd "$directory" && pwd)"
cd "$directory"
[[ -d OpenBench ]] || git clone --quiet "$openbench" OpenBench
# The file exists only after a complete installation.
if [[ ! -e venv/complete ]]; then
    python3 -m venv --clear venv
    venv/bin/pip install --quiet --disable-pip-version-check -r OpenBench/requirements.txt -r OpenBench/Client/requirements.txt setuptools
    touch venv/complete
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
"$python" manage.py migrate --verbosity 0 2>"$directory/migrate.log" || fail "manage.py migrate has failed; its log:" "$directory/migrate.log"
"$python" manage.py shell -c "
from django.contrib.auth.models import User
from OpenBench.models import Profile
user = User.objects.create_superuser('tester', 'tester@localhost', 'tester')
Profile.objects.create(user=user, enabled=True, approver=True)"

commit="$(git -C "$source_of_engine" rev-parse HEAD)"
if [[ -z "${BENCH:-}" && -n "$(git -C "$source_of_engine" status --porcelain -- src Cargo.toml Cargo.lock)" ]]; then
    fail "the source has uncommitted changes; commit them, or set BENCH to the bench signature of HEAD"
fi
bench="${BENCH:-$(cd "$source_of_engine" && cargo run --quiet --release --locked -- bench 2>"$directory/bench.log" | tail -n 1 | cut -d ' ' -f 1)}" ||
    fail "the engine could not be built, or its bench has failed; the log:" "$directory/bench.log"
if [[ -n "$parameters" ]]; then
    # The branch to tune: a commit on top of HEAD, in a clone.
    rm -rf "$directory/source"
    git clone --quiet "$source_of_engine" "$directory/source"
    source_of_engine="$directory/source"
    sed -i 's/--profile dist --locked --bin aspirant -- -C target-cpu=native/--features tune &/' "$source_of_engine/Makefile"
    git -C "$source_of_engine" -c user.name=tester -c user.email=tester@localhost commit --quiet --all -m "Bench: $bench"
    commit="$(git -C "$source_of_engine" rev-parse HEAD)"
fi

names=() running=()
trap 'kill -- "${running[@]}" 2>/dev/null || true' EXIT
"$python" manage.py runserver --noreload "$server" >"$directory/server.log" 2>&1 &
names+=(server) running+=("$!")
"$python" "$here/mirror.py" "${mirror##*:}" "$source_of_engine" "$book" >"$directory/mirror.log" 2>&1 &
names+=(mirror) running+=("$!")
# Ends the script if the server, the mirror or a client has ended.
check_running() {
    for i in "${!running[@]}"; do
        kill -0 "${running[i]#-}" 2>/dev/null || fail "the process ${names[i]} has ended; its log:" "$directory/${names[i]}.log"
    done
}
until curl --silent --output /dev/null "http://$server/"; do
    check_running
    sleep 0.5
done

echo "commit $commit, bench $bench"
"$python" "$here/workload.py" create "http://$server" "$commit" "$bench" "$name" "$games" ${parameters:+"$parameters"}

# An SPSA workload plays the two games of a pair at the same time.
threads=$((${#parameters} ? 2 : 1))
rm -rf "$directory"/client-*
for ((client = 1; client <= clients; client++)); do
    cp -r Client "../client-$client"
    # A process group of its own, so that the games of a client end with it.
    (cd "../client-$client" && exec setsid "$python" client.py --no-client-downloads -U tester -P tester -S "http://$server" \
        -T "$threads" -N 1 -I "$client" >"$directory/client-$client.log" 2>&1) &
    names+=("client-$client") running+=("-$!")
done
state() { "$python" "$here/workload.py" state "$directory/OpenBench/db.sqlite3"; }
for _ in $(seq 360); do
    sleep 5
    check_running
    [[ "$(state)" == "finished 1"* ]] && break
done
grep -HE '^(Building|Bench|Scale|\[#0\] Finished)' "$directory"/client-*.log | sed "s|^$directory/||" || true
result="$(state)"
echo "$result"
case "$result" in
    "finished 1, games "[1-9]*", error 0"*) ;;
    "finished 1"*) fail "the workload ended without games or with an error; see $directory/client-*.log" ;;
    *) fail "the workload did not finish within 30 minutes; see $directory/*.log" ;;
esac
