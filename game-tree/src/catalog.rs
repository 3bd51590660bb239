//! The catalog of algorithms, for programs that let a user choose one and for tests of all.
//!
//! To add an algorithm, write its file, add a row to [`ALGORITHMS`] and an arm to [`Algorithm::run`]. The agreement tests
//! then include it.

use crate::algorithms::and_or::CutoffRule;
use crate::algorithms::aspiration::WindowSearch;
use crate::algorithms::{
    alpha_beta, and_or, aspiration, branch_and_bound, enhanced_transposition_cutoffs, explicit_stack, fail_soft,
    iterative_deepening, minimax, minimax_form, mtd, negamax, negascout, pvs, scout, sss_star,
};
use crate::{GameTree, SearchContext, TreeSearchError, TreeSearchOutcome, UNBOUNDED, Value};

/// The procedure that a row of the catalog runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // each is documented by its row and its file
pub enum AlgorithmId {
    Minimax,
    ExplicitStack,
    Negamax,
    BranchAndBound,
    FailHard,
    FailSoft,
    MinimaxForm,
    AndOrShallow,
    AndOrDeep,
    Aspiration,
    Scout,
    Pvs,
    NegaScout,
    AspirationNegaScout,
    MtdF,
    SssStar,
    DualStar,
    MtdPlusInfinity,
    MtdMinusInfinity,
    IterativeDeepening,
    EnhancedTranspositionCutoffs,
}

/// How an algorithm uses `SearchContext::memory`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryUse {
    /// Ignores the memory.
    Never,
    /// Uses the memory if there is one.
    Optional,
    /// Creates a memory if there is none.
    Always,
}

/// One row of the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Algorithm {
    /// The procedure.
    pub id: AlgorithmId,
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// Number of the group of related algorithms, in reading order.
    pub family: u8,
    /// Year of publication.
    pub year: u16,
    /// Last names, separated by commas.
    pub authors: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// A page of the Chess Programming Wiki.
    pub link: &'static str,
    /// The file in `src/algorithms/`.
    pub file: &'static str,
    /// A description in one sentence.
    pub summary: &'static str,
    /// How the algorithm uses a memory.
    pub memory: MemoryUse,
}

/// Parameters of an algorithm in addition to position and depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlgorithmSettings {
    /// The expected value for aspiration and MTD(f), for the side to move at the root, in units of the
    /// leaves (chess: centipawns); `None`: the static value of the root.
    pub guess: Option<Value>,
    /// Half the width of the aspiration window in units of the leaves; values below 1 count as 1.
    pub delta: Value,
}

impl Default for AlgorithmSettings {
    fn default() -> Self {
        Self { guess: None, delta: 25 }
    }
}

const KNUTH: (&str, &str) = ("Knuth, Moore", "An Analysis of Alpha-Beta Pruning, Artificial Intelligence 6(4)");
const PLAAT: (&str, &str) =
    ("Plaat, Schaeffer, Pijls, de Bruin", "Best-first fixed-depth minimax algorithms, Artificial Intelligence 87(1-2)");

macro_rules! row {
    ($id:ident, $name:literal, $family:literal, $memory:ident, $file:literal, $page:literal,
     $year:literal, $authors:expr, $paper:expr, $summary:literal) => {
        Algorithm {
            id: AlgorithmId::$id,
            name: $name,
            family: $family,
            year: $year,
            authors: $authors,
            paper: $paper,
            link: concat!("https://www.chessprogramming.org/", $page),
            file: $file,
            summary: $summary,
            memory: MemoryUse::$memory,
        }
    };
}

/// All algorithms, in reading order.
#[rustfmt::skip]
pub const ALGORITHMS: &[Algorithm] = &[
    row!(Minimax, "minimax", 1, Never, "minimax.rs", "Minimax",
        1950, "Shannon", "Programming a Computer for Playing Chess, Philosophical Magazine 41",
        "Evaluates every leaf; the definition of the value."),
    row!(ExplicitStack, "minimax explicit stack", 2, Never, "explicit_stack.rs", "Iterative_Search",
        1983, "Aho, Hopcroft, Ullman", "Data Structures and Algorithms, section 10.4",
        "Minimax with an explicit stack instead of recursion: no depth limit."),
    row!(Negamax, "negamax", 3, Never, "negamax.rs", "Negamax",
        1975, KNUTH.0, KNUTH.1,
        "Minimax from the perspective of the side to move: one function for both players."),
    row!(BranchAndBound, "branch and bound", 4, Never, "branch_and_bound.rs", "Branch-and-Bound",
        1975, KNUTH.0, KNUTH.1,
        "One bound, from the parent: a refuted move is abandoned at its first refutation."),
    row!(FailHard, "alpha-beta fail-hard", 5, Never, "alpha_beta.rs", "Alpha-Beta",
        1975, KNUTH.0, KNUTH.1,
        "Two bounds, passed down any number of plies: deep cutoffs."),
    row!(FailSoft, "alpha-beta fail-soft", 6, Optional, "fail_soft.rs", "Fail-Soft",
        1983, "Fishburn", "Another optimization of alpha-beta search, SIGART Newsletter 84",
        "The same leaves, but a search that fails returns the best bound found."),
    row!(MinimaxForm, "alpha-beta minimax form", 7, Never, "minimax_form.rs", "Alpha-Beta",
        2003, "Russell, Norvig", "Artificial Intelligence: A Modern Approach, 2nd edition",
        "Alpha-beta for two players: MAX raises alpha, MIN lowers beta."),
    row!(AndOrShallow, "and/or shallow", 8, Never, "and_or.rs", "Alpha-Beta",
        1983, "Aho, Hopcroft, Ullman", "Data Structures and Algorithms, section 10.4",
        "Tentative and final values; a node is compared with its parent only."),
    row!(AndOrDeep, "and/or deep", 8, Never, "and_or.rs", "Alpha-Beta",
        1971, "Nilsson", "Problem-Solving Methods in Artificial Intelligence",
        "Tentative and final values; a node is compared with every ancestor of the other kind."),
    row!(Aspiration, "aspiration", 9, Optional, "aspiration.rs", "Aspiration_Windows",
        1978, "Baudet", "The Design and Analysis of Algorithms for Asynchronous Multiprocessors (thesis)",
        "Alpha-beta in a narrow window around a guess; a re-search if the guess was wrong."),
    row!(Scout, "scout", 10, Never, "scout.rs", "Scout",
        1980, "Pearl", "SCOUT: A Simple Game-Searching Algorithm with Proven Optimal Properties, AAAI",
        "Tests whether a move is better before evaluating it."),
    row!(Pvs, "pvs", 10, Optional, "pvs.rs", "Principal_Variation_Search",
        1982, "Marsland, Campbell", "Parallel Search of Strongly Ordered Game Trees, Computing Surveys 14(4)",
        "Null windows off the principal variation; a move that fails high is re-searched with the window of the node."),
    row!(NegaScout, "negascout", 10, Optional, "negascout.rs", "NegaScout",
        1983, "Reinefeld", "An Improvement to the Scout Tree-Search Algorithm, ICCA Journal 6(4)",
        "Scout inside alpha-beta: the re-search starts at the bound of the test."),
    row!(AspirationNegaScout, "aspiration negascout", 10, Optional, "aspiration.rs", "NegaScout",
        1983, "Reinefeld", "An Improvement to the Scout Tree-Search Algorithm, ICCA Journal 6(4)",
        "NegaScout in a narrow window; the reference of published comparisons."),
    row!(MtdF, "mtd(f)", 11, Always, "mtd.rs", "MTD(f)",
        1996, PLAAT.0, PLAAT.1,
        "Null windows only, from a good guess; the memory connects the passes."),
    row!(SssStar, "sss*", 12, Never, "sss_star.rs", "SSS*_and_DUAL*",
        1979, "Stockman", "A Minimax Algorithm Better than Alpha-Beta?, Artificial Intelligence 12(2)",
        "Best-first with an OPEN list: only leaves that alpha-beta evaluates, but the most memory."),
    row!(DualStar, "dual*", 12, Never, "sss_star.rs", "SSS*_and_DUAL*",
        1987, "Marsland, Reinefeld, Schaeffer", "Low Overhead Alternatives to SSS*, Artificial Intelligence 31(2)",
        "SSS* with the players exchanged."),
    row!(MtdPlusInfinity, "mtd(+inf)", 12, Always, "mtd.rs", "SSS*_and_DUAL*",
        1996, PLAAT.0, PLAAT.1,
        "Null windows from +∞ downward: SSS* leaf for leaf."),
    row!(MtdMinusInfinity, "mtd(-inf)", 12, Always, "mtd.rs", "SSS*_and_DUAL*",
        1996, PLAAT.0, PLAAT.1,
        "Null windows from -∞ upward: DUAL* leaf for leaf."),
    row!(IterativeDeepening, "iterative deepening", 13, Optional, "iterative_deepening.rs", "Iterative_Deepening",
        1977, "Slate, Atkin", "CHESS 4.5: The Northwestern University Chess Program",
        "Depth 1, 2, 3, …: a move whenever stopped, and each iteration ordered by the last."),
    row!(EnhancedTranspositionCutoffs, "alpha-beta etc", 14, Always, "enhanced_transposition_cutoffs.rs", "Enhanced_Transposition_Cutoff",
        1996, PLAAT.0, "Exploiting Graph Properties of Game Trees, AAAI",
        "Alpha-beta with memory that looks up all children before it searches one."),
];

/// Returns the algorithm of this name; case, spaces and punctuation are ignored.
#[must_use]
pub fn find_algorithm(name: &str) -> Option<&'static Algorithm> {
    let simplified = |name: &str| plain_words(name).concat();
    ALGORITHMS.iter().find(|algorithm| simplified(algorithm.name) == simplified(name))
}

/// Returns the words of a name in lower case, with the sign of `mtd(-inf)` as a word.
fn plain_words(name: &str) -> Vec<String> {
    let name = name.replace("(-", " minus ").replace("(+", " plus ").to_lowercase();
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

impl Algorithm {
    /// Returns the algorithm that searches one iteration: that of iterative deepening is fail-soft alpha-beta.
    #[must_use]
    pub fn of_iteration(&'static self) -> &'static Self {
        let is_inner = |other: &&Self| self.id == AlgorithmId::IterativeDeepening && other.id == AlgorithmId::FailSoft;
        ALGORITHMS.iter().find(is_inner).unwrap_or(self)
    }

    /// Returns the name without spaces and characters that need quotes in a shell, for example `sss` or `mtd-f`.
    #[must_use]
    pub fn plain_name(&self) -> String {
        plain_words(self.name).join("-")
    }

    /// Runs the algorithm from `root` with leaves at `depth`.
    ///
    /// # Errors
    /// [`TreeSearchError`] if the tree is too deep for a recursive search or `ctx` stops the search.
    pub fn run<G: GameTree>(
        &self,
        ctx: &mut SearchContext<G>,
        root: &G::Position,
        depth: u32,
        settings: AlgorithmSettings,
    ) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
        let guess = settings.guess.unwrap_or_else(|| ctx.game.value(root));
        let delta = settings.delta;
        match self.id {
            AlgorithmId::Minimax => minimax::minimax(ctx, root, depth),
            AlgorithmId::ExplicitStack => explicit_stack::minimax_explicit_stack(ctx, root, depth),
            AlgorithmId::Negamax => negamax::negamax(ctx, root, depth),
            AlgorithmId::BranchAndBound => branch_and_bound::branch_and_bound(ctx, root, depth),
            AlgorithmId::FailHard => alpha_beta::alpha_beta(ctx, root, depth),
            AlgorithmId::FailSoft => fail_soft::fail_soft(ctx, root, depth),
            AlgorithmId::MinimaxForm => minimax_form::alpha_beta_minimax_form(ctx, root, depth),
            AlgorithmId::AndOrShallow => and_or::and_or(ctx, root, depth, CutoffRule::Shallow),
            AlgorithmId::AndOrDeep => and_or::and_or(ctx, root, depth, CutoffRule::Deep),
            AlgorithmId::Aspiration => aspiration::aspiration(ctx, root, depth, guess, delta, WindowSearch::AlphaBeta),
            AlgorithmId::Scout => scout::scout(ctx, root, depth),
            AlgorithmId::Pvs => pvs::pvs(ctx, root, depth),
            AlgorithmId::NegaScout => negascout::negascout(ctx, root, depth),
            AlgorithmId::AspirationNegaScout => {
                aspiration::aspiration(ctx, root, depth, guess, delta, WindowSearch::NegaScout)
            }
            AlgorithmId::MtdF => mtd::mtd(ctx, root, depth, guess),
            AlgorithmId::SssStar => sss_star::sss_star(ctx, root, depth),
            AlgorithmId::DualStar => sss_star::dual_star(ctx, root, depth),
            AlgorithmId::MtdPlusInfinity => mtd::mtd(ctx, root, depth, UNBOUNDED),
            AlgorithmId::MtdMinusInfinity => mtd::mtd(ctx, root, depth, -UNBOUNDED),
            AlgorithmId::EnhancedTranspositionCutoffs => {
                enhanced_transposition_cutoffs::enhanced_transposition_cutoffs(ctx, root, depth)
            }
            AlgorithmId::IterativeDeepening => run_iterative_deepening(ctx, root, depth),
        }
    }
}

/// Runs iterative deepening with fail-soft alpha-beta and returns the counters of all iterations.
///
/// Enables the `best-move` heuristic during the run.
fn run_iterative_deepening<G: GameTree>(
    ctx: &mut SearchContext<G>,
    root: &G::Position,
    depth: u32,
) -> Result<TreeSearchOutcome<G::Move>, TreeSearchError> {
    let previous_best = std::mem::replace(&mut ctx.ordering.previous_best, true);
    let result = iterative_deepening::iterative_deepening(ctx, root, depth.max(1), |ctx, root, d, _| {
        fail_soft::fail_soft(ctx, root, d.min(depth))
    });
    ctx.ordering.previous_best = previous_best;
    ctx.counters = result.total_counters;
    match result.stopped {
        Some(TreeSearchError::Stopped { .. }) => {
            return Err(TreeSearchError::Stopped { nodes: result.total_counters.nodes });
        }
        Some(stop) => return Err(stop),
        None => {}
    }
    match result.last_iteration {
        Some(last_iteration) => Ok(TreeSearchOutcome { counters: result.total_counters, ..last_iteration }),
        None => Err(TreeSearchError::Stopped { nodes: result.total_counters.nodes }),
    }
}
