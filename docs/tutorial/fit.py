#!/usr/bin/env python3
"""Fits the piece-square tables of step 12 to positions of games and prints shared/weights.rs. Needs NumPy.

    fit.py POSITIONS.txt > examples/tutorial/shared/weights.rs

A line of the file is `FEN | score | result`, both from White's view: `aspirant-lab convert --format text` writes it.
"""
import sys

import numpy as np

PIECES = "PNBRQK"
VALUES = np.array([100, 320, 330, 500, 900, 0], float)
PHASES = np.array([0, 1, 1, 2, 4, 0])
SCALE = 150.0          # an advantage of 150 centipawns is an expected score of 1 / (1 + exp(-1)), 73 %
REGULARIZATION = 50.0  # pulls each number to the mean of its table, as this many positions would
ROUNDS = 150


def expected_score(centipawns):
    return 1 / (1 + np.exp(-np.clip(centipawns / SCALE, -30, 30)))


# Each piece of each position: its position, the index of its number in the tables, and +1 for White, -1 for Black.
rows, indices, signs, targets, phases = [], [], [], [], []
for number, line in enumerate(open(sys.argv[1], encoding="ascii")):
    fen, score, result = line.split("|")
    phase = 0
    for rank, text in zip(range(7, -1, -1), fen.split()[0].split("/")):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
                continue
            role = PIECES.index(letter.upper())
            rows.append(number)
            # Black's pieces use White's tables, turned upside down.
            indices.append(64 * role + 8 * (rank if letter.isupper() else 7 - rank) + file)
            signs.append(1 if letter.isupper() else -1)
            phase += PHASES[role]
            file += 1
    phases.append(min(phase, 24) / 24)
    # The result of the game, and what the search thought of the position.
    targets.append((float(result) + expected_score(float(score))) / 2)
rows, indices, signs = np.array(rows), np.array(indices), np.array(signs, float)
phases, targets = np.array(phases), np.array(targets)

# The share of the middlegame number, and of the endgame number, in the evaluation.
shares = [signs * phases[rows], signs * (1 - phases[rows])]
tables = np.tile(np.repeat(VALUES, 64), (2, 1))
# Adam: gradient descent that adapts the step of each number.
mean, square = np.zeros_like(tables), np.zeros_like(tables)
for step in range(1, ROUNDS + 1):
    evaluation = np.bincount(rows, sum(share * table[indices] for share, table in zip(shares, tables)), len(targets))
    expected = expected_score(evaluation)
    error = expected - targets
    slope = error * expected * (1 - expected) / SCALE
    gradient = np.array([np.bincount(indices, share * slope[rows], 384) for share in shares])
    by_piece = tables.reshape(2, 6, 64)
    gradient += REGULARIZATION * (by_piece - by_piece.mean(axis=2, keepdims=True)).reshape(2, 384) / SCALE ** 2 / 16
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.99 * square + 0.01 * gradient ** 2
    tables -= 3 * mean / (1 - 0.9 ** step) / (np.sqrt(square / (1 - 0.99 ** step)) + 1e-12)
    if step in (1, ROUNDS):
        print(f"round {step}: mean squared error {np.mean(error ** 2):.5f}", file=sys.stderr)

print(f"//! Piece-square tables in centipawns, a1 first: fitted by docs/tutorial/fit.py to {len(targets)} positions.\n")
for name, table in zip(("MIDDLEGAME", "ENDGAME"), np.rint(tables).astype(int).reshape(2, 6, 8, 8)):
    print(f"/// Pawn, knight, bishop, rook, queen, king on each square.\n#[rustfmt::skip]\npub const {name}: [[i32; 64]; 6] = [")
    for role in table:
        print("    [")
        for rank in role:
            print("        " + " ".join(f"{value}," for value in rank))
        print("    ],")
    print("];")
