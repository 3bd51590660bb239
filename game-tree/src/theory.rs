//! Cost theory: the number of leaves at best and at worst.
//!
//! A proof that a tree of uniform width `W` and depth `L` has the value `v` consists of two parts: MAX can reach
//! `v` (one move at MAX nodes, all replies: `W^⌊L/2⌋` leaves), and MIN can prevent more than `v` (all moves at
//! MAX nodes, one reply: `W^⌈L/2⌉` leaves). The two parts share one leaf. No search needs fewer leaves than this
//! *minimal tree*; alpha-beta with perfect move ordering visits exactly it, and with the worst ordering all
//! `W^L` leaves. Halving the exponent gives "about twice the depth in the same time" (the exponents are often
//! printed as `(L+1)/2` and `L/2` with integer division). Slagle and Dixon 1969; Knuth and Moore 1975.
//! <https://www.chessprogramming.org/Alpha-Beta#Savings>

/// Returns the leaves of the minimal tree, `W^⌈L/2⌉ + W^⌊L/2⌋ - 1`, for `width >= 1`; saturating.
#[must_use]
pub const fn minimal_leaves(width: u64, depth: u32) -> u64 {
    let large = width.saturating_pow(depth.div_ceil(2));
    large.saturating_add(width.saturating_pow(depth / 2)) - 1
}

/// Returns the leaves of the whole tree, `W^L`: minimax always, alpha-beta at worst; saturating.
#[must_use]
pub const fn maximal_leaves(width: u64, depth: u32) -> u64 {
    width.saturating_pow(depth)
}

/// Returns [`minimal_leaves`] for a measured mean width.
#[must_use]
pub fn minimal_leaves_for_mean_width(width: f64, depth: u32) -> f64 {
    width.powi(depth.div_ceil(2) as i32) + width.powi((depth / 2) as i32) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimal_leaves_match_published_figures() {
        // Knuth and Moore's formula for 40 moves, as printed in the Chess Programming Wiki.
        assert_eq!(minimal_leaves(40, 4), 3_199);
        assert_eq!(minimal_leaves(40, 6), 127_999);
        assert_eq!(minimal_leaves(40, 8), 5_119_999);
        assert_eq!(minimal_leaves(10, 8), 19_999);
        assert_eq!(minimal_leaves(38, 5), 38u64.pow(3) + 38u64.pow(2) - 1);
        assert_eq!(minimal_leaves(7, 0), 1);
        assert_eq!(minimal_leaves(7, 1), 7);
        assert_eq!(maximal_leaves(10, 8), 100_000_000);
        assert!((minimal_leaves_for_mean_width(40.0, 6) - 127_999.0).abs() < 1e-6);
    }
}
