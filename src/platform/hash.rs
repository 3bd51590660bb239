//! Mixing of words. Not cryptographic.

/// Mixes the bits of a word: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
///
/// A bijection with `mix64(0) == 0`.
#[must_use]
pub const fn mix64(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_words_equal_published_values() {
        // The first output of SplitMix64 with seed 0.
        assert_eq!(mix64(0x9E37_79B9_7F4A_7C15), 0xE220_A839_7B1D_CDAF);
    }
}
