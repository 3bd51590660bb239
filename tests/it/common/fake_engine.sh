#!/bin/sh
# Minimal UCI engine with one selectable fault, to test the test driver: fake_engine.sh FAULT
fault="$1" count=0 pondering=no best=e2e4 score="cp 30" line="e2e4 e7e5"
info() { echo "info depth 1 seldepth 2 multipv 1 score $score nodes ${nodes:-20} nps 1000 hashfull 0 tbhits 0 time 1 pv $line"; }
answer() {
    case "$fault" in
    hang) return ;;
    late) sleep 3 ;;
    exit) exit 0 ;;
    crash) kill -ABRT $$ ;;
    no-info) echo "bestmove $best"; return ;;
    nodes) nodes=$((20 + count)) ;;
    time-back) info; nodes=10 ;;
    score) score="cp 12.5" ;;
    blanks) echo "info  depth 1" ;;
    stderr) echo "thread panicked" >&2 ;;
    unknown) echo "hello" ;;
    case) echo "BestMove $best"; return ;;
    esac
    info
    case "$fault" in
    illegal) echo "bestmove e2e5" ;;
    wrong-side) echo "bestmove e7e5" ;;
    no-move) echo "bestmove (none)" ;;
    other) echo "bestmove d2d4" ;;
    ponder) echo "bestmove $best ponder $best" ;;
    half) printf 'bestmove %s' "$best"; exit 0 ;;
    double) echo "bestmove $best"; echo "bestmove $best" ;;
    *) echo "bestmove $best" ;;
    esac
}
while read -r command rest; do
    case "$command" in
    uci) echo "id name Fake"; echo "id author Test"; echo "uciok" ;;
    isready) if [ "$fault" = unready ] && [ "$pondering" = yes ]; then :; else echo readyok; fi ;;
    position)
        case "$rest" in
        *R3K3*) best=a1a8 score="mate 1" line=a1a8
            [ "$fault" = past-mate ] && line="a1a8 g8h8"
            [ "$fault" = short-mate ] && score="mate 2" ;;
        *) best=e2e4 score="cp 30" line="e2e4 e7e5" ;;
        esac ;;
    go)
        count=$((count + 1))
        case "$rest" in
        *ponder*) if [ "$fault" = early ]; then answer; else pondering=yes; fi ;;
        *) answer ;;
        esac ;;
    stop | ponderhit) if [ "$pondering" = yes ]; then pondering=no; answer; fi ;;
    quit)
        [ "$fault" = stays ] && exec sleep 30
        [ "$fault" = code ] && exit 3
        exit 0 ;;
    esac
done
