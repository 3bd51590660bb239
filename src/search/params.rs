//! Search parameters: each declared once, with default, range and description.
//!
//! One row of `params!` declares a parameter completely: the field that the search reads, its key in `engine.toml` and
//! in the output of `config show`, its range check and, in a build with the feature `tune`, its UCI option for
//! external tuners. A switch that is off disables its rule completely. Array sizes, numbers that are not tuned and most
//! divisors are constants: the compiler replaces a division by a constant by shifts and multiplications. For divisors
//! that are parameters, `reductions.rs` has tables and reciprocals.

use std::time::Duration;

/// One ply in the units of late move reductions.
pub(super) const ONE_PLY: i32 = 1024;
/// Null move: maximum additional reduction for an evaluation above beta, plies.
pub(super) const NMP_MAX_EVAL_REDUCTION: i32 = 3;
/// Null move: minimum depth at which a cutoff is verified, plies.
pub(super) const NMP_VERIFICATION_DEPTH: i32 = 14;
/// ProbCut: reduction of the search of a capture, plies.
pub(super) const PROBCUT_REDUCTION: i32 = 4;
/// ProbCut: the result is stored in the TT, or looked up there, with this reduction of the node's depth, plies.
pub(super) const PROBCUT_TT_REDUCTION: i32 = 3;
/// Futility: history score per centipawn of margin.
pub(super) const FUTILITY_HISTORY_DIVISOR: i32 = 128;
/// SEE pruning: capture history score per centipawn of margin.
pub(super) const SEE_HISTORY_DIVISOR: i32 = 64;
/// LMR: minimum depth, plies.
pub(super) const LMR_MIN_DEPTH: i32 = 2;
/// LMR: more cutoffs than this at the next ply are many.
pub(super) const LMR_MANY_CUTOFFS: u32 = 3;
/// LMR: increase of `lmr_deeper` per ply, centipawns.
pub(super) const LMR_DEEPER_PER_PLY: i32 = 2;
/// Singular extension: the TT entry may be this much shallower than the node, plies.
pub(super) const SINGULAR_TT_REDUCTION: i32 = 3;
/// Singular extension: unit of `singular_margin`, as a fraction of a centipawn.
pub(super) const SINGULAR_MARGIN_SCALE: i32 = 16;
/// Singular extension: divisor of the depth of the singular search.
pub(super) const SINGULAR_DEPTH_DIVISOR: i32 = 2;
/// Singular extension: only at plies below this multiple of the depth of the iteration.
pub(super) const SINGULAR_MAX_PLY_FACTOR: usize = 2;
/// Singular extension: after more than this number of double extensions on a path, no further ones.
pub(super) const MAX_DOUBLE_EXTENSIONS: i32 = 8;
/// Quiescence: SEE that a capture needs if evaluation, margin and captured piece do not exceed alpha, centipawns.
pub(super) const QS_MIN_GAIN: i32 = 1;
/// Tablebases: their results are stored in the TT as if this much deeper, plies.
pub(super) const TB_DEPTH_BONUS: i32 = 6;
/// Largest magnitude of a history value.
pub(super) const HISTORY_LIMIT: i32 = 16_384;
/// History: divisor of the continuation history of the move four plies ago.
pub(super) const DISTANT_HISTORY_DIVISOR: i32 = 2;
/// History: a TT cutoff gives a malus to the opponent's last move if it was one of this many first moves.
pub(super) const MAX_REFUTED_MOVE_NUMBER: i32 = 3;
/// History: maximum number of quiet and of noisy moves of a node that get a malus.
pub(super) const MAX_SEARCHED_MOVES: usize = 32;
/// Largest magnitude of a correction history value.
pub(super) const CORRECTION_LIMIT: i32 = 1024;
/// Correction history: largest update.
pub(super) const CORRECTION_MAX_BONUS: i32 = CORRECTION_LIMIT / 4;
/// Correction history: divisor of error times depth.
pub(super) const CORRECTION_ERROR_DIVISOR: i32 = 8;
/// Correction history: divisor of the sum of the weighted entries; the quotient is in centipawns.
pub(super) const CORRECTION_SCALE: i32 = 256;
/// Aspiration windows: half width above which the window is opened, centipawns.
pub(super) const ASPIRATION_MAX_DELTA: i32 = 600;
/// Aspiration windows: maximum reduction after repeated fail highs, plies.
pub(super) const ASPIRATION_MAX_REDUCTION: i32 = 3;
/// Aspiration windows: difference of the half width from one thread to the next, centipawns.
pub(super) const ASPIRATION_THREAD_DELTA: i32 = 8;
/// Aspiration windows: number of different widths.
pub(super) const ASPIRATION_WIDTHS: usize = 4;
/// Singular extension: reduction of a TT move that is not singular and expected to fail high, plies.
pub(super) const FAIL_HIGH_REDUCTION: i32 = 2;
/// Singular extension: reduction of another TT move that is not singular, in a cut node, plies.
pub(super) const CUT_NODE_REDUCTION: i32 = 1;
/// Static evaluation: N in `eval * (N - halfmove clock) / N`, with a clock of at most 100.
pub(super) const FIFTY_MOVE_SCALE: i32 = 200;
/// Move ordering: factor of the value of a captured piece.
pub(super) const VICTIM_FACTOR: i32 = 16;
/// Move ordering: divisor of the capture history.
pub(super) const CAPTURE_HISTORY_DIVISOR: i32 = 8;
/// Move ordering: malus of an underpromotion, more than any victim is worth.
pub(super) const UNDERPROMOTION_MALUS: i32 = 32_000;
/// Time: number of moves for which a reserve is kept in sudden death, for overhead that the increment does not cover.
pub(super) const EXPECTED_MOVES: u64 = 50;
/// Time: maximum number of moves to go that is used.
pub(super) const MAX_MOVES_TO_GO: u32 = 50;
/// Time: soft limit with moves to go, percent of the time per move.
pub(super) const MOVES_TO_GO_SHARE: i32 = 85;
/// Time: maximum fraction of the remaining time with one move to go, percent.
pub(super) const LAST_MOVE_SHARE: i32 = 90;
/// Time: maximum factor of the soft limit; above every value that the constants below give.
pub(super) const MAX_TIME_FACTOR: f64 = 5.0;
/// Time: factor of the soft limit when the best move is new.
pub(super) const NEW_MOVE_FACTOR: f64 = 1.35;
/// Time: decrease of that factor for each iteration with an unchanged best move.
pub(super) const UNCHANGED_MOVE_FACTOR: f64 = 0.08;
/// Time: number of iterations after which an unchanged best move no longer decreases the factor.
pub(super) const MAX_UNCHANGED_ITERATIONS: u32 = 8;
/// Time: rise of the score over three iterations beyond which the soft limit shrinks no further, centipawns.
pub(super) const MAX_SCORE_RISE: i32 = 20;
/// Time: drop of the score over three iterations beyond which the soft limit grows no further, centipawns.
pub(super) const MAX_SCORE_DROP: i32 = 60;
/// Time: centipawns; the soft limit grows by the drop of the score divided by this.
pub(super) const SCORE_DROP_SCALE: f64 = 100.0;
/// Time: factor of the soft limit, less the fraction of nodes spent on the best move.
pub(super) const EFFORT_FACTOR: f64 = 1.7;
/// Time: factor of the soft limit with a single legal move, and its minimum.
pub(super) const ONLY_MOVE_TIME_FACTOR: f64 = 0.05;
/// Scale of the soft time limit for a search other than the default one, between iterations: the next iteration of a
/// search with little pruning takes several times as long as all before it.
pub(super) const SIMPLE_ITERATION_FACTOR: f64 = 0.5;
/// Scale of the soft time limit for a search other than the default one, at which it ends an iteration. Such a search
/// reaches it at most moves; the hard limit would use up the clock.
pub(super) const SIMPLE_NODE_FACTOR: f64 = 1.5;
/// Searches longer than this also report bounds and the current move, as with `UCI_AnalyseMode`.
pub(super) const LONG_SEARCH: Duration = Duration::from_secs(3);

/// Returns the number of plies without null moves in a verification search: three quarters of its depth.
pub(super) fn nmp_verification_plies(depth: i32) -> usize {
    3 * depth.max(1) as usize / 4
}

/// Declaration of a search parameter.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Param {
    /// Key in `engine.toml` and name of the UCI option.
    pub name: &'static str,
    /// Default value; 0 or 1 for a switch.
    pub default: i32,
    /// Smallest allowed value.
    pub min: i32,
    /// Largest allowed value.
    pub max: i32,
    /// Whether the parameter is a switch (on/off) instead of a number.
    pub switch: bool,
    /// Description, with unit.
    pub doc: &'static str,
}

/// Error of [`Params::with`].
#[derive(thiserror::Error, Clone, Debug)]
#[non_exhaustive]
pub enum ParamError {
    /// No search parameter has this name.
    #[error("unknown search parameter '{0}'")]
    Unknown(String),
    /// The value is not in the range of the parameter.
    #[error("search parameter '{}': {value} is not in {}..={}", .param.name, .param.min, .param.max)]
    Range {
        /// The parameter.
        param: &'static Param,
        /// The given value.
        value: i32,
    },
}

macro_rules! params {
    (switches { $( #[doc = $sdoc:literal] $sname:ident; )* }
     numbers { $( #[doc = $ndoc:literal] $nname:ident = $default:literal, $min:literal ..= $max:literal; )* }) => {
        /// The values of all search parameters.
        ///
        /// The defaults are tuned for the evaluator of this library. An engine with another one passes its own to
        /// [`EngineBuilder::params`](crate::engine::EngineBuilder::params), for example larger margins for scores that
        /// vary more. `engine.toml` describes each parameter. Semantic versioning does not cover their names.
        ///
        /// ```
        /// use aspirant::prelude::*;
        /// use aspirant::search::params::Params;
        ///
        /// let params = Params::default().with("rfp_margin", 95)?.with("razoring", 0)?;
        /// let engine = Engine::builder().params(params).build()?;
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $( #[doc = $sdoc] pub(crate) $sname: bool, )*
            $( #[doc = $ndoc] pub(crate) $nname: i32, )*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $( $sname: true, )* $( $nname: $default, )* }
            }
        }

        /// The declarations of all search parameters, switches first.
        pub const PARAMS: &[Param] = &[
            $( Param { name: stringify!($sname), default: 1, min: 0, max: 1, switch: true, doc: $sdoc.trim_ascii() }, )*
            $( Param { name: stringify!($nname), default: $default, min: $min, max: $max, switch: false, doc: $ndoc.trim_ascii() }, )*
        ];

        impl Params {
            /// Returns the value of a parameter, 0 or 1 for a switch; `None` if the name is unknown.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $( stringify!($sname) => Some(i32::from(self.$sname)), )*
                    $( stringify!($nname) => Some(self.$nname), )*
                    _ => None,
                }
            }

            /// Returns the parameters with another value of one of them, 0 or 1 for a switch.
            ///
            /// # Errors
            /// [`ParamError`] if there is no such parameter, or the value is not in its range (see [`PARAMS`]).
            pub fn with(mut self, name: &str, value: i32) -> Result<Self, ParamError> {
                let param = PARAMS.iter().find(|param| param.name == name);
                let param = param.ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
                if !(param.min..=param.max).contains(&value) {
                    return Err(ParamError::Range { param, value });
                }
                self.set(name, value);
                Ok(self)
            }

            /// Sets a parameter. An unknown name is ignored.
            ///
            /// The caller checks name and range (see [`PARAMS`]).
            #[doc(hidden)]
            pub fn set(&mut self, name: &str, value: i32) {
                match name {
                    $( stringify!($sname) => self.$sname = value != 0, )*
                    $( stringify!($nname) => self.$nname = value, )*
                    _ => {}
                }
            }

            /// Returns parameters with all switches off; what remains is a fixed-depth principal variation search.
            #[must_use]
            pub fn plain() -> Self {
                Self { $( $sname: false, )* ..Self::default() }
            }
        }
    };
}

params! {
    switches {
        /// Uses the transposition table.
        transposition_table;
        /// Resolves captures at the leaves by quiescence search instead of using the static evaluation there.
        quiescence;
        /// Searches each iteration with a narrow window around the previous score.
        aspiration;
        /// Prunes variations that cannot lead to a shorter mate than one already found.
        mate_distance_pruning;
        /// Corrects the static evaluation by its errors in earlier searches of similar positions.
        correction_history;
        /// Scales the evaluation toward zero as the fifty-move counter grows.
        fifty_move_scaling;
        /// Returns early if the evaluation is far above beta.
        reverse_futility;
        /// Drops into quiescence search if the evaluation is far below alpha.
        razoring;
        /// Returns early if the score stays at or above beta even after a null move.
        null_move;
        /// Returns early if a good capture beats beta by a margin in a shallow search.
        prob_cut;
        /// Reduces the depth of PV nodes and expected cut nodes without a TT move.
        internal_iterative_reductions;
        /// Orders the last quiet move that caused a cutoff at the same ply before the other quiet moves.
        killer_move;
        /// Skips late quiet moves at low depth.
        late_move_pruning;
        /// Skips quiet moves that are unlikely to raise the evaluation to alpha.
        futility_pruning;
        /// Skips moves that lose material by static exchange evaluation (SEE).
        see_pruning;
        /// Skips quiet moves with a bad history.
        history_pruning;
        /// Searches late moves at reduced depth first (LMR).
        late_move_reductions;
        /// Searches a TT move deeper if it is much better than all other moves.
        singular_extension;
    }
    numbers {
        /// Aspiration windows: half width of the first window, centipawns.
        aspiration_delta = 12, 4..=200;
        /// Aspiration windows: minimum depth, plies.
        aspiration_depth = 4, 1..=20;
        /// Aspiration windows: growth at each failure, percent.
        aspiration_growth = 60, 10..=300;
        /// Reverse futility: maximum depth, plies.
        rfp_depth = 9, 1..=20;
        /// Reverse futility: margin per ply, centipawns.
        rfp_margin = 78, 20..=250;
        /// Reverse futility: subtracted from the margin when improving, centipawns.
        rfp_improving = 62, 0..=250;
        /// Reverse futility: minimum margin, centipawns.
        rfp_min_margin = 20, 0..=100;
        /// Reverse futility: added to the margin if a less valuable piece attacks a piece of the side to move, centipawns.
        rfp_threat = 45, 0..=250;
        /// Razoring: maximum depth, plies.
        razor_depth = 3, 0..=8;
        /// Razoring: margin per ply, centipawns.
        razor_margin = 293, 50..=800;
        /// Null move: minimum depth, plies.
        nmp_depth = 3, 1..=10;
        /// Null move: base reduction, plies.
        nmp_base = 4, 1..=8;
        /// Null move: depth per additional ply of reduction, plies.
        nmp_divisor = 4, 1..=10;
        /// Null move: evaluation above beta per additional ply of reduction, centipawns.
        nmp_eval_divisor = 171, 50..=500;
        /// Null move: minimum of static evaluation minus beta, less `nmp_depth_margin` per ply of depth, centipawns.
        nmp_margin = 140, 0..=300;
        /// Null move: decrease of `nmp_margin` per ply of depth, centipawns.
        nmp_depth_margin = 12, 0..=50;
        /// ProbCut: minimum depth, plies.
        probcut_depth = 5, 3..=12;
        /// ProbCut: margin above beta, centipawns.
        probcut_margin = 188, 50..=500;
        /// ProbCut: subtracted from the margin when improving, centipawns.
        probcut_improving = 60, 0..=250;
        /// Internal iterative reductions: minimum depth, plies.
        iir_depth = 4, 2..=12;
        /// Late move pruning: maximum depth, plies.
        lmp_depth = 9, 1..=20;
        /// Late move pruning: skips quiet moves from move `lmp_base` + depth squared on; half that if not improving.
        lmp_base = 7, 0..=12;
        /// Futility: maximum reduced depth, plies.
        futility_depth = 8, 1..=16;
        /// Futility: constant margin, centipawns.
        futility_base = 65, 0..=400;
        /// Futility: margin per ply, centipawns.
        futility_margin = 71, 20..=250;
        /// SEE pruning: maximum depth, plies.
        see_depth = 9, 1..=16;
        /// SEE pruning: allowed loss of captures and promotions per ply, centipawns.
        see_noisy = 70, 10..=300;
        /// SEE pruning: allowed loss of quiet moves per squared reduced ply, centipawns.
        see_quiet = 23, 5..=150;
        /// History pruning: maximum reduced depth, plies.
        history_depth = 5, 1..=12;
        /// History pruning: moves with a history score below minus this value per ply of reduced depth are skipped.
        history_margin = 3485, 500..=12000;
        /// LMR, quiet moves: constant, 1024ths of a ply.
        lmr_base = 964, 0..=2500;
        /// LMR, quiet moves: divisor of ln(depth) ln(move number), hundredths.
        lmr_divisor = 198, 100..=500;
        /// LMR, captures and promotions: constant, 1024ths of a ply.
        lmr_noisy_base = 172, -1000..=2000;
        /// LMR, captures and promotions: divisor of ln(depth) ln(move number), hundredths.
        lmr_noisy_divisor = 315, 150..=800;
        /// LMR: less reduction in PV nodes, 1024ths of a ply.
        lmr_pv = 799, 0..=3000;
        /// LMR: less reduction in nodes that are or, according to the TT, were PV nodes, 1024ths of a ply.
        lmr_tt_pv = 330, 0..=3000;
        /// LMR: less reduction in such nodes if the TT score exceeds alpha, 1024ths of a ply.
        lmr_tt_pv_score = 500, 0..=3000;
        /// LMR: less reduction in such nodes if the TT entry is at least as deep as the node, 1024ths of a ply.
        lmr_tt_pv_depth = 500, 0..=3000;
        /// LMR: more reduction in expected cut nodes, 1024ths of a ply.
        lmr_cut_node = 1688, 0..=3000;
        /// LMR: more reduction when not improving, 1024ths of a ply.
        lmr_not_improving = 641, 0..=2000;
        /// LMR: more reduction if the TT move is a capture or promotion, 1024ths of a ply.
        lmr_tt_noisy = 796, 0..=2000;
        /// LMR: less reduction of the killer move, 1024ths of a ply.
        lmr_killer = 1087, 0..=3000;
        /// LMR: less reduction of pushes of passed pawns to the sixth or seventh rank, 1024ths of a ply.
        lmr_passed_pawn = 1024, 0..=3000;
        /// LMR: less reduction of checks, 1024ths of a ply.
        lmr_check = 888, 0..=3000;
        /// LMR: more reduction after many cutoffs in nodes at the next ply, 1024ths of a ply.
        lmr_cutoffs = 664, 0..=2500;
        /// LMR, quiet moves: history score per ply of reduction.
        lmr_history = 8167, 2000..=30000;
        /// LMR, captures and promotions: history score per ply of reduction.
        lmr_noisy_history = 6000, 1000..=30000;
        /// LMR: re-search one ply deeper if the score exceeds the best by this and 2 per ply, centipawns.
        lmr_deeper = 18, 5..=200;
        /// Singular extension: minimum depth, plies.
        singular_depth = 7, 4..=14;
        /// Singular extension: margin below the TT score per ply, 16ths of a centipawn.
        singular_margin = 7, 4..=96;
        /// Singular extension: extend by two plies if the search fails low by this much more, centipawns.
        singular_double = 15, 0..=100;
        /// Quiescence: futility margin of a capture without material gain (SEE), centipawns.
        qs_futility = 80, 30..=500;
        /// Move ordering: bonus for a minor piece leaving a pawn attack, malus for entering one, history score.
        threat_bonus_minor = 5000, 0..=30000;
        /// Move ordering: the same for a rook and attacks by pawns and minor pieces, history score.
        threat_bonus_rook = 8000, 0..=30000;
        /// Move ordering: the same for a queen and attacks by pawns, minor pieces and rooks, history score.
        threat_bonus_queen = 14000, 0..=30000;
        /// Move ordering: bonus for a quiet move that gives direct check, history score.
        check_bonus = 6000, 0..=30000;
        /// History bonus: per ply of depth.
        history_bonus = 150, 20..=600;
        /// History bonus: subtracted constant.
        history_bonus_offset = 120, 0..=600;
        /// History bonus: maximum.
        history_bonus_max = 1674, 0..=4000;
        /// History bonus: computed for one more ply if the score exceeds beta by more than this, centipawns.
        history_beta_margin = 60, 0..=500;
        /// History malus: per ply of depth.
        history_malus = 253, 20..=800;
        /// History malus: maximum.
        history_malus_max = 976, 0..=4000;
        /// History bonus of the TT move after a TT cutoff, percent of the normal bonus.
        history_tt_bonus = 55, 0..=200;
        /// History bonus of the opponent's last quiet move after a fail low, percent of the normal bonus.
        history_prior_bonus = 70, 0..=200;
        /// Correction history: weight of the pawn structure, 256ths.
        correction_pawn = 10, 0..=100;
        /// Correction history: weight of each side's pieces without pawns, 256ths.
        correction_non_pawn = 8, 0..=100;
        /// Correction history: weight of knights, bishops and kings, 256ths.
        correction_minor = 18, 0..=100;
        /// Correction history: weight of the last two moves, 256ths.
        correction_continuation = 19, 0..=100;
        /// Correction history: weight of the last move and the one four plies ago, 256ths.
        correction_distant = 10, 0..=100;
        /// Time: fraction of the remaining time per move, permille.
        time_share = 45, 10..=150;
        /// Time: fraction of the increment (less the overhead) per move, percent.
        time_increment = 75, 0..=100;
        /// Time: hard limit, percent of the soft limit; with moves to go, percent of half the average time per move.
        time_hard = 400, 100..=1000;
        /// Time: maximum fraction of the remaining time per move, percent (90 with one move to go).
        time_max_share = 60, 10..=90;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn get_and_set_access_the_field_of_each_parameter() {
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

    #[test]
    fn invalid_names_and_values_are_errors() {
        let error = |name, value| Params::default().with(name, value).unwrap_err().to_string();
        assert_eq!(error("rfp_margins", 90), "unknown search parameter 'rfp_margins'");
        assert_eq!(error("rfp_margin", 19), "search parameter 'rfp_margin': 19 is not in 20..=250");
        assert_eq!(error("null_move", 2), "search parameter 'null_move': 2 is not in 0..=1");
        let params = Params::default().with("rfp_margin", 20).unwrap().with("null_move", 0).unwrap();
        assert_eq!((params.get("rfp_margin"), params.get("null_move")), (Some(20), Some(0)));
    }
}
