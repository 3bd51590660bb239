//! What the search guarantees to an evaluator, and what it finds out about one.

use aspirant::eval::evaluate;
use aspirant::eval::pst::Pst;
use aspirant::prelude::*;
use shakmaty::Board;

use crate::common::positions::fen::MIDDLEGAME;

/// Checks the order of the calls that [`Evaluator`] documents; its scores are those of [`Pst`].
#[derive(Clone, Default)]
struct OrderChecker {
    /// For the root and each ply of the path: the number of the call that made the accumulator, and the board.
    path: Vec<(u64, Board)>,
    calls: u64,
    /// Whether all scores but those of roots are wrong.
    is_wrong: bool,
}

/// The ply, and the number of the call that made it.
#[derive(Clone, Copy)]
struct Made {
    ply: usize,
    call: u64,
}

impl OrderChecker {
    fn push(&mut self, board: &Board) -> Made {
        self.calls += 1;
        self.path.push((self.calls, board.clone()));
        Made { ply: self.path.len() - 1, call: self.calls }
    }

    fn check(&self, acc: &Made, position: &Position) {
        let Some((call, board)) = self.path.get(acc.ply) else { panic!("ply {} has been left", acc.ply) };
        assert_eq!(*call, acc.call, "ply {}: the parent has another child since", acc.ply);
        assert_eq!(board, position.board());
    }
}

impl Evaluator for OrderChecker {
    type Acc = Made;

    fn refresh(&mut self, root: &Position) -> Made {
        self.path.clear();
        self.push(root.board())
    }

    fn apply(&mut self, acc: &Made, before: &Position, m: Move) -> Made {
        self.check(acc, before);
        self.path.truncate(acc.ply + 1);
        self.push(before.play(m).board())
    }

    fn score(&mut self, acc: &Made, position: &Position) -> Score {
        self.check(acc, position);
        evaluate(&mut Pst, position) + Score::from(self.is_wrong && acc.ply > 0)
    }
}

/// Searches on, after the search of another position was aborted in its tree.
fn messages(engine: &mut Engine, fen: &str, limits: Limits) -> Vec<String> {
    engine.set_game(Game::new(parse_fen(fen).unwrap()));
    let result = engine.search(limits);
    assert!(result.nodes > 0 && result.best_move().is_some());
    result.messages
}

#[test]
fn accumulators_are_used_depth_first() {
    let mut engine = Engine::builder().evaluator(OrderChecker::default()).build().unwrap();
    let endgame = "8/5p2/4k1p1/3p3p/1P1P3P/4K1P1/5P2/8 w - - 0 1";
    for (threads, multi_pv) in [(1, 1), (1, 3), (3, 1)] {
        engine.update_options(|options| options.set_threads(threads)?.set_multi_pv(multi_pv)).unwrap();
        // Node limits abort the search in the middle of the tree.
        for (fen, limits) in [
            (MIDDLEGAME, Limits::nodes(60_001)),
            (endgame, Limits::nodes(50_003)),
            ("k7/1p6/8/8/8/8/P7/K7 b - - 0 1", Limits::depth(12)),
            ("4k3/P6P/8/8/8/8/p6p/R3K2R w KQ - 0 1", Limits::nodes(30_007)),
        ] {
            assert_eq!(messages(&mut engine, fen, limits), [""; 0], "{threads} threads, MultiPV {multi_pv}: {fen}");
        }
    }
}

#[test]
#[cfg(debug_assertions)]
fn debug_builds_find_scores_that_differ_from_fresh_ones() {
    let wrong = OrderChecker { is_wrong: true, ..OrderChecker::default() };
    let mut engine = Engine::builder().evaluator(wrong).build().unwrap();
    let messages = messages(&mut engine, MIDDLEGAME, Limits::nodes(40_000));
    assert!(messages.iter().any(|message| message.contains("internal error")), "{messages:?}");
}
