//! Writes the source files of the evaluation weights, with a comment on their origin.

use std::fmt::Write as _;

use super::TuneArgs;
use super::form::{Form, Kings};
use super::model::{BASE_WEIGHTS, IMBALANCE, PHASE, PHASE_ONE, SQUARES, TEMPO, Theta, is_possible};

/// The origin of the weights.
pub struct Provenance<'a> {
    /// The origin of each game file and its number of games.
    pub data_files: &'a [(String, u32)],
    pub positions: usize,
    /// Commit of the program that wrote the file.
    pub commit: String,
    /// Checksum of the initial weights.
    pub started_from: u64,
    /// Settings of the fit.
    pub args: &'a TuneArgs,
    /// Slope of the logistic function.
    pub k: f64,
    /// Factor by which the fitted values were multiplied.
    pub factor: f64,
    /// Loss before the fit, of the training data and of the held-out data.
    pub before: (f64, f64),
    /// Loss after the fit, of the training data and of the held-out data.
    pub after: (f64, f64),
}

/// The rounded piece-square values.
struct RoundedPst {
    material: [[i32; 2]; 6],
    /// Values by role, phase and square, without the material value.
    squares: [[[i32; 64]; 2]; 6],
}

const NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

fn round(value: f64) -> i32 {
    // The sum over all pieces and the imbalance in centipawns must fit into the 16-bit halves of a `TaperedScore`, so
    // implausible values are clamped.
    value.round().clamp(-3000.0, 3000.0) as i32
}

impl RoundedPst {
    fn new(theta: &Theta) -> Self {
        let mut table = Self { material: [[0; 2]; 6], squares: [[[0; 64]; 2]; 6] };
        for role in 0..6 {
            for phase in 0..2 {
                let squares = || (0..64).filter(|&square| is_possible(role, square));
                let at = |square: usize| theta[2 * (64 * role + square) + phase];
                let mean =
                    |values: &dyn Fn(usize) -> f64| squares().map(values).sum::<f64>() / squares().count() as f64;
                // Each side has one king, so a constant value of the king cancels out.
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

fn comment(form: &Form, provenance: &Provenance) -> String {
    let Provenance { args: TuneArgs { fit: args, .. }, .. } = provenance;
    let evaluator = if form.kings == Kings::None { "pst" } else { "king_pst" };
    let games: u32 = provenance.data_files.iter().map(|(_, games)| games).sum();
    let mut out = format!("//! Weights of the `{evaluator}` evaluator, in centipawns.\n//!\n");
    let _ = writeln!(
        out,
        "//! Provenance: written by `aspirant-lab tune` at commit {}, from {} positions of {games} games that\n\
         //! `datagen` played:",
        provenance.commit, provenance.positions
    );
    for (origin, games) in provenance.data_files {
        let _ = writeln!(out, "//! * {games} games, {origin}");
    }
    let _ = writeln!(
        out,
        "//!\n\
         //! Fit: initial weights {:016x}, seed {}, at most {} epochs, patience {}, batches of {}, rate {}, result {},\n\
         //! pull {}, mirror {}, {}one game in {} held out, k {:.6}, scaled by {:.3}.\n\
         //! Mean squared error of the expected score: {:.6} before, {:.6} after; on held-out games {:.6} before,\n\
         //! {:.6} after.\n\
         //!\n\
         //! Squares are listed from White's point of view, a8 first and h1 last.{}",
        provenance.started_from,
        args.seed,
        args.epochs,
        args.patience,
        args.batch,
        args.rate,
        args.result,
        args.pull,
        args.regularization(form).mirror,
        if form.kings == Kings::None {
            String::new()
        } else {
            format!("offsets {}, smooth {}, ", args.offsets, args.smooth)
        },
        args.held_out,
        provenance.k,
        provenance.factor,
        provenance.before.0,
        provenance.after.0,
        provenance.before.1,
        provenance.after.1,
        if form.kings == Kings::None { "" } else { KING_COMMENT },
    );
    out.push_str("#![doc(hidden)]\n");
    out
}

const KING_COMMENT: &str = "\n//!\n\
    //! The value of a piece is the sum of its entry in the base tables and its offsets for the own king's bucket and the\n\
    //! opposing king's bucket. For a king on files e to h, the squares of the offsets are mirrored.";

/// Returns the weights as they are written: rounded, with a mean of zero for the king.
#[must_use]
pub fn rounded(theta: &Theta) -> Theta {
    let table = RoundedPst::new(theta);
    let mut out: Theta = theta.iter().map(|&value| f64::from(round(value))).collect();
    for (entry, pair) in out[..2 * SQUARES].as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let (role, square) = (entry / 64, entry % 64);
        *pair = [0, 1].map(|phase| (table.material[role][phase] + table.squares[role][phase][square]).into());
    }
    out
}

#[must_use]
pub fn source(theta: &Theta, form: &Form, provenance: &Provenance) -> String {
    comment(form, provenance) + &code(theta, form)
}

/// The same without the comment at its top.
pub fn code(theta: &Theta, form: &Form) -> String {
    match form.kings {
        Kings::None => base_code(theta),
        _ => base_code(theta) + &offsets_code(theta, form),
    }
}

fn offsets_code(theta: &Theta, form: &Form) -> String {
    let count = form.map.count;
    let mut out = String::from("\n/// Number of buckets of king squares.\n");
    let _ = writeln!(out, "pub const KING_BUCKETS: usize = {count};");
    out.push_str(
        "/// Bucket of each king square on files a to d, from the view of its own side; a1 first, d8 last.\n\
         #[rustfmt::skip]\n\
         pub const KING_BUCKET: [u8; 32] = [\n",
    );
    for rank in form.map.buckets.chunks(4) {
        let row: Vec<String> = rank.iter().map(u8::to_string).collect();
        let _ = writeln!(out, "    {},", row.join(", "));
    }
    out.push_str("];\n");
    for (king, first_table) in [("own", 0), ("opposing", count)] {
        for (phase, name) in ["middlegame", "endgame"].iter().enumerate() {
            let _ = writeln!(
                out,
                "\n/// {}{} offsets by bucket of the {king} king.\n#[rustfmt::skip]\n\
                 pub const {}_KING_{}: [[[i16; 64]; 6]; KING_BUCKETS] = [",
                name[..1].to_uppercase(),
                &name[1..],
                king.to_uppercase(),
                name.to_uppercase()
            );
            for table in first_table..first_table + count {
                let _ = writeln!(out, "    [");
                for (role, name) in NAMES.iter().enumerate() {
                    let _ = writeln!(out, "        // {name}, bucket {}\n        [", table - first_table);
                    for rank in (0..8).rev() {
                        let value = |file: usize| {
                            let pair = SQUARES * table + 64 * role + 8 * rank + file;
                            theta.get(BASE_WEIGHTS + 2 * pair + phase).map_or(0, |&value| round(value))
                        };
                        let row: Vec<String> = (0..8).map(|file| format!("{:4}", value(file))).collect();
                        let _ = writeln!(out, "            {},", row.join(", "));
                    }
                    out.push_str("        ],\n");
                }
                out.push_str("    ],\n");
            }
            out.push_str("];\n");
        }
    }
    out
}

fn base_code(theta: &Theta) -> String {
    let table = RoundedPst::new(theta);
    let mut out = String::from("\n/// Game phase weight of each piece: pawn, knight, bishop, rook, queen, king.\n");
    let phase: Vec<i32> = theta[PHASE..BASE_WEIGHTS].iter().map(|&weight| round(weight)).collect();
    let pair = |entry: usize| format!("({}, {})", round(theta[2 * entry]), round(theta[2 * entry + 1]));
    let _ = writeln!(out, "pub const PHASE: [i32; 6] = {phase:?};");
    out.push_str("/// Sum of [`PHASE`] over all pieces from which on only middlegame values count.\n");
    let _ = writeln!(out, "pub const PHASE_MAX: i32 = {PHASE_ONE};");
    let _ = writeln!(
        out,
        "/// Bonus for the side to move, middlegame and endgame.\npub const TEMPO: (i32, i32) = {};\n",
        pair(TEMPO)
    );
    out.push_str(&imbalance(&theta[2 * IMBALANCE..PHASE]));
    let material: Vec<String> = table.material.iter().map(|[mg, eg]| format!("({mg}, {eg})")).collect();
    out.push_str("/// Piece values, middlegame and endgame: the means of the piece-square tables.\n");
    let _ = writeln!(out, "pub const MATERIAL: [(i32, i32); 6] = [{}];\n", material.join(", "));
    for (index, name) in ["Middlegame", "Endgame"].iter().enumerate() {
        let separator = if index == 0 { "" } else { "\n" };
        let _ = writeln!(
            out,
            "{separator}/// {name} piece-square values, less [`MATERIAL`].\n#[rustfmt::skip]\n\
             pub const {}: [[i32; 64]; 6] = [",
            name.to_uppercase()
        );
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

/// Imbalance coefficients, one line per greater role.
fn imbalance(values: &[f64]) -> String {
    let mut pairs = values.chunks(2).map(|pair| format!("({}, {})", round(pair[0]), round(pair[1])));
    let mut out = String::from(
        "/// Material imbalance: middlegame and endgame coefficients of products of piece counts.\n\
         /// Units of 1/16 centipawn.\n\
         #[rustfmt::skip]\n",
    );
    let _ = writeln!(out, "pub const IMBALANCE: [(i32, i32); {}] = [", pairs.len());
    for (count, greater) in (1..=5).map(|n| (n, n)).chain((1..=4).map(|n| (n, n + 1))) {
        let row: Vec<String> = pairs.by_ref().take(count).collect();
        let with = if count == greater { "with own pieces" } else { "with lesser opposing pieces" };
        let _ = writeln!(out, "    // {} {with}\n    {},", NAMES[greater - 1], row.join(", "));
    }
    out.push_str("];\n\n");
    out
}
