//! Custom evaluator with an accumulator: material and the distance of the pieces from the center.
//!
//! The accumulator is updated with each move instead of being computed at each node. `apply` must return what
//! `refresh` computes for the position after the move; `main` checks that for positions with all kinds of moves.

use aspirant::board::position::{Position, parse_fen};
use aspirant::engine::Engine;
use aspirant::eval::Evaluator;
use aspirant::score::Score;
use aspirant::search::limits::Limits;
use aspirant::shakmaty::{Move, Piece, Position as _, Role, Square};

#[derive(Clone)]
struct Center;

/// Returns the value of a piece on its square for White, centipawns.
fn value(piece: Piece, square: Square) -> Score {
    let value = match piece.role {
        Role::Pawn => 100,
        Role::Knight => 310,
        Role::Bishop => 320,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    };
    // 0 on the central squares, 6 in the corners.
    let distance = |coordinate: u32| (2 * coordinate as Score - 7).abs() / 2;
    let distance = distance(square.file().into()) + distance(square.rank().into());
    piece.color.fold_wb(1, -1) * (value - 4 * distance)
}

impl Evaluator for Center {
    /// The sum over all pieces, for White.
    type Acc = Score;

    fn refresh(&self, position: &Position) -> Score {
        position.board().iter().map(|(square, piece)| value(piece, square)).sum()
    }

    fn apply(&self, acc: &Score, position: &Position, m: Move) -> Score {
        // `position` is the position before the move.
        let us = position.turn();
        match m {
            Move::Normal { role, from, capture, to, promotion } => {
                let captured = capture.map_or(0, |captured| value(captured.of(!us), to));
                acc - value(role.of(us), from) - captured + value(promotion.unwrap_or(role).of(us), to)
            }
            Move::EnPassant { from, to } => {
                let captured = value(Role::Pawn.of(!us), Square::from_coords(to.file(), from.rank()));
                acc - value(Role::Pawn.of(us), from) - captured + value(Role::Pawn.of(us), to)
            }
            // The squares of king and rook before the move, also in standard chess.
            Move::Castle { king, rook } => {
                let side = m.castling_side().expect("a castling move");
                let before = value(Role::King.of(us), king) + value(Role::Rook.of(us), rook);
                acc - before + value(Role::King.of(us), side.king_to(us)) + value(Role::Rook.of(us), side.rook_to(us))
            }
            Move::Put { .. } => unreachable!("only in Crazyhouse"),
        }
    }

    fn score(&self, acc: &Score, position: &Position) -> Score {
        position.turn().fold_wb(*acc, -acc)
    }
}

/// Compares `apply` with `refresh` for all moves of the next `depth` plies.
fn check(position: &Position, depth: u32) {
    let acc = Center.refresh(position);
    for m in position.chess().legal_moves() {
        let next = position.play(m);
        assert_eq!(Center.apply(&acc, position, m), Center.refresh(&next), "{m} in {}", position.fen());
        if depth > 1 {
            check(&next, depth - 1);
        }
    }
}

pub fn main() {
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/3Pp3/8/4Kppp/5N1N b - d3 0 1",
    ] {
        check(&parse_fen(fen).expect("a valid FEN"), 2);
    }
    let mut engine = Engine::builder().evaluator(Center).build().expect("start the search thread");
    let result = engine.search(Limits::depth(5));
    println!("{}", result.best_move().expect("a legal move"));
}
