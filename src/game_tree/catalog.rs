//! The table of algorithms: the one list that the tests, the command line and the README read.
//!
//! To add an algorithm: write its file beside these, give it a row here and an arm in [`Algorithm::run`];
//! the agreement tests, `compare` and `tree` then know it.

use super::and_or::CutOffs;
use super::aspiration::Pass;
use super::{
    Game, OPEN, Outcome, Search, Stop, alpha_beta, and_or, aspiration, branch_and_bound, explicit_stack, fail_soft,
    iterative_deepening, minimax, minimax_form, mtd, negamax, negascout, pvs, scout, sss_star,
};
use crate::score::Score;

/// Which procedure a row of the table runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // each is documented by its row and its file
pub enum Id {
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
}

/// What an algorithm does with `Search::memory`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryUse {
    /// Ignores it.
    Never,
    /// Uses it if it is there.
    Optional,
    /// Makes one if it is not there.
    Always,
}

/// One row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Algorithm {
    /// Which procedure.
    pub id: Id,
    /// The name on the command line and in reports.
    pub name: &'static str,
    /// Its family, 1 to 13: close relatives share a number.
    pub row: u8,
    /// Year of publication.
    pub year: u16,
    /// Authors.
    pub authors: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// A page to read.
    pub link: &'static str,
    /// Its file in `src/game_tree/`.
    pub file: &'static str,
    /// What it is, in one sentence.
    pub sentence: &'static str,
    /// What it does with a memory.
    pub memory: MemoryUse,
}

/// What an algorithm may be told besides position and depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The value that aspiration and MTD(f) expect, in units of the leaves (chess: centipawns), seen by the player to move at
    /// the root; `None`: the static value of the root.
    pub guess: Option<Score>,
    /// Half the width of the aspiration window, in units of the leaves; at least 1, what is less counts as 1.
    pub delta: Score,
}

impl Default for Settings {
    fn default() -> Self {
        Self { guess: None, delta: 25 }
    }
}

const KNUTH: (&str, &str) = ("Knuth, Moore", "An Analysis of Alpha-Beta Pruning, Artificial Intelligence 6(4)");
const PLAAT: (&str, &str) =
    ("Plaat, Schaeffer, Pijls, de Bruin", "Best-first fixed-depth minimax algorithms, Artificial Intelligence 87(1-2)");

macro_rules! row {
    ($id:ident, $name:literal, $row:literal, $year:literal, $authors:expr, $paper:expr, $page:literal,
     $file:literal, $memory:ident, $sentence:literal) => {
        Algorithm {
            id: Id::$id,
            name: $name,
            row: $row,
            year: $year,
            authors: $authors,
            paper: $paper,
            link: concat!("https://www.chessprogramming.org/", $page),
            file: $file,
            sentence: $sentence,
            memory: MemoryUse::$memory,
        }
    };
}

/// All algorithms, in the order in which they are best read.
pub const ALGORITHMS: &[Algorithm] = &[
    row!(
        Minimax,
        "minimax",
        1,
        1950,
        "Shannon",
        "Programming a Computer for Playing Chess, Philosophical Magazine 41",
        "Minimax",
        "minimax.rs",
        Never,
        "Looks at every leaf; the definition of the value."
    ),
    row!(
        ExplicitStack,
        "minimax explicit stack",
        2,
        1983,
        "Aho, Hopcroft, Ullman",
        "Data Structures and Algorithms, section 10.4",
        "Iterative_Search",
        "explicit_stack.rs",
        Never,
        "Minimax with its own stack instead of recursion: any depth."
    ),
    row!(
        Negamax,
        "negamax",
        3,
        1975,
        KNUTH.0,
        KNUTH.1,
        "Negamax",
        "negamax.rs",
        Never,
        "Minimax from the mover's side: one function for both players."
    ),
    row!(
        BranchAndBound,
        "branch and bound",
        4,
        1975,
        KNUTH.0,
        KNUTH.1,
        "Branch-and-Bound",
        "branch_and_bound.rs",
        Never,
        "One bound from the parent: a refuted move is left at its first refutation."
    ),
    row!(
        FailHard,
        "alpha-beta fail-hard",
        5,
        1975,
        KNUTH.0,
        KNUTH.1,
        "Alpha-Beta",
        "alpha_beta.rs",
        Never,
        "Two bounds that reach down any number of plies: deep cut-offs."
    ),
    row!(
        FailSoft,
        "alpha-beta fail-soft",
        6,
        1983,
        "Fishburn",
        "Another optimization of alpha-beta search, SIGART Newsletter 84",
        "Fail-Soft",
        "fail_soft.rs",
        Optional,
        "The same leaves, but a failed search returns the best bound it has seen."
    ),
    row!(
        MinimaxForm,
        "alpha-beta minimax form",
        7,
        2003,
        "Russell, Norvig",
        "Artificial Intelligence: A Modern Approach, 2nd edition",
        "Alpha-Beta",
        "minimax_form.rs",
        Never,
        "Alpha-beta told with two players: MAX raises alpha, MIN lowers beta."
    ),
    row!(
        AndOrShallow,
        "and/or shallow",
        8,
        1983,
        "Aho, Hopcroft, Ullman",
        "Data Structures and Algorithms, section 10.4",
        "Alpha-Beta",
        "and_or.rs",
        Never,
        "Tentative and final values; a node is compared with its parent only."
    ),
    row!(
        AndOrDeep,
        "and/or deep",
        8,
        1971,
        "Nilsson",
        "Problem-Solving Methods in Artificial Intelligence",
        "Alpha-Beta",
        "and_or.rs",
        Never,
        "Tentative and final values; a node is compared with every ancestor of the other kind."
    ),
    row!(
        Aspiration,
        "aspiration",
        9,
        1978,
        "Baudet",
        "The Design and Analysis of Algorithms for Asynchronous Multiprocessors (thesis)",
        "Aspiration_Windows",
        "aspiration.rs",
        Optional,
        "Alpha-beta in a narrow window around a guess, and a re-search if the guess was wrong."
    ),
    row!(
        Scout,
        "scout",
        10,
        1980,
        "Pearl",
        "SCOUT: A Simple Game-Searching Algorithm with Proven Optimal Properties, AAAI",
        "Scout",
        "scout.rs",
        Never,
        "Tests whether a move is better before it is evaluated."
    ),
    row!(
        Pvs,
        "pvs",
        10,
        1982,
        "Marsland, Campbell",
        "Parallel Search of Strongly Ordered Game Trees, Computing Surveys 14(4)",
        "Principal_Variation_Search",
        "pvs.rs",
        Optional,
        "Zero windows off the principal variation; a surprise is searched again with the open window."
    ),
    row!(
        NegaScout,
        "negascout",
        10,
        1983,
        "Reinefeld",
        "An Improvement to the Scout Tree-Search Algorithm, ICCA Journal 6(4)",
        "NegaScout",
        "negascout.rs",
        Optional,
        "Scout inside alpha-beta: the re-search starts from what the test returned."
    ),
    row!(
        AspirationNegaScout,
        "aspiration negascout",
        10,
        1983,
        "Reinefeld",
        "An Improvement to the Scout Tree-Search Algorithm, ICCA Journal 6(4)",
        "NegaScout",
        "aspiration.rs",
        Optional,
        "NegaScout in a narrow window; the yardstick of the literature."
    ),
    row!(
        MtdF,
        "mtd(f)",
        11,
        1996,
        PLAAT.0,
        PLAAT.1,
        "MTD(f)",
        "mtd.rs",
        Always,
        "Zero windows only, from a good guess; memory joins the passes."
    ),
    row!(
        SssStar,
        "sss*",
        12,
        1979,
        "Stockman",
        "A Minimax Algorithm Better than Alpha-Beta?, Artificial Intelligence 12(2)",
        "SSS*_and_DUAL*",
        "sss_star.rs",
        Never,
        "Best-first with an OPEN list: no leaf that alpha-beta leaves out, and most memory."
    ),
    row!(
        DualStar,
        "dual*",
        12,
        1987,
        "Marsland, Reinefeld, Schaeffer",
        "Low Overhead Alternatives to SSS*, Artificial Intelligence 31(2)",
        "SSS*_and_DUAL*",
        "sss_star.rs",
        Never,
        "SSS* with the players exchanged."
    ),
    row!(
        MtdPlusInfinity,
        "mtd(+inf)",
        12,
        1996,
        PLAAT.0,
        PLAAT.1,
        "SSS*_and_DUAL*",
        "mtd.rs",
        Always,
        "Zero windows from +∞ downwards: SSS* leaf for leaf."
    ),
    row!(
        MtdMinusInfinity,
        "mtd(-inf)",
        12,
        1996,
        PLAAT.0,
        PLAAT.1,
        "SSS*_and_DUAL*",
        "mtd.rs",
        Always,
        "Zero windows from -∞ upwards: DUAL* leaf for leaf."
    ),
    row!(
        IterativeDeepening,
        "iterative deepening",
        13,
        1977,
        "Slate, Atkin",
        "CHESS 4.5: The Northwestern University Chess Program",
        "Iterative_Deepening",
        "iterative_deepening.rs",
        Optional,
        "Depth 1, 2, 3, …: a move at any stop, and each iteration ordered by the last."
    ),
];

/// The algorithm of this name; case, spaces, `_` and `-` do not matter.
#[must_use]
pub fn find(name: &str) -> Option<&'static Algorithm> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| !matches!(c, ' ' | '_' | '-' | '/')).flat_map(char::to_lowercase).collect()
    };
    // `mtd(-inf)` must not lose its sign.
    let keyed = |name: &str| plain(&name.replace("(-", "(minus"));
    ALGORITHMS.iter().find(|algorithm| keyed(algorithm.name) == keyed(name))
}

/// The table as Markdown, as the README shows it (`tests/it/known_trees.rs` compares them).
#[must_use]
pub fn markdown() -> String {
    let mut table =
        String::from("| algorithm | year | author | paper | file | in one sentence |\n|---|---|---|---|---|---|\n");
    for a in ALGORITHMS {
        let row = format!(
            "| [{}]({}) | {} | {} | {} | [`{}`](src/game_tree/{}) | {} |\n",
            a.name.replace('*', "\\*"),
            a.link.replace('(', "%28").replace(')', "%29").replace('*', "%2A"),
            a.year,
            a.authors,
            a.paper,
            a.file,
            a.file,
            a.sentence.replace('*', "\\*"),
        );
        table.push_str(&row);
    }
    table
}

impl Algorithm {
    /// Runs the algorithm from `root` with leaves at `depth`.
    ///
    /// # Errors
    /// [`Stop`] if the tree is too deep for a recursive search or a limit of `s` is reached.
    pub fn run<G: Game>(
        &self,
        s: &mut Search<G>,
        root: &G::Position,
        depth: u32,
        settings: Settings,
    ) -> Result<Outcome<G::Move>, Stop> {
        let guess = settings.guess.unwrap_or_else(|| s.game.value(root));
        let delta = settings.delta;
        match self.id {
            Id::Minimax => minimax::minimax(s, root, depth),
            Id::ExplicitStack => explicit_stack::minimax_explicit_stack(s, root, depth),
            Id::Negamax => negamax::negamax(s, root, depth),
            Id::BranchAndBound => branch_and_bound::branch_and_bound(s, root, depth),
            Id::FailHard => alpha_beta::alpha_beta(s, root, depth),
            Id::FailSoft => fail_soft::fail_soft(s, root, depth),
            Id::MinimaxForm => minimax_form::alpha_beta_minimax_form(s, root, depth),
            Id::AndOrShallow => and_or::and_or(s, root, depth, CutOffs::Shallow),
            Id::AndOrDeep => and_or::and_or(s, root, depth, CutOffs::Deep),
            Id::Aspiration => aspiration::aspiration(s, root, depth, guess, delta, Pass::AlphaBeta),
            Id::Scout => scout::scout(s, root, depth),
            Id::Pvs => pvs::pvs(s, root, depth),
            Id::NegaScout => negascout::negascout(s, root, depth),
            Id::AspirationNegaScout => aspiration::aspiration(s, root, depth, guess, delta, Pass::NegaScout),
            Id::MtdF => mtd::mtd(s, root, depth, guess),
            Id::SssStar => sss_star::sss_star(s, root, depth),
            Id::DualStar => sss_star::dual_star(s, root, depth),
            Id::MtdPlusInfinity => mtd::mtd(s, root, depth, OPEN),
            Id::MtdMinusInfinity => mtd::mtd(s, root, depth, -OPEN),
            Id::IterativeDeepening => deepened(s, root, depth),
        }
    }
}

/// Iterative deepening around alpha-beta as one run: remembers best moves even if the caller's ordering
/// does not, and counts all iterations.
fn deepened<G: Game>(s: &mut Search<G>, root: &G::Position, depth: u32) -> Result<Outcome<G::Move>, Stop> {
    let remembered = std::mem::replace(&mut s.ordering.remembered, true);
    let result = iterative_deepening::iterative_deepening(s, root, depth.max(1), |s, root, d, _| {
        fail_soft::fail_soft(s, root, d.min(depth))
    });
    s.ordering.remembered = remembered;
    if let Some(stop) = result.stopped {
        return Err(stop);
    }
    match result.last {
        Some(last) => Ok(Outcome { counts: result.total, ..last }),
        None => Err(Stop::Limit { nodes: result.total.nodes }),
    }
}
