//! Type-erased evaluator, for evaluation and search outside of the search thread.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::board::game::Game;
use crate::board::position::Position;
use crate::eval::{self, Evaluator};
use crate::score::Score;
use crate::search::limits::Limits;
use crate::search::memory::transposition::TranspositionTable;
use crate::search::params::Params;
use crate::search::report::Silent;
use crate::search::smp::pool::ThreadPool;
use crate::search::thread::runner::{Allocated, SearchRunner, SearchSettings};
use crate::search::{SearchRequest, Searcher};

/// Type-erased [`Evaluator`]. Cloning it clones the evaluator.
///
/// [`Engine::evaluator`](super::Engine::evaluator) returns that of an engine; `eval`, `bench` and `genfens` use it.
pub struct AnyEvaluator(Box<dyn ErasedEvaluator>);

/// A function that searches a position from scratch, on the calling thread, and returns the score.
pub(crate) type PositionScorer = Box<dyn FnMut(&Position, Limits) -> Score>;

trait ErasedEvaluator: Send {
    fn boxed_clone(&self) -> Box<dyn ErasedEvaluator>;
    fn evaluate(&self, position: &Position) -> Score;
    fn start_search(&self, settings: SearchSettings, inline: bool) -> io::Result<(SearchRunner, Allocated)>;
    fn scorer(&self, params: &Params, hash: usize) -> PositionScorer;
}

impl<E: Evaluator> ErasedEvaluator for E {
    fn boxed_clone(&self) -> Box<dyn ErasedEvaluator> {
        Box::new(self.clone())
    }

    fn evaluate(&self, position: &Position) -> Score {
        eval::evaluate(&mut self.clone(), position)
    }

    fn start_search(&self, settings: SearchSettings, inline: bool) -> io::Result<(SearchRunner, Allocated)> {
        let pool = ThreadPool::new(self.clone(), settings).ok_or(io::ErrorKind::OutOfMemory)?;
        let allocated = pool.allocated();
        Ok((SearchRunner::start(Box::new(pool), inline)?, allocated))
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

    /// Starts a search thread or, with `inline`, prepares for searches on the calling thread.
    ///
    /// # Errors
    /// If the system cannot start a thread or allocate one searcher.
    pub(super) fn start_search(&self, settings: SearchSettings, inline: bool) -> io::Result<(SearchRunner, Allocated)> {
        self.0.start_search(settings, inline)
    }
}

impl fmt::Debug for AnyEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyEvaluator").finish_non_exhaustive()
    }
}

impl Clone for AnyEvaluator {
    fn clone(&self) -> Self {
        Self(self.0.boxed_clone())
    }
}
