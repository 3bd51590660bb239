//! Syzygy files of 80 bytes that hold one constant value for each side to move.

pub const WDL: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
pub const DTZ: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

/// Returns a table of king and `piece` (2 knight … 5 queen) against king with one value for each side to move:
/// 0 loss, 1 blessed loss, 2 draw, 3 cursed win, 4 win.
pub fn constant(magic: [u8; 4], piece: u8, white: u8, black: u8) -> Vec<u8> {
    let pieces = [6, piece, 14].map(|code| code | code << 4);
    // Flags (two sides, no pawns), group order, pieces, padding, then flag and value for each side.
    let sides = if magic == WDL { vec![0x80, white, 0x80, black] } else { vec![0x80, 0] };
    let mut bytes = [&magic[..], &[1, 0], &pieces, &[0], &sides].concat();
    bytes.resize(80, 0);
    bytes
}
