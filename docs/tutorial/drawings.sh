#!/usr/bin/env bash
# Writes the drawings of the tutorial, docs/tutorial/img/*.svg.
#
#   docs/tutorial/drawings.sh [ASPIRANT]
set -euo pipefail
aspirant="$(realpath "${1:-target/release/aspirant}")"
cd "$(dirname "$0")/img"
draw() { "$aspirant" tree --svg "$1.svg" "${@:2}"; }
pawn="7k/8/8/8/8/8/P7/K7 w - - 0 1"

draw 01 --algorithm minimax --depth 1 "$pawn"
draw 02 --algorithm minimax --tree "(Qxe5=100 Qe2=0 Kg2=0)"
draw 03 --algorithm negamax --tree "((3 5)(2 9))"
draw 04 --algorithm "alpha-beta fail-soft" --tree "((3 5)(2 9))"
draw 05 --algorithm "alpha-beta fail-soft" --tree "((2 9)(3 5))"
draw 06 --algorithm "alpha-beta fail-soft" --tree "(Qxe5(dxe5=-800 stand=100) Qe2=0 Kg2=0)"
draw 07 --algorithm "iterative deepening" --tree "(((3 5)(6 9))((1 2)(0 -1)))"
draw 08 --algorithm minimax --depth 3 "$pawn"
draw 09 --algorithm pvs --tree "((3 5)(2 9)(4 1))"
draw 10 --algorithm "alpha-beta fail-soft" --tree "(a(x=3 y=5) b(pass=2 Nf6(d4=1 e4=0) d5(c4=2 Nc3=1)))"
draw 11 --algorithm pvs --tree "(e4(e5=4 c5=3) d4(d5=2 Nf6=6) h3=1 a4=0)"
draw 12 --algorithm minimax --depth 1 "$pawn"
draw 13 --algorithm "alpha-beta fail-soft" --tree "(main(a=3 b=5) helper(c=2 d=9))"
