//! Text that keeps bytes that are not UTF-8: on Linux, a path may contain any byte.
//!
//! A byte from 0x80 to 0xFF that is not part of valid UTF-8 becomes a character of the private use area, from U+F780 to
//! U+F7FF. UCI lines, arguments and options are such texts; [`to_path`] restores the bytes.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;

/// A byte `b` becomes the character `FIRST + b`.
const FIRST: u32 = 0xF700;

/// Returns the byte that a character stands for, if any.
#[must_use]
pub fn escaped_byte(c: char) -> Option<u8> {
    (u32::from(c).checked_sub(FIRST)).filter(|byte| (0x80..=0xFF).contains(byte)).map(|byte| byte as u8)
}

/// Decodes text; [`encode`] returns the same bytes.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| escaped_byte(c).is_none()) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut text = String::with_capacity(bytes.len() + 2);
    let escape = |bytes: &[u8], text: &mut String| {
        text.extend(bytes.iter().filter_map(|&byte| char::from_u32(FIRST + u32::from(byte))));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match escaped_byte(c) {
                Some(_) => escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut text),
                None => text.push(c),
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    Cow::Owned(text)
}

#[must_use]
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match escaped_byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// Decodes an argument or a path; elsewhere than on Unix, invalid UTF-16 is replaced.
#[must_use]
pub fn decode_os(text: &OsStr) -> String {
    #[cfg(unix)]
    return decode(std::os::unix::ffi::OsStrExt::as_bytes(text)).into_owned();
    #[cfg(not(unix))]
    text.to_string_lossy().into_owned()
}

#[must_use]
pub fn to_path(text: &str) -> PathBuf {
    #[cfg(unix)]
    return <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(encode(text)).into();
    #[cfg(not(unix))]
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoded_text_keeps_every_byte() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&b""[..], b"a \xe9.log", "é русский".as_bytes(), "\u{f7e9}".as_bytes(), b"\xc3\xff\xc3\xa9", &all]
        {
            assert_eq!(encode(&decode(bytes)), bytes, "{bytes:?}");
        }
        assert_eq!(decode("é".as_bytes()), "é");
        assert_eq!(decode(b"\xe9"), "\u{f7e9}");
    }
}
