//! The table file: the numbers as Rust that a person can read, and where they come from.

use std::fmt::Write as _;

use super::Args;
use super::model::{IMBALANCE, PHASE, PHASE_ONE, TEMPO, Theta, is_possible};
use crate::game_file::Origin;

/// What is to be known about the origin of the numbers.
pub struct Provenance<'a> {
    /// Data files, and the number of games in each.
    pub origins: &'a [(Origin, u32)],
    /// Positions in all files.
    pub positions: usize,
    /// Which program made them.
    pub commit: String,
    /// Fingerprint of the tables that the fit began with.
    pub started_from: u64,
    /// How the fit was made.
    pub args: &'a Args,
    /// Steepness of the logistic function.
    pub k: f64,
    /// What the values were multiplied by in the end.
    pub factor: f64,
    /// Loss before, of the data fitted and of those held out.
    pub before: (f64, f64),
    /// Loss afterwards, likewise.
    pub after: (f64, f64),
}

/// Integers of the table file.
struct Table {
    material: [[i32; 2]; 6],
    /// By role, phase and square, less the material.
    squares: [[[i32; 64]; 2]; 6],
}

const NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

fn round(value: f64) -> i32 {
    // A value takes half of a 32-bit word together with a sum of thirty others.
    value.round().clamp(-3000.0, 3000.0) as i32
}

impl Table {
    fn new(theta: &Theta) -> Self {
        let mut table = Self { material: [[0; 2]; 6], squares: [[[0; 64]; 2]; 6] };
        for role in 0..6 {
            for phase in 0..2 {
                let squares = || (0..64).filter(|&square| is_possible(role, square));
                let at = |square: usize| theta[2 * (64 * role + square) + phase];
                let mean =
                    |values: &dyn Fn(usize) -> f64| squares().map(values).sum::<f64>() / squares().count() as f64;
                // Both sides have a king: what all his squares have in common is worth nothing.
                let common = if role == 5 { mean(&at) } else { 0.0 };
                let rounded = |square: usize| round(at(square) - common);
                table.material[role][phase] = if role == 5 { 0 } else { round(mean(&|square| rounded(square).into())) };
                for square in squares() {
                    table.squares[role][phase][square] = rounded(square) - table.material[role][phase];
                }
            }
        }
        table
    }
}

fn comment(provenance: &Provenance) -> String {
    let Provenance { args, .. } = provenance;
    let games: u32 = provenance.origins.iter().map(|(_, games)| games).sum();
    let mut out = String::from("//! The numbers of the `pst` evaluator, in centipawns.\n//!\n");
    let _ = writeln!(
        out,
        "//! Provenance: written by `aspirant tune` at commit {}, from {} positions of {games} games that\n\
         //! `aspirant datagen` played:",
        provenance.commit, provenance.positions
    );
    for (origin, games) in provenance.origins {
        let _ = writeln!(
            out,
            "//! * {games} games, seed {}, {} nodes, by tables {:016x}",
            origin.seed, origin.nodes, origin.tables
        );
    }
    let _ = writeln!(
        out,
        "//!\n\
         //! The fit began with tables {:016x}: seed {}, {} epochs, batches of {}, rate {}, result {}, pull {},\n\
         //! mirror {}, k {:.6}, scaled by {:.3}. Mean squared error of the expected score: {:.6} before, {:.6} after;\n\
         //! of the games held out {:.6} before, {:.6} after.\n\
         //!\n\
         //! Blocks are seen from white: a8 is the first number, h1 the last.",
        provenance.started_from,
        args.seed,
        args.epochs,
        args.batch,
        args.rate,
        args.result,
        args.pull,
        args.mirror,
        provenance.k,
        provenance.factor,
        provenance.before.0,
        provenance.after.0,
        provenance.before.1,
        provenance.after.1,
    );
    out
}

/// The text of the table file.
#[must_use]
pub fn source(theta: &Theta, provenance: &Provenance) -> String {
    comment(provenance) + &code(theta)
}

/// The table file without its comment.
pub fn code(theta: &Theta) -> String {
    let table = Table::new(theta);
    let mut out = String::from(
        "\nuse super::pst::Pair;\n\n\
         /// What each man counts towards the middlegame: pawn, knight, bishop, rook, queen, king.\n",
    );
    let phase: Vec<i32> = theta[PHASE..].iter().map(|&weight| round(weight)).collect();
    let pair = |entry: usize| format!("Pair::new({}, {})", round(theta[2 * entry]), round(theta[2 * entry + 1]));
    let _ = writeln!(out, "pub const PHASE: [i32; 6] = {phase:?};");
    out.push_str("/// Where the sum of [`PHASE`] over all men is at least this, the endgame does not count.\n");
    let _ = writeln!(out, "pub const PHASE_MAX: i32 = {PHASE_ONE};");
    let _ = writeln!(out, "/// For having the move.\npub const TEMPO: Pair = {};\n", pair(TEMPO));
    out.push_str(&imbalance(&theta[2 * IMBALANCE..PHASE]));
    let material: Vec<String> = table.material.iter().map(|[mg, eg]| format!("({mg}, {eg})")).collect();
    out.push_str("/// Mean of each man's table, middlegame and endgame.\n");
    let _ = writeln!(out, "const MATERIAL: [(i32, i32); 6] = [{}];\n", material.join(", "));
    out.push_str(BUILD);
    for (index, name) in ["MIDDLEGAME", "ENDGAME"].iter().enumerate() {
        let _ = writeln!(out, "\n#[rustfmt::skip]\nconst {name}: [[i32; 64]; 6] = [");
        for (role, squares) in table.squares.iter().enumerate() {
            let _ = writeln!(out, "    // {}", NAMES[role]);
            out.push_str("    [\n");
            for rank in (0..8).rev() {
                let row: Vec<String> = (0..8).map(|file| format!("{:4}", squares[index][8 * rank + file])).collect();
                let _ = writeln!(out, "        {},", row.join(", "));
            }
            out.push_str("    ],\n");
        }
        out.push_str("];\n");
    }
    out
}

/// The products of numbers of men, one kind of the greater men on each line.
fn imbalance(values: &[f64]) -> String {
    let mut pairs = values.chunks(2).map(|pair| format!("({}, {})", round(pair[0]), round(pair[1])));
    let mut out = String::from(
        "/// What products of numbers of men add, middlegame and endgame, in sixteenths of a centipawn\n\
         /// (see [`super::material::products`]).\n#[rustfmt::skip]\n\
         pub const IMBALANCE: [(i32, i32); super::material::PRODUCTS] = [\n",
    );
    for (count, greater) in (1..=5).map(|n| (n, n)).chain((1..=4).map(|n| (n, n + 1))) {
        let row: Vec<String> = pairs.by_ref().take(count).collect();
        let with = if count == greater { "and men of its own side" } else { "and lesser men of the other" };
        let _ = writeln!(out, "    // {} {with}\n    {},", NAMES[greater - 1], row.join(", "));
    }
    out.push_str("];\n\n");
    out
}

const BUILD: &str = "\
/// Middlegame and endgame value of each man (pawn to king) on each square, from a1 to h8.
pub static PIECE_SQUARE: [[Pair; 64]; 6] = build();

const fn build() -> [[Pair; 64]; 6] {
    let mut out = [[Pair::new(0, 0); 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            // The blocks begin with the eighth rank.
            let at = square ^ 56;
            let (mg, eg) = MATERIAL[role];
            out[role][square] = Pair::new(mg + MIDDLEGAME[role][at], eg + ENDGAME[role][at]);
            square += 1;
        }
        role += 1;
    }
    out
}
";
