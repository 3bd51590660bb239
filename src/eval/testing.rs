//! Checks of an evaluator in random games, for the tests of its author.
//!
//! ```
//! use aspirant::eval::king_pst::KingPst;
//! use aspirant::eval::testing::{assert_incremental, assert_symmetric};
//!
//! assert_incremental(KingPst::default());
//! assert_symmetric(KingPst::default());
//! ```

use shakmaty::{Chess, EnPassantMode, FromSetup, Position as _};

use super::{Evaluator, evaluate};
use crate::board::position::{Position, parse_fen};

/// Starting positions of the games: all kinds of castling, en passant and promotion occur.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1rk3r1/1p4p1/8/2PpP3/2pPp3/8/1P4P1/1RK3R1 b GBgb d3 0 1",
];
/// Number of games from each starting position.
const GAMES: usize = 2;
/// Maximum length of a game, plies.
const MAX_PLIES: usize = 100;
/// Depth of the tree searched at each position of a game, plies.
const DEPTH: u32 = 3;

/// Calls `visit` for the positions of random games, the same in each run.
pub(super) fn for_random_positions(mut visit: impl FnMut(&Position, &mut fastrand::Rng)) {
    let mut random = fastrand::Rng::with_seed(3);
    for start in STARTS {
        let start = parse_fen(start).expect("a valid FEN");
        for _ in 0..GAMES {
            let mut position = start.clone();
            for _ in 0..MAX_PLIES {
                visit(&position, &mut random);
                let Some(m) = random.choice(position.chess().legal_moves()) else { break };
                position = position.play(m);
            }
        }
    }
}

/// Compares scores after incremental updates with those of fresh clones of the evaluator.
///
/// Plays random games, also of Chess960, and at each position visits a small tree in the order of a search: depth first,
/// with null moves, and with nodes that are scored late or not at all. Every castling, en passant capture and promotion
/// in these trees is tried.
///
/// # Panics
/// If two scores differ; the message contains the position and the last move.
pub fn assert_incremental<E: Evaluator>(evaluator: E) {
    let mut tree = Tree { evaluator: evaluator.clone(), fresh: evaluator };
    for_random_positions(|position, random| {
        let acc = tree.evaluator.refresh(position);
        tree.visit(acc, position, DEPTH, "at the root", random);
    });
}

/// A tree as a search visits it, and an evaluator that evaluates each position from scratch.
struct Tree<E> {
    evaluator: E,
    fresh: E,
}

impl<E: Evaluator> Tree<E> {
    /// Visits a node and some of its children. `last`: how it was reached.
    fn visit(&mut self, acc: E::Acc, position: &Position, depth: u32, last: &str, random: &mut fastrand::Rng) {
        // A search does not score every node before its children.
        if random.bool() {
            self.compare(acc, position, last);
        }
        if depth > 0 {
            if random.u8(..4) == 0
                && let Some(child) = position.after_null_move()
            {
                self.visit(acc, &child, depth - 1, "after a null move", random);
            }
            let mut moves = position.chess().legal_moves();
            random.shuffle(&mut moves);
            for (index, m) in moves.into_iter().enumerate() {
                if index < 2 || m.is_castle() || m.is_en_passant() || m.is_promotion() {
                    let child = self.evaluator.apply(&acc, position, m);
                    self.visit(child, &position.play(m), depth - 1, &format!("after {m}"), random);
                }
            }
        }
        // A node is searched again after its children.
        self.compare(acc, position, last);
    }

    fn compare(&mut self, acc: E::Acc, position: &Position, last: &str) {
        let (score, fresh) = (self.evaluator.score(&acc, position), evaluate(&mut self.fresh.clone(), position));
        let score = score.clamp(-crate::score::EVAL_LIMIT, crate::score::EVAL_LIMIT);
        assert_eq!(score, fresh, "incremental and fresh score differ {last}: {position:?}");
    }
}

/// Compares the score of each position of random games with that of the position with colors exchanged.
///
/// # Panics
/// If two scores differ; the message contains the position.
pub fn assert_symmetric<E: Evaluator>(mut evaluator: E) {
    for_random_positions(|position, _| {
        let setup = position.chess().to_setup(EnPassantMode::Always).into_mirrored();
        let mirrored = Chess::from_setup(setup, position.chess().castles().mode()).expect("a legal position");
        let (score, mirrored) =
            (evaluate(&mut evaluator, position), evaluate(&mut evaluator, &Position::new(mirrored)));
        assert_eq!(score, mirrored, "the score changes if the colors are exchanged: {position:?}");
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{SimpleEvaluator, piece_changes};
    use crate::score::Score;
    use shakmaty::{Color, Move};
    use std::panic::catch_unwind;

    #[derive(Clone, Copy, PartialEq)]
    enum Defect {
        None,
        ForgetsEnPassant,
        ForgetsCastlingRooks,
        StoresTurn,
        KeepsSiblings,
    }

    /// Sums the squares of the pieces; its path has an entry for each ply.
    #[derive(Clone)]
    struct SquareSum {
        defect: Defect,
        path: Vec<(Score, Color)>,
    }

    impl Evaluator for SquareSum {
        type Acc = usize;

        fn refresh(&mut self, root: &Position) -> usize {
            self.path = vec![(root.board().iter().map(|(square, _)| square as Score).sum(), root.turn())];
            0
        }

        fn apply(&mut self, &acc: &usize, before: &Position, m: Move) -> usize {
            if self.defect != Defect::KeepsSiblings {
                self.path.truncate(acc + 1);
            }
            let (mut sum, turn) = (self.path[acc].0, before.turn());
            piece_changes(turn, m, |piece, square, added| {
                let is_forgotten = match self.defect {
                    Defect::ForgetsEnPassant => m.is_en_passant() && piece.color != turn,
                    Defect::ForgetsCastlingRooks => m.is_castle() && piece == turn.rook(),
                    _ => false,
                };
                if !is_forgotten {
                    sum += if added { square as Score } else { -(square as Score) };
                }
            });
            self.path.push((sum, !turn));
            acc + 1
        }

        fn score(&mut self, &acc: &usize, position: &Position) -> Score {
            let (sum, turn) = self.path[acc];
            if self.defect == Defect::StoresTurn { turn.fold_wb(sum, -sum) } else { position.turn().fold_wb(sum, -sum) }
        }
    }

    #[test]
    fn defects_of_incremental_updates_are_found() {
        let is_rejected = |defect| catch_unwind(|| assert_incremental(SquareSum { defect, path: Vec::new() })).is_err();
        assert!(!is_rejected(Defect::None));
        assert!(is_rejected(Defect::ForgetsEnPassant));
        assert!(is_rejected(Defect::ForgetsCastlingRooks));
        assert!(is_rejected(Defect::StoresTurn));
        assert!(is_rejected(Defect::KeepsSiblings));
    }

    #[derive(Clone)]
    struct ForWhite;

    impl SimpleEvaluator for ForWhite {
        fn evaluate(&mut self, position: &Position) -> Score {
            position.board().by_color(Color::White).count() as Score
        }
    }

    #[test]
    fn a_score_from_the_view_of_white_is_not_symmetric() {
        assert!(catch_unwind(|| assert_symmetric(ForWhite)).is_err());
    }
}
