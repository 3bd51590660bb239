//! Endgame tables of 80 bytes that know one result for each side to move.

pub const WDL: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
pub const DTZ: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

/// A table of king and `piece` (2 knight … 5 queen) against king, with one value for each side to move:
/// 0 loss, 2 draw, 4 win.
pub fn constant(magic: [u8; 4], piece: u8, white: u8, black: u8) -> Vec<u8> {
    let men = [6, piece, 14].map(|man| man | man << 4);
    // Two sides, no pawns; the order of the groups; the men; then flag and value for each side.
    let sides = if magic == WDL { vec![0x80, white, 0x80, black] } else { vec![0x80, 0] };
    let mut bytes = [&magic[..], &[1, 0], &men, &[0], &sides].concat();
    bytes.resize(80, 0);
    bytes
}
