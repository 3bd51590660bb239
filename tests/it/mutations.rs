//! Runs the fuzz targets on stable Rust over all seeds and thousands of deterministic mutations, with all checks on.
//!
//! No replacement for coverage-guided fuzzing with libFuzzer (`fuzz/`, `docs/reliability.md`); keeps targets and seeds
//! working and finds simple defects. The environment variable `MUTATIONS` multiplies the number of mutations of each
//! target and selects others: `MUTATIONS=500 cargo test --test it mutations::fen_position`.

use std::path::Path;

use crate::common::factor;

#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// Dictionary: words and bytes that are significant in these formats.
const WORDS: &str = "-1 0 255 65536 4294967296 18446744073709551616 99999999999999999999999999 1e9 value name moves fen startpos go \
    stop ponder ponderhit infinite searchmoves position setoption isready MultiPV UCI_Elo e2e4 0000 e7e8q KQkq HAha w b / = [ ] \" \
    # true ; bm hmvc [Event \"] { } ( ) 1. -- O-O * dm id q 8/8/8/8/8/8/8/8";
const BYTES: &[&[u8]] =
    &[b"\n", b"\r", b"\0", b"\xEF\xBB\xBF", b"\xFF", b" ", b"  ", b"\t", b"\x80", b"\x7f\xff\xff\xff"];

/// Returns a random entry of the dictionary.
fn token(random: &mut fastrand::Rng) -> &'static [u8] {
    if random.u8(..4) == 0 {
        BYTES[random.usize(..BYTES.len())]
    } else {
        random
            .choice(WORDS.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>())
            .unwrap_or_default()
            .as_bytes()
    }
}

/// Applies one to four random changes.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut fastrand::Rng) {
    for _ in 0..random.usize(1..5) {
        let at = random.usize(..=bytes.len());
        let end = random.usize(at..=bytes.len().min(at + 16));
        match random.u8(..8) {
            0 => bytes.insert(at, random.u8(..)),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..end, token(random).iter().copied())),
            3 => drop(bytes.splice(at..at, token(random).iter().copied())),
            4 => bytes.splice(at..at, bytes[at..end].to_vec()).for_each(drop),
            5 if !other.is_empty() => {
                let from = random.usize(..other.len());
                drop(bytes.splice(at.., other[from..].iter().copied()));
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            _ => bytes.truncate(at),
        }
    }
    bytes.truncate(4096);
}

fn run(name: &str, count: usize, target: fn(&[u8])) {
    let count = count * factor("MUTATIONS") as usize;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    target(b"");
    seeds.iter().for_each(|seed| target(seed));
    let mut random = fastrand::Rng::with_seed(count as u64);
    for number in 0..count {
        let mut bytes = seeds[random.usize(..seeds.len())].clone();
        let other = &seeds[random.usize(..seeds.len())];
        mutate(&mut bytes, other, &mut random);
        if let Err(panic) = std::panic::catch_unwind(|| target(&bytes)) {
            println!("{name}, mutation {number}: {:?}", String::from_utf8_lossy(&bytes));
            println!("bytes: {bytes:?}");
            std::panic::resume_unwind(panic);
        }
    }
}

macro_rules! targets {
    ($($name:ident: $count:expr;)*) => {
        $(#[test]
        fn $name() {
            run(stringify!($name), $count, targets::$name);
        })*
    };
}

targets! {
    uci_line: 100_000;
    uci_session: 1000;
    fen_position: 20_000;
    tt_decode: 20_000;
    book: 3000;
    engine_toml: 3000;
    syzygy_file: 300;
    epd: 5000;
    pgn: 6000;
}
