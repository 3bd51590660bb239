//! How well moves are ordered: where cut-offs come from. Only a build with the feature `stats` counts.
//!
//! A node that is cut off should be cut off by its first move: every other one was searched in vain. Without the
//! feature the counter has no size and counting no instructions.
//! <https://www.chessprogramming.org/Move_Ordering>

/// What kind of move cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The table's move.
    Table,
    /// A capture or promotion.
    Noisy,
    /// The killer.
    Killer,
    /// Another quiet move.
    Quiet,
    /// Any move of quiescence.
    Quiescence,
}

/// Cut-offs by a move that was searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cutoffs {
    /// By cause: all, and those by the first move.
    #[cfg(feature = "stats")]
    pub by_cause: [[u64; 2]; 5],
    /// Sum of the numbers of the moves that cut off in the main search.
    #[cfg(feature = "stats")]
    pub moves: u64,
}

impl Cutoffs {
    /// The move with this number, counted from 1, cut off.
    #[inline]
    #[allow(
        clippy::needless_pass_by_ref_mut,
        unused_variables,
        reason = "there is nothing to count without the feature"
    )]
    pub(super) fn note(&mut self, number: i32, cause: impl FnOnce() -> Cause) {
        #[cfg(feature = "stats")]
        {
            let cause = cause();
            let counts = &mut self.by_cause[cause as usize];
            counts[0] += 1;
            counts[1] += u64::from(number == 1);
            if cause != Cause::Quiescence {
                self.moves += u64::from(number.unsigned_abs());
            }
        }
    }

    /// Adds those of another search.
    #[cfg(feature = "stats")]
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.by_cause.iter_mut().flatten().zip(other.by_cause.iter().flatten()) {
            *mine += theirs;
        }
        self.moves += other.moves;
    }
}

#[cfg(feature = "stats")]
impl std::fmt::Display for Cutoffs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sums = |causes: &[[u64; 2]]| [0, 1].map(|index| causes.iter().map(|counts| counts[index]).sum::<u64>());
        let ([all, first], [everywhere, first_everywhere]) = (sums(&self.by_cause[..4]), sums(&self.by_cause));
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mean = self.moves as f64 / all.max(1) as f64;
        write!(f, "{all} cut-offs, {:.2} % by the first move, mean number {mean:.3}", share(first, all))?;
        for (cause, [by, first]) in [Cause::Table, Cause::Noisy, Cause::Killer, Cause::Quiet].iter().zip(self.by_cause)
        {
            write!(f, "; {cause:?} {:.1} % ({:.1} % first)", share(by, all), share(first, by))?;
        }
        let share_everywhere = share(first_everywhere, everywhere);
        write!(f, "; with quiescence {everywhere} cut-offs, {share_everywhere:.2} % by the first move")
    }
}
