//! How well moves are ordered: where cut-offs come from. Only a build with the feature `stats` counts.
//!
//! A node that is cut off should be cut off by its first move: every other one was searched in vain. The table's move
//! comes first where there is one, and where the table's score alone is enough, not even that is searched. Both rates
//! are reported: of the nodes where moves were searched, and with those that the table settled; for all nodes, and for
//! those that were expected to be cut off (at others a cut-off is a surprise, seldom by the first move). Without the
//! feature the counter has no size and counting no instructions.
//! <https://www.chessprogramming.org/Move_Ordering>

/// What cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutoffCause {
    /// The table's move.
    TtMove,
    /// A capture or promotion.
    Noisy,
    /// The killer.
    Killer,
    /// Another quiet move.
    Quiet,
    /// Any move of quiescence.
    Quiescence,
    /// The table's score in the main search: no move was searched.
    TtCutoff,
}

/// Depths from here on are counted together.
#[cfg(feature = "stats")]
const DEPTHS: usize = 13;

/// The node that was cut off.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "stats"), allow(dead_code, reason = "there is nothing to count without the feature"))]
pub(super) struct CutoffNode {
    /// How deep it was to be searched, plies; 0 in quiescence.
    pub depth: i32,
    /// It was expected to be cut off.
    pub expected: bool,
}

/// Cut-offs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cutoffs {
    /// By cause: all, and those by the first move.
    #[cfg(feature = "stats")]
    by_cause: [[u64; 2]; 6],
    /// Of the main search by depth: all by a searched move, those by the first move, those settled by the table.
    #[cfg(feature = "stats")]
    by_depth: [[u64; 3]; DEPTHS],
    /// The same three for nodes that were expected to be cut off.
    #[cfg(feature = "stats")]
    expected: [u64; 3],
    /// Sum of the numbers of the moves that cut off in the main search.
    #[cfg(feature = "stats")]
    moves: u64,
}

impl Cutoffs {
    /// The move with this number, counted from 1, cut off this node.
    #[inline]
    #[allow(
        clippy::needless_pass_by_ref_mut,
        unused_variables,
        reason = "there is nothing to count without the feature"
    )]
    pub(super) fn record(&mut self, number: i32, node: CutoffNode, cause: impl FnOnce() -> CutoffCause) {
        #[cfg(feature = "stats")]
        {
            let (cause, first) = (cause(), u64::from(number == 1));
            let counts = &mut self.by_cause[cause as usize];
            counts[0] += 1;
            counts[1] += first;
            let counts = match cause {
                CutoffCause::Quiescence => return,
                CutoffCause::TtCutoff => [0, 0, 1],
                CutoffCause::TtMove | CutoffCause::Noisy | CutoffCause::Killer | CutoffCause::Quiet => {
                    self.moves += u64::from(number.unsigned_abs());
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

    /// Adds those of another search.
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
    counts.iter_mut().zip(others).for_each(|(mine, theirs)| *mine += theirs);
}

#[cfg(feature = "stats")]
impl std::fmt::Display for Cutoffs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sums = |causes: &[[u64; 2]]| [0, 1].map(|index| causes.iter().map(|counts| counts[index]).sum::<u64>());
        let ([all, first], [with_quiescence, with_quiescence_first]) =
            (sums(&self.by_cause[..4]), sums(&self.by_cause[..5]));
        let settled = self.by_cause[CutoffCause::TtCutoff as usize][0];
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mean = self.moves as f64 / all.max(1) as f64;
        write!(f, "{all} cut-offs, {:.2} % by the first move, mean number {mean:.3}", share(first, all))?;
        for (cause, [by, first]) in
            [CutoffCause::TtMove, CutoffCause::Noisy, CutoffCause::Killer, CutoffCause::Quiet].iter().zip(self.by_cause)
        {
            write!(f, "; {cause:?} {:.1} % ({:.1} % first)", share(by, all), share(first, by))?;
        }
        let everywhere = share(with_quiescence_first, with_quiescence);
        write!(f, "; with quiescence {with_quiescence} cut-offs, {everywhere:.2} % by the first move")?;
        let with_settled = share(first + settled, all + settled);
        write!(f, "; with {settled} that the table settled {with_settled:.2} % by the table or the first move")?;
        let depths = self.by_depth.iter().enumerate().filter(|(_, counts)| counts[0] > 0);
        let named = depths.map(|(depth, counts)| {
            (if depth + 1 == DEPTHS { format!("depth {depth}+") } else { format!("depth {depth}") }, counts)
        });
        for (name, [all, first, settled]) in std::iter::once(("expected".to_owned(), &self.expected)).chain(named) {
            let (searched, with_settled) = (share(*first, *all), share(first + settled, all + settled));
            write!(f, "\n{name:>9}: {all:9} cut-offs, {searched:.1} % by the first move; ")?;
            write!(f, "{settled:9} settled, together {with_settled:.1} %")?;
        }
        Ok(())
    }
}
