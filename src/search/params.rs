//! The numbers of the search: each declared once, with default, range and meaning.
//!
//! A row here is all there is to a parameter: the search reads the field, `engine.toml` and
//! `--print-config` know the key, the range is checked, and a build with the feature `tune` offers every
//! number as a UCI option to an outside tuner. A switch turned off removes its rule without a trace.

/// Former and current names of keys of `[search]`; the former ones are accepted with a notice.
pub const RENAMED_KEYS: &[(&str, &str)] = &[];

/// A declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The key in `engine.toml`.
    pub name: &'static str,
    /// Default; for a switch 0 or 1.
    pub default: i32,
    /// Smallest allowed value.
    pub min: i32,
    /// Largest allowed value.
    pub max: i32,
    /// On/off rather than a number.
    pub switch: bool,
    /// What it does, with unit.
    pub doc: &'static str,
}

macro_rules! params {
    (switches { $( #[doc = $sdoc:literal] $sname:ident; )* }
     numbers { $( #[doc = $ndoc:literal] $nname:ident = $default:literal, $min:literal ..= $max:literal; )* }) => {
        /// All parameters of a search.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $( #[doc = $sdoc] pub $sname: bool, )*
            $( #[doc = $ndoc] pub $nname: i32, )*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $( $sname: true, )* $( $nname: $default, )* }
            }
        }

        /// Every parameter, switches first.
        pub const PARAMS: &[Param] = &[
            $( Param { name: stringify!($sname), default: 1, min: 0, max: 1, switch: true, doc: $sdoc.trim_ascii() }, )*
            $( Param { name: stringify!($nname), default: $default, min: $min, max: $max, switch: false, doc: $ndoc.trim_ascii() }, )*
        ];

        impl Params {
            /// The value of the parameter called `name`; a switch is 0 or 1.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $( stringify!($sname) => Some(i32::from(self.$sname)), )*
                    $( stringify!($nname) => Some(self.$nname), )*
                    _ => None,
                }
            }

            /// Sets the parameter called `name`. Range and name are the caller's to check (see [`PARAMS`]);
            /// an unknown name changes nothing.
            pub fn set(&mut self, name: &str, value: i32) {
                match name {
                    $( stringify!($sname) => self.$sname = value != 0, )*
                    $( stringify!($nname) => self.$nname = value, )*
                    _ => {}
                }
            }

            /// Every rule, table and extension off: what is left is plain fixed-depth alpha-beta.
            #[must_use]
            pub fn plain() -> Self {
                Self { $( $sname: false, )* ..Self::default() }
            }
        }
    };
}

params! {
    switches {
        /// Use the transposition table.
        transposition_table;
        /// Resolve captures at the leaves instead of trusting the static evaluation there.
        quiescence;
        /// Start each iteration with a narrow window around the last score.
        aspiration;
        /// Do not look for mates longer than one already found.
        mate_distance_pruning;
        /// Correct the static evaluation by what earlier searches of similar positions returned.
        correction_history;
        /// Shrink the evaluation as the fifty-move counter runs.
        fifty_move_scaling;
        /// Return at once where the evaluation is far above beta.
        reverse_futility;
        /// Drop into quiescence where the evaluation is far below alpha.
        razoring;
        /// Pass, and return if even then the score stays above beta.
        null_move;
        /// Return where a good capture already beats beta by a margin in a shallow search.
        prob_cut;
        /// Search less deep where the table knows no move.
        internal_iterative_reductions;
        /// Skip late quiet moves at low depth.
        late_move_pruning;
        /// Skip quiet moves that cannot lift the evaluation to alpha.
        futility_pruning;
        /// Skip moves that lose material by static exchange.
        see_pruning;
        /// Skip quiet moves with a bad history.
        history_pruning;
        /// Search late moves less deep at first.
        late_move_reductions;
        /// Search a check one ply deeper.
        check_extension;
        /// Search a move deeper that is much better than all others.
        singular_extension;
    }
    numbers {
        /// Aspiration: half width of the first window, centipawns.
        aspiration_delta = 12, 4..=200;
        /// Aspiration: from this iteration on, plies.
        aspiration_depth = 4, 1..=20;
        /// Aspiration: growth of the window at each failure, percent.
        aspiration_growth = 60, 10..=300;
        /// Reverse futility: greatest depth, plies.
        rfp_depth = 9, 1..=20;
        /// Reverse futility: margin per ply, centipawns.
        rfp_margin = 78, 20..=250;
        /// Reverse futility: margin taken off when improving, centipawns.
        rfp_improving = 62, 0..=250;
        /// Razoring: greatest depth, plies.
        razor_depth = 3, 0..=8;
        /// Razoring: margin per ply, centipawns.
        razor_margin = 293, 50..=800;
        /// Null move: least depth, plies.
        nmp_depth = 3, 1..=10;
        /// Null move: reduction, plies.
        nmp_base = 4, 1..=8;
        /// Null move: one more ply of reduction for each so many plies of depth.
        nmp_divisor = 4, 1..=10;
        /// Null move: one more ply of reduction for each so many centipawns above beta.
        nmp_eval_divisor = 171, 50..=500;
        /// Null move: the static evaluation must be this far above beta, less 12 for each ply of depth, centipawns.
        nmp_margin = 140, 0..=300;
        /// ProbCut: least depth, plies.
        probcut_depth = 5, 3..=12;
        /// ProbCut: margin above beta, centipawns.
        probcut_margin = 188, 50..=500;
        /// Internal iterative reductions: least depth, plies.
        iir_depth = 4, 2..=12;
        /// Late move pruning: greatest depth, plies.
        lmp_depth = 9, 1..=20;
        /// Late move pruning: moves allowed at depth 0.
        lmp_base = 7, 0..=12;
        /// Futility: greatest reduced depth, plies.
        futility_depth = 8, 1..=16;
        /// Futility: margin, centipawns.
        futility_base = 65, 0..=400;
        /// Futility: margin per ply, centipawns.
        futility_margin = 71, 20..=250;
        /// Exchange pruning: greatest depth, plies.
        see_depth = 9, 1..=16;
        /// Exchange pruning: loss allowed for captures per ply, centipawns.
        see_noisy = 70, 10..=300;
        /// Exchange pruning: loss allowed for quiet moves per squared reduced ply, centipawns.
        see_quiet = 23, 5..=150;
        /// History pruning: greatest reduced depth, plies.
        history_depth = 5, 1..=12;
        /// History pruning: worst history allowed per ply (negated).
        history_margin = 3485, 500..=12000;
        /// Reductions of quiet moves: constant, 1024ths of a ply.
        lmr_base = 964, 0..=2500;
        /// Reductions of quiet moves: divisor of ln(depth) ln(number), hundredths.
        lmr_divisor = 198, 100..=500;
        /// Reductions of captures: constant, 1024ths of a ply.
        lmr_noisy_base = 172, -1000..=2000;
        /// Reductions of captures: divisor of ln(depth) ln(number), hundredths.
        lmr_noisy_divisor = 315, 150..=800;
        /// Less reduction in PV-nodes, 1024ths of a ply.
        lmr_pv = 799, 0..=3000;
        /// Less reduction where the table remembers a PV-node, 1024ths of a ply.
        lmr_table_pv = 680, 0..=3000;
        /// More reduction in expected cut-nodes, 1024ths of a ply.
        lmr_cut_node = 1688, 0..=3000;
        /// More reduction when not improving, 1024ths of a ply.
        lmr_not_improving = 641, 0..=2000;
        /// More reduction when the table's move is a capture, 1024ths of a ply.
        lmr_table_noisy = 796, 0..=2000;
        /// Less reduction for killer moves, 1024ths of a ply.
        lmr_killer = 1087, 0..=3000;
        /// Less reduction for checks, 1024ths of a ply.
        lmr_check = 888, 0..=3000;
        /// More reduction where siblings cut off often, 1024ths of a ply.
        lmr_cutoffs = 664, 0..=2500;
        /// Quiet history that is worth one ply of reduction.
        lmr_history = 8167, 2000..=30000;
        /// Capture history that is worth one ply of reduction.
        lmr_noisy_history = 6000, 1000..=30000;
        /// Re-search one ply deeper when a reduced search beats the best score by this, centipawns.
        lmr_deeper = 18, 5..=200;
        /// Singular extension: least depth, plies.
        singular_depth = 7, 4..=14;
        /// Singular extension: margin per ply, 16ths of a centipawn.
        singular_margin = 7, 4..=96;
        /// Singular extension: extend twice if it fails by this more, centipawns.
        singular_double = 15, 0..=100;
        /// Quiescence: a capture that wins nothing by exchange is left out if evaluation, captured man and this do not exceed alpha, centipawns.
        qs_futility = 80, 30..=500;
        /// Ordering: a quiet move of a knight or bishop away from a pawn's attack, or (negated) into it, in units of history.
        order_minor = 5000, 0..=30000;
        /// Ordering: the same for a rook and attacks of lesser pieces.
        order_rook = 8000, 0..=30000;
        /// Ordering: the same for a queen.
        order_queen = 14000, 0..=30000;
        /// Ordering: a quiet move that gives check.
        order_check = 6000, 0..=30000;
        /// History bonus per ply of depth.
        history_bonus = 150, 20..=600;
        /// History bonus: taken off.
        history_bonus_offset = 120, 0..=600;
        /// History bonus: greatest.
        history_bonus_max = 1674, 200..=4000;
        /// History penalty per ply of depth.
        history_malus = 253, 20..=800;
        /// History penalty: greatest.
        history_malus_max = 976, 200..=4000;
        /// History bonus for the table's move where the table cuts off, percent of what a search would give.
        history_table_bonus = 55, 0..=200;
        /// History bonus for the opponent's quiet move where no reply reaches alpha, percent of a cut-off's.
        history_prior_bonus = 70, 0..=200;
        /// Correction by pawn structure, 256ths.
        correction_pawn = 10, 0..=100;
        /// Correction by each side's pieces, 256ths.
        correction_non_pawn = 8, 0..=100;
        /// Correction by knights, bishops and kings, 256ths.
        correction_minor = 18, 0..=100;
        /// Correction by the last two moves, 256ths.
        correction_continuation = 19, 0..=100;
        /// Correction by the last move and that of four plies ago, 256ths.
        correction_distant = 10, 0..=100;
        /// Time: share of the remaining time for a move, thousandths.
        time_share = 45, 10..=150;
        /// Time: share of the increment for a move, percent.
        time_increment = 75, 0..=100;
        /// Time: the hard limit as a multiple of the soft one, percent; with moves to go, half of it, of a move's share.
        time_hard = 400, 100..=1000;
        /// Time: the greatest share of the clock for a move, percent (for the last one before a control 90).
        time_max_share = 60, 10..=90;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_and_writes_its_own_field() {
        let mut names: Vec<_> = PARAMS.iter().map(|p| p.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PARAMS.len());
        for param in PARAMS {
            assert!((param.min..=param.max).contains(&param.default), "{}", param.name);
            let mut params = Params::default();
            assert_eq!(params.get(param.name), Some(param.default));
            let other = if param.default == param.max { param.min } else { param.max };
            params.set(param.name, other);
            assert_eq!(params.get(param.name), Some(other));
            let changed = PARAMS.iter().filter(|p| params.get(p.name) != Some(p.default)).count();
            assert_eq!(changed, 1, "{}", param.name);
        }
    }
}
