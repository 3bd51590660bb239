//! Type-erased evaluator and search: what an engine is built from.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::DefaultEvaluator;
use crate::board::game::Game;
use crate::board::position::Position;
use crate::eval::{self, Evaluator};
use crate::score::Score;
use crate::search::limits::Limits;
use crate::search::memory::transposition::TranspositionTable;
use crate::search::params::Params;
use crate::search::report::Silent;
use crate::search::smp::pool::ThreadPool;
use crate::search::{Allocated, Search, SearchRequest, SearchSettings, Searcher};

/// Type-erased [`Evaluator`]. Cloning it clones the evaluator.
///
/// [`Engine::evaluator`](super::Engine::evaluator) returns that of an engine; `eval` and `genfens` use it.
pub struct AnyEvaluator(Box<dyn ErasedEvaluator>);

/// A function that searches a position from scratch, on the calling thread, and returns the score.
pub(crate) type PositionScorer = Box<dyn FnMut(&Position, Limits) -> Score>;

trait ErasedEvaluator: Send {
    fn boxed_clone(&self) -> Box<dyn ErasedEvaluator>;
    fn evaluate(&self, position: &Position) -> Score;
    fn search(&self, settings: SearchSettings) -> io::Result<(Box<dyn Search>, Allocated)>;
    fn scorer(&self, params: &Params, hash: usize) -> PositionScorer;
}

impl<E: Evaluator> ErasedEvaluator for E {
    fn boxed_clone(&self) -> Box<dyn ErasedEvaluator> {
        Box::new(self.clone())
    }

    fn evaluate(&self, position: &Position) -> Score {
        eval::evaluate(&mut self.clone(), position)
    }

    fn search(&self, settings: SearchSettings) -> io::Result<(Box<dyn Search>, Allocated)> {
        let pool = ThreadPool::new(self.clone(), settings).ok_or(io::ErrorKind::OutOfMemory)?;
        let allocated = pool.allocated();
        Ok((Box::new(pool), allocated))
    }

    fn scorer(&self, params: &Params, hash: usize) -> PositionScorer {
        let table = Arc::new(TranspositionTable::new(hash));
        let mut searcher = Searcher::new(0, self.clone(), params, Arc::clone(&table));
        Box::new(move |position, limits| {
            table.clear();
            searcher.clear();
            let request = SearchRequest::untimed(Game::new(position.clone()), limits);
            searcher.search(request, Box::new(Silent)).score()
        })
    }
}

impl AnyEvaluator {
    /// Creates one from an evaluator.
    #[must_use]
    pub fn new<E: Evaluator>(evaluator: E) -> Self {
        Self(Box::new(evaluator))
    }

    /// Returns the evaluation for the side to move, in centipawns.
    #[must_use]
    pub fn evaluate(&self, position: &Position) -> Score {
        self.0.evaluate(position)
    }

    /// Returns a function that searches on the calling thread; `hash` is the size of its TT in MB.
    ///
    /// The thread needs a stack of [`STACK_SIZE`](crate::search::STACK_SIZE) bytes. Time limits are ignored.
    ///
    /// Each search starts with an empty TT and empty histories, so equal positions and limits give equal scores.
    #[must_use]
    pub(crate) fn scorer(&self, params: &Params, hash: usize) -> PositionScorer {
        self.0.scorer(params, hash)
    }
}

impl fmt::Debug for AnyEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyEvaluator").finish_non_exhaustive()
    }
}

/// The evaluator of the program.
impl Default for AnyEvaluator {
    fn default() -> Self {
        Self::new(DefaultEvaluator::default())
    }
}

impl Clone for AnyEvaluator {
    fn clone(&self) -> Self {
        Self(self.0.boxed_clone())
    }
}

pub(super) type MakeSearch = Arc<dyn Fn() -> Box<dyn Search> + Send + Sync>;

/// What an engine searches with; it makes the search of the engine and that of each `bench`.
#[derive(Clone)]
pub(crate) enum SearchFactory {
    /// The search of this library with an evaluator.
    Default(AnyEvaluator),
    /// A search of another program, and the evaluator of the command `eval`.
    Custom(MakeSearch, Option<AnyEvaluator>),
}

impl SearchFactory {
    /// Returns the evaluator of the command `eval`.
    pub(super) fn evaluator(&self) -> Option<&AnyEvaluator> {
        match self {
            Self::Default(evaluator) => Some(evaluator),
            Self::Custom(_, evaluator) => evaluator.as_ref(),
        }
    }

    /// Makes a search.
    ///
    /// # Errors
    /// If the system cannot allocate one searcher.
    pub(super) fn make(&self, settings: SearchSettings) -> io::Result<(Box<dyn Search>, Allocated)> {
        match self {
            Self::Default(evaluator) => evaluator.0.search(settings),
            Self::Custom(make, _) => {
                let mut search = make();
                let allocated = search.configure(&settings);
                Ok((search, allocated))
            }
        }
    }
}
