//! The board: positions and games over shakmaty, text formats, fast move generation, SEE.

pub mod epd;
pub mod game;
pub mod movegen;
pub mod notation;
pub mod pgn;
pub mod position;
pub mod see;

#[cfg(test)]
mod tests {
    use crate::board::position::{Position, parse_fen};
    use shakmaty::Position as _;

    /// Positions of random games with all types of castling, en passant, promotion, pin and check.
    pub(in crate::board) fn positions(games: usize) -> Vec<Position> {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        ];
        let mut random = fastrand::Rng::with_seed(11);
        let mut out = Vec::new();
        for start in starts {
            for _ in 0..games {
                let mut position = parse_fen(start).unwrap();
                for _ in 0..100 {
                    let moves = position.chess().legal_moves();
                    out.push(position.clone());
                    if moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[random.usize(..moves.len())]);
                }
            }
        }
        out
    }
}
