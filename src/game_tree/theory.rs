//! The cost theory (sources 000 and 001): what a search may cost at best and at worst.
//!
//! Whoever claims that the value of a tree of uniform width `W` and depth `L` is `v` must show two
//! things: that MAX can reach `v` (one move at MAX's nodes, all replies: `W^⌊L/2⌋` leaves) and that MIN
//! can hold it to `v` (all moves at MAX's nodes, one reply: `W^⌈L/2⌉` leaves). The two proofs share one
//! leaf. No search is cheaper than this *minimal tree*; alpha-beta with perfect order is exactly it, and
//! with the worst order it looks at all `W^L` leaves. As the exponent halves, "about twice the depth in
//! the same time" (source 000). Source 000 prints the exponents as `(L+1)/2` and `L/2` with integer
//! division. Slagle and Dixon 1969; Knuth and Moore 1975.
//! <https://www.chessprogramming.org/Alpha-Beta#Savings>

/// Leaves of the minimal tree, `W^⌈L/2⌉ + W^⌊L/2⌋ - 1`, of `width` at least 1; saturating.
#[must_use]
pub const fn minimal_leaves(width: u64, depth: u32) -> u64 {
    let large = width.saturating_pow(depth.div_ceil(2));
    large.saturating_add(width.saturating_pow(depth / 2)) - 1
}

/// Leaves of the whole tree, `W^L`: minimax at any time, alpha-beta at worst; saturating.
#[must_use]
pub const fn maximal_leaves(width: u64, depth: u32) -> u64 {
    width.saturating_pow(depth)
}

/// [`minimal_leaves`] for a measured, mean width.
#[must_use]
pub fn minimal_leaves_for_mean_width(width: f64, depth: u32) -> f64 {
    width.powi(depth.div_ceil(2) as i32) + width.powi((depth / 2) as i32) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_figures() {
        // Knuth and Moore's formula for 40 moves, as printed in the chess programming wiki.
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
