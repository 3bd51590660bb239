//! Checksums of files. Not cryptographic.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_published_values() {
        assert_eq!((fnv1a(b""), fnv1a_32(b"")), (0xcbf2_9ce4_8422_2325, 0x811c_9dc5));
        assert_eq!((fnv1a(b"foobar"), fnv1a_32(b"foobar")), (0x8594_4171_f739_67e8, 0xbf9c_f968));
    }
}
