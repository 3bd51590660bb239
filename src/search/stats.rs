//! Move ordering statistics: causes of cutoffs, counted only with the feature `stats`.
//!
//! With perfect ordering, every cutoff comes from the first move; all moves searched before the cutoff are wasted. The
//! TT move, if there is one, is searched first, and with a TT cutoff no move is searched at all. Two first-move cutoff
//! rates are reported: of the nodes in which moves were searched, and with the TT cutoffs added; each for all nodes and
//! for expected cut nodes (in other nodes a cutoff is unexpected and seldom caused by the first move). Without the
//! feature, the counter has no size and counting compiles to nothing.
//! <https://www.chessprogramming.org/Move_Ordering>
#![doc(hidden)]

/// Cause of a cutoff.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutoffCause {
    /// The TT move.
    TtMove,
    /// Another noisy move.
    Noisy,
    /// The killer move.
    Killer,
    /// Another quiet move.
    Quiet,
    /// Any move of quiescence search.
    Quiescence,
    /// TT cutoff in the main search: no move was searched.
    TtCutoff,
}

impl CutoffCause {
    /// Returns the cause of a cutoff by a move in the main search.
    pub(super) fn of_move(is_tt_move: bool, quiet: bool, is_killer: bool) -> Self {
        if is_tt_move {
            Self::TtMove
        } else if !quiet {
            Self::Noisy
        } else if is_killer {
            Self::Killer
        } else {
            Self::Quiet
        }
    }
}

/// Number of depths counted separately; the last includes all greater depths.
#[cfg(feature = "stats")]
const DEPTHS: usize = 13;

/// The node in which a cutoff occurred.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "stats"), allow(dead_code, reason = "there is nothing to count without the feature"))]
pub(super) struct CutoffNode {
    /// Depth of the node, plies; 0 in quiescence search.
    pub depth: i32,
    /// Whether the node was an expected cut node.
    pub expected: bool,
}

/// Cutoff counters of one or more searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cutoffs {
    /// By cause: all cutoffs, and those by the first move.
    #[cfg(feature = "stats")]
    by_cause: [[u64; 2]; 6],
    /// In the main search by depth: cutoffs by a searched move, those by the first move, TT cutoffs.
    #[cfg(feature = "stats")]
    by_depth: [[u64; 3]; DEPTHS],
    /// The same three counters for expected cut nodes.
    #[cfg(feature = "stats")]
    expected: [u64; 3],
    /// Sum of the numbers of the moves that caused a cutoff in the main search.
    #[cfg(feature = "stats")]
    moves: u64,
}

impl Cutoffs {
    /// Records a cutoff by the move with this number, counted from 1 (0 for a TT cutoff).
    #[inline]
    #[allow(
        clippy::needless_pass_by_ref_mut,
        unused_variables,
        reason = "there is nothing to count without the feature"
    )]
    pub(super) fn record(&mut self, move_number: i32, node: CutoffNode, cause: impl FnOnce() -> CutoffCause) {
        #[cfg(feature = "stats")]
        {
            let (cause, first) = (cause(), u64::from(move_number == 1));
            let counts = &mut self.by_cause[cause as usize];
            counts[0] += 1;
            counts[1] += first;
            let counts = match cause {
                CutoffCause::Quiescence => return,
                CutoffCause::TtCutoff => [0, 0, 1],
                CutoffCause::TtMove | CutoffCause::Noisy | CutoffCause::Killer | CutoffCause::Quiet => {
                    self.moves += u64::from(move_number.unsigned_abs());
                    [1, first, 0]
                }
            };
            let depth = usize::try_from(node.depth).unwrap_or(0).min(DEPTHS - 1);
            add(&mut self.by_depth[depth], &counts);
            if node.expected {
                add(&mut self.expected, &counts);
            }
        }
    }

    /// Adds the counters of another search.
    #[cfg(feature = "stats")]
    pub fn add(&mut self, other: &Self) {
        add(self.by_cause.as_flattened_mut(), other.by_cause.as_flattened());
        add(self.by_depth.as_flattened_mut(), other.by_depth.as_flattened());
        add(&mut self.expected, &other.expected);
        self.moves += other.moves;
    }
}

#[cfg(feature = "stats")]
fn add(counts: &mut [u64], others: &[u64]) {
    counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
}

#[cfg(feature = "stats")]
impl std::fmt::Display for Cutoffs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sums = |causes: &[[u64; 2]]| [0, 1].map(|index| causes.iter().map(|counts| counts[index]).sum::<u64>());
        let ([all, first], [with_quiescence, with_quiescence_first]) =
            (sums(&self.by_cause[..4]), sums(&self.by_cause[..5]));
        let tt = self.by_cause[CutoffCause::TtCutoff as usize][0];
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mean = self.moves as f64 / all.max(1) as f64;
        write!(f, "{all} cutoffs, {:.2} % by the first move, mean move number {mean:.3}", percent(first, all))?;
        for (cause, [by_cause, first]) in
            [CutoffCause::TtMove, CutoffCause::Noisy, CutoffCause::Killer, CutoffCause::Quiet].iter().zip(self.by_cause)
        {
            write!(f, "; {cause:?} {:.1} % ({:.1} % first)", percent(by_cause, all), percent(first, by_cause))?;
        }
        let percent_with_quiescence = percent(with_quiescence_first, with_quiescence);
        write!(f, "; with quiescence {with_quiescence} cutoffs, {percent_with_quiescence:.2} % by the first move")?;
        let percent_with_tt = percent(first + tt, all + tt);
        write!(f, "; with {tt} TT cutoffs {percent_with_tt:.2} % by the TT or the first move")?;
        let depths = self.by_depth.iter().enumerate().filter(|(_, counts)| counts[0] > 0);
        let rows = depths.map(|(depth, counts)| {
            (if depth + 1 == DEPTHS { format!("depth {depth}+") } else { format!("depth {depth}") }, counts)
        });
        for (name, [all, first, tt]) in std::iter::once(("expected".to_owned(), &self.expected)).chain(rows) {
            let (percent_first, percent_with_tt) = (percent(*first, *all), percent(first + tt, all + tt));
            write!(f, "\n{name:>9}: {all:9} cutoffs, {percent_first:.1} % by the first move; ")?;
            write!(f, "{tt:9} TT cutoffs, together {percent_with_tt:.1} %")?;
        }
        Ok(())
    }
}
