//! Positions that several tests use, as FEN and as arguments of the `position` command.

macro_rules! positions {
    ($($(#[$doc:meta])* $name:ident = $fen:literal;)*) => {
        /// FENs.
        pub mod fen {
            $($(#[$doc])* pub const $name: &str = $fen;)*
        }

        /// Arguments of the `position` command: `fen` and the FEN.
        pub mod uci {
            $($(#[$doc])* pub const $name: &str = concat!("fen ", $fen);)*
        }
    };
}

positions! {
    START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// Kiwipete, position 2 of <https://www.chessprogramming.org/Perft_Results>.
    KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    /// Position 3 of the same page.
    ROOK_ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    /// Position 6 of the same page.
    MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    CHESS960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
    BARE_KINGS = "8/8/4k3/8/8/3K4/8/8 w - - 0 1";
    MATED = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1";
    STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    QUEEN_AGAINST_KING = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    /// A very large quiescence search.
    MANY_QUEENS = "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1";
    /// 218 legal moves, the most in any reachable position.
    MOST_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
}

/// Returns this many plies of legal knight moves that return to the start.
pub fn knight_moves(plies: usize) -> String {
    let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
    (0..plies).map(|ply| round[ply % 4]).collect::<Vec<_>>().join(" ")
}
