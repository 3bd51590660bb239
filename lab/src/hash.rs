//! Checksums. Not cryptographic.

use aspirant::engine::DefaultEvaluator;

/// Returns the 64-bit FNV-1a hash. <http://www.isthe.com/chongo/tech/comp/fnv/>
pub fn fnv1a<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns a checksum of the weights of the default evaluator.
pub fn weights_checksum() -> u64 {
    checksum(&DefaultEvaluator::weight_list())
}

/// Returns a checksum of a list of weights.
pub fn checksum(weights: &[i32]) -> u64 {
    let bytes: Vec<u8> = weights.iter().copied().flat_map(i32::to_le_bytes).collect();
    fnv1a(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_published_values() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
