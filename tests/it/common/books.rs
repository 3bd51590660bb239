//! Polyglot opening books.

/// Polyglot keys and moves: 1. e4 and 1. d4, and 1... e5.
pub const START: u64 = 0x463b_9618_1691_fc9c;
pub const AFTER_E4: u64 = 0x823c_9b50_fd11_4196;
pub const E2E4: u16 = 0x031c;
pub const D2D4: u16 = 0x02db;
pub const E7E5: u16 = 0x0d24;

/// Returns a book with these records of key, move and weight.
pub fn book(records: &[(u64, u16, u16)]) -> Vec<u8> {
    let record = |&(key, m, weight): &(u64, u16, u16)| {
        [&key.to_be_bytes()[..], &m.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    };
    records.iter().flat_map(record).collect()
}

/// Returns a book with 1. e4 (weight 3), 1. d4 (weight 1) and 1... e5.
pub fn small_book() -> Vec<u8> {
    book(&[(START, E2E4, 3), (START, D2D4, 1), (AFTER_E4, E7E5, 1)])
}
