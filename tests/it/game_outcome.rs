//! The draw tests of the search and of the reference tree agree with `Game::outcome` one ply after the root, where
//! all earlier positions are game history. Deeper in the tree both count a position at its first repetition.

use std::sync::Arc;

use aspirant::board::game::{Game, GameOutcome};
use aspirant::board::position::parse_fen;
use aspirant::chess_tree::{Chess, DrawRules, LeafEvaluation};
use aspirant::score::{DRAW, Score, is_mate};
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::TranspositionTable;
use aspirant::search::params::Params;
use aspirant::search::report::Silent;
use aspirant::search::{SearchRequest, Searcher};
use game_tree_search::GameTree as _;
use shakmaty::{Move, Position as _};

use crate::common::evaluator::FnEvaluator;

/// Evaluates every position as good for the side to move, so that only a draw by rule scores 0.
const NEVER_DRAWN: FnEvaluator = FnEvaluator(|_| 77);

/// Endgames in which random moves soon end the game, by each of the rules.
const STARTS: [&str; 6] = [
    "8/8/8/2k5/p1p1p1p1/P1P1P1P1/8/4K3 w - - 0 1",
    "8/8/4k3/8/3p4/3K4/8/8 w - - 0 1",
    "7k/8/5K2/6R1/8/8/8/8 w - - 90 100",
    "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1",
    "7k/5P2/6K1/8/8/8/8/n7 w - - 96 100",
    "1r5k/8/8/8/8/8/8/K6R b - - 80 100",
];

/// Returns the score of `m` for the opponent, from a search one ply deep.
fn searched_score(searcher: &mut Searcher<FnEvaluator>, game: &Game, m: Move) -> Score {
    let limits = Limits { search_moves: vec![m], ..Limits::depth(1) };
    searcher.clear();
    -searcher.search(SearchRequest::untimed(game.clone(), limits), Box::new(Silent)).score()
}

#[test]
fn draws_of_search_and_reference_tree_equal_game_outcome() {
    let mut random = fastrand::Rng::with_seed(11);
    let table = Arc::new(TranspositionTable::new(1));
    let mut searcher = Searcher::new(0, NEVER_DRAWN, &Params::default(), Arc::clone(&table));
    let mut seen = Vec::new();
    for _ in 0..25 {
        for start in STARTS {
            let mut game = Game::new(parse_fen(start).unwrap());
            while game.outcome().is_none() {
                let moves = game.position.chess().legal_moves();
                let m = *random.choice(moves.as_slice()).unwrap();
                let mut after = game.clone();
                after.play(m);
                let outcome = after.outcome();
                assert_eq!(game.after(m).is_none(), outcome.is_some());
                let is_drawn = outcome.is_some_and(|outcome| outcome.winner().is_none());

                let tree = Chess::new(game.clone(), NEVER_DRAWN, LeafEvaluation::Static, DrawRules::WithRepetitions);
                let child = tree.play(&tree.root(), m);
                assert_eq!(tree.value(&child) == DRAW, is_drawn, "{game:?} {m}");
                assert_eq!(is_mate(tree.value(&child)), matches!(outcome, Some(GameOutcome::Checkmate { .. })));

                table.clear();
                let score = searched_score(&mut searcher, &game, m);
                // Skipped: evasions of a check are searched and may all lead to draws; quiescence, which ends this
                // search, does not detect stalemate.
                let is_undecided_check = outcome.is_none() && after.position.in_check();
                if !is_undecided_check && outcome != Some(GameOutcome::Stalemate) {
                    // A fifty-move draw in which the opponent wins material scores 1 for them.
                    assert_eq!((DRAW..=DRAW + 1).contains(&score), is_drawn, "{game:?} {m}: {score}");
                }
                seen.extend(outcome);
                game = after;
            }
        }
    }
    let count = |is_kind: fn(&GameOutcome) -> bool| seen.iter().copied().filter(is_kind).count();
    let counts = [
        count(|outcome| matches!(outcome, GameOutcome::Checkmate { .. })),
        count(|outcome| *outcome == GameOutcome::Stalemate),
        count(|outcome| *outcome == GameOutcome::InsufficientMaterial),
        count(|outcome| *outcome == GameOutcome::FiftyMoves),
        count(|outcome| *outcome == GameOutcome::Repetition),
    ];
    assert!(counts.iter().all(|&count| count >= 3), "{counts:?}");
}
