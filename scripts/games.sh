#!/usr/bin/env bash
# Self-play at a very short time control with timemargin=0, without adjudication; counts every warning.
#
#   scripts/games.sh ENGINE BOOK.epd CHESS960_BOOK.epd OUT [BATCHES]
#
# BATCHES batches of 200 games each: of four batches, two with one thread, one with two threads, one of Chess960 (KINDS). Each
# batch appends one line to OUT/results.tsv; a later run continues up to BATCHES. TC and SEED set the time control and the seed.
# Prints the totals of all batches; exit code 1 if there is a fault or a loss on time. Other programs on the machine cause some.

set -euo pipefail
# fastchess exits normally after Ctrl-C; without the trap, the incomplete batch would be recorded.
trap 'exit 130' INT
if (($# < 4)); then
    echo "usage: games.sh ENGINE BOOK.epd CHESS960_BOOK.epd OUT [BATCHES]" >&2
    exit 2
fi
command -v fastchess >/dev/null || { echo "games.sh: fastchess is not on the PATH" >&2; exit 1; }
absolute() {
    [[ -e "$1" ]] || { echo "games.sh: $1: no such file" >&2; return 1; }
    python3 -c 'import os, sys; print(os.path.realpath(sys.argv[1]))' "$1"
}
engine="$(absolute "$1")"
book="$(absolute "$2")"
frc_book="$(absolute "$3")"
batches="${5:-1000}"
[[ "$batches" =~ ^[0-9]+$ ]] || { echo "games.sh: BATCHES is '$batches', expected a number" >&2; exit 2; }
mkdir -p -- "$4"
out="$(absolute "$4")"
results="$out/results.tsv"
[[ -f "$results" ]] || printf 'batch\tkind\tdate\tcommit\tgames\ttime\tillegal\tdisconnect\tstall\twarnings\n' >"$results"
tc="${TC:-0.1+0.001}" seed="${SEED:-0}"
read -ra kinds <<<"${KINDS:-plain plain threads chess960}"
done_before="$(($(wc -l <"$results") - 1))"
commit="$("$engine" --version | sed -n 's/.*(\([0-9a-f]*\) .*/\1/p')"

for ((batch = done_before; batch < batches; batch++)); do
    kind="${kinds[batch % ${#kinds[@]}]}"
    options=(option.Hash=4)
    extra=()
    positions="$book"
    case "$kind" in
    threads) options+=(option.Threads=2) ;;
    chess960) positions="$frc_book" extra=(-variant fischerandom) ;;
    esac
    log="$out/batch-$batch.log" pgn="$out/batch-$batch.pgn"
    rm -f "$log" "$pgn"
    (cd "$out" && fastchess -engine cmd="$engine" name=A -engine cmd="$engine" name=B \
        -each tc="$tc" timemargin=0 "${options[@]}" ${extra[@]+"${extra[@]}"} \
        -openings file="$positions" format=epd order=random -srand "$((batch + 1 + seed))" \
        -rounds 100 -games 2 -repeat -concurrency 1 -recover -report penta=false -ratinginterval 0 \
        -pgnout file="$pgn" -log file="$log" level=warn engine=false >"$out/batch-$batch.out" 2>&1) || true
    # Losses on time are counted in their own column.
    warnings="$(cat "$log" "$out/batch-$batch.out" 2>/dev/null | grep -i 'warn' | grep -cvi 'on time' || true)"
    games="$(grep -c '^\[Result ' "$pgn" 2>/dev/null || true)"
    if [[ "${games:-0}" == 0 ]]; then
        echo "games.sh: batch $batch: no game was played; see $out/batch-$batch.out" >&2
        exit 1
    fi
    ended() { grep -ci "^\[Termination \"$1" "$pgn" 2>/dev/null || true; }
    # The termination of both is "abandoned"; the comment of the last move distinguishes them.
    stalls="$(grep -c 'stalls' "$pgn" || true)"
    faults="$(ended 'time forfeit')"$'\t'"$(ended 'illegal')"$'\t'"$(($(ended 'abandon') - stalls))"$'\t'"$stalls"$'\t'"$warnings"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$batch" "$kind" "$(date -u +%FT%H:%M)" "$commit" "$games" "$faults" >>"$results"
    # Keep the files of a batch only if something failed or games are missing.
    if [[ "$games" == 200 && "$faults" == $'0\t0\t0\t0\t0' ]]; then
        rm -f "$log" "$pgn" "$out/batch-$batch.out"
    fi
done
awk -F '\t' 'NR > 1 { games += $5; time += $6; faults += $7 + $8 + $9 + $10; missing += 200 - $5 }
    END { printf "%d games, %d lost on time, %d other faults, %d games missing\n", games, time, faults, missing
          exit time + faults + missing > 0 }' "$results"
