//! The reference algorithms as WebAssembly: JSON requests in, JSON replies out.
//!
//! Raw exports; strings are UTF-8 in linear memory. A caller writes a request into a buffer of [`request_alloc`] and
//! passes it to [`request_call`]; the reply is a buffer that starts with its length (`u32`, little-endian), followed by
//! the JSON. Both buffers are released with [`request_free`]. [`requests`] documents the requests. No input ends the
//! program; an invalid one is answered by `{"error": "..."}`. The feature `algorithms` of aspirant-web links them into
//! aspirant.wasm, so that a page needs one file.

pub mod requests;

use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    /// The buffers by their address: the caller refers to them by number, so that no pointer is dereferenced here.
    static BUFFERS: RefCell<BTreeMap<usize, Vec<u8>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The maximum length of a request in bytes.
pub const MAX_REQUEST: usize = 1_000_000;

fn register(mut buffer: Vec<u8>) -> usize {
    // Exposes the address for writing, because the caller writes the request.
    let address = buffer.as_mut_ptr() as usize;
    BUFFERS.with_borrow_mut(|buffers| buffers.insert(address, buffer));
    address
}

/// Returns a buffer for a request; 0 if it is longer than [`MAX_REQUEST`].
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn request_alloc(length: usize) -> usize {
    // At least one byte, because an empty vector has no address of its own.
    if length > MAX_REQUEST { 0 } else { register(vec![0; length.max(1)]) }
}

/// Releases a buffer of [`request_alloc`] or [`request_call`]; `length` is ignored. Another address has no effect.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn request_free(address: usize, _length: usize) {
    BUFFERS.with_borrow_mut(|buffers| buffers.remove(&address));
}

/// Answers the request in the first `length` bytes of a buffer of [`request_alloc`].
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn request_call(address: usize, length: usize) -> usize {
    let request = BUFFERS.with_borrow(|buffers| {
        let buffer = buffers.get(&address)?;
        buffer.get(..length).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    });
    let json = requests::answer(request.as_deref().unwrap_or_default()).to_string();
    let mut reply = Vec::with_capacity(json.len() + 4);
    reply.extend_from_slice(&(json.len() as u32).to_le_bytes());
    reply.extend_from_slice(json.as_bytes());
    register(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(address: usize) -> String {
        BUFFERS.with_borrow(|buffers| String::from_utf8(buffers[&address][4..].to_vec()).expect("UTF-8"))
    }

    #[test]
    fn request_is_read_from_its_buffer_and_buffers_are_released() {
        let request = br#"{"request":"parse","tree":"((3 5)(2 9))"}"#;
        let address = request_alloc(request.len());
        BUFFERS.with_borrow_mut(|buffers| buffers.get_mut(&address).expect("registered").copy_from_slice(request));
        let answer = request_call(address, request.len());
        assert!(reply(answer).contains("\"leaves\":4"), "{}", reply(answer));
        request_free(address, request.len());
        request_free(answer, 0);
        assert!(BUFFERS.with_borrow(BTreeMap::is_empty));
    }

    #[test]
    fn unknown_buffer_is_answered_by_an_error() {
        for (address, length) in [(0, 0), (12_345, 10), (request_alloc(3), 4)] {
            let answer = request_call(address, length);
            assert!(reply(answer).contains("\"error\""), "{}", reply(answer));
        }
        assert_eq!(request_alloc(MAX_REQUEST + 1), 0);
    }
}
