//! Hash functions: checksums of files and mixing of words. None of them is cryptographic.

/// Returns the 64-bit FNV-1a hash. <http://www.isthe.com/chongo/tech/comp/fnv/>
pub fn fnv1a<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns the 32-bit FNV-1a hash, which game files use.
pub fn fnv1a_32<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u32 {
    let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.into_iter().fold(0x811c_9dc5, step)
}

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
    fn hashes_equal_published_values() {
        assert_eq!((fnv1a(b""), fnv1a_32(b"")), (0xcbf2_9ce4_8422_2325, 0x811c_9dc5));
        assert_eq!((fnv1a(b"foobar"), fnv1a_32(b"foobar")), (0x8594_4171_f739_67e8, 0xbf9c_f968));
        // The first output of SplitMix64 with seed 0.
        assert_eq!(mix64(0x9E37_79B9_7F4A_7C15), 0xE220_A839_7B1D_CDAF);
    }
}
