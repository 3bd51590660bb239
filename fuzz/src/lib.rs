//! What the fuzz targets do with their bytes. `cargo fuzz run NAME` drives one with libFuzzer; the functions are plain.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aspirant::book::Book;
use aspirant::config::Config;
use aspirant::engine::Engine;
use aspirant::movegen::PackedMove;
use aspirant::position::{Game, Position, parse_fen, parse_move};
use aspirant::score::Bound;
use aspirant::search::limits::Limits;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};
use aspirant::search::tt::{Entry, Table};
use aspirant::uci::input::{self, Command};
use crossbeam_channel::{Sender, unbounded};
use shakmaty::Position as _;

fn engine() -> MutexGuard<'static, Engine> {
    static ENGINE: LazyLock<Mutex<Engine>> = LazyLock::new(|| {
        let mut engine = Engine::new(Config::default()).expect("a thread");
        engine.set_option("Hash", "1").expect("an option");
        Mutex::new(engine)
    });
    ENGINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file for whoever reads files: one for each process.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = std::env::temp_dir().join(format!("aspirant-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    });
    let path = FOLDER.join(name);
    let written = std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes));
    written.expect("a file");
    path
}

struct Recorder(Sender<BestMove>);

impl Reporter for Recorder {
    fn info(&mut self, info: &SearchInfo) {
        assert!(info.depth >= 0 && info.score.abs() <= 32_000);
    }
    fn best_move(&mut self, answer: BestMove) {
        let _ = self.0.send(answer);
    }
}

/// Searches a little; the answer must be legal and the only one.
fn search(engine: &mut Engine, limits: Limits) {
    let legal = engine.game().position.chess().legal_moves();
    let (sender, answers) = unbounded();
    engine.go(limits, Box::new(Recorder(sender)));
    engine.stop_if_endless();
    engine.wait();
    let answer = answers.try_recv().expect("an answer");
    assert!(answers.try_recv().is_err(), "two answers");
    match answer.best {
        Some(best) => assert!(legal.contains(&best)),
        None => assert!(legal.is_empty()),
    }
}

trait StopIfEndless {
    fn stop_if_endless(&self);
}

impl StopIfEndless for Engine {
    /// A target's searches are bounded by nodes; those that wait for a word get it.
    fn stop_if_endless(&self) {
        self.ponder_hit();
        self.stop();
    }
}

/// Any bytes as lines of the protocol: understood or refused, never more.
pub fn uci_line(bytes: &[u8]) {
    let _ = input::lines(bytes, |line| {
        assert!(!line.contains(['\n', '\r', '\0']));
        let _ = input::parse(line);
        true
    });
}

/// Any bytes as a session with the engine inside this process; searches are cut at once.
pub fn uci_session(bytes: &[u8]) {
    let mut engine = engine();
    engine.set_game(Game::default());
    let mut searches = 0;
    let _ = input::lines(bytes, |line| {
        match input::parse(line) {
            Command::Quit => return false,
            Command::SetOption { name, value } => {
                // Files and sizes have targets and tests of their own.
                let name = name.to_ascii_lowercase();
                if !["hash", "threads", "book file", "syzygypath"].contains(&name.trim()) {
                    let _ = engine.set_option(&name, value.as_deref().unwrap_or(""));
                }
            }
            Command::NewGame if searches < 2 => engine.new_game(),
            Command::Position(game) => {
                if let Ok(game) = *game {
                    engine.set_game(game);
                }
            }
            Command::Go(request) if request.perft.is_none() && searches < 4 => {
                searches += 1;
                let position = engine.game().position.clone();
                let search_moves = request.search_moves.iter().filter_map(|text| parse_move(&position, text)).collect();
                let nodes = Some(request.limits.nodes.unwrap_or(u64::MAX).min(300));
                search(&mut engine, Limits { search_moves, nodes, ..request.limits });
            }
            Command::Stop => engine.stop(),
            Command::PonderHit => engine.ponder_hit(),
            _ => {}
        }
        true
    });
}

/// Any text as a position: refused, or equal to itself when written and read again, and searched.
pub fn fen_position(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(position) = parse_fen(text) else { return };
    let again = parse_fen(&position.fen()).expect("what was written can be read");
    assert_eq!(again.key(), position.key());
    for &m in &position.chess().legal_moves() {
        let child = position.play(m);
        assert_eq!(child.keys(), Position::new(child.chess().clone()).keys());
    }
    let mut engine = engine();
    engine.set_game(Game::new(position));
    search(&mut engine, Limits { depth: Some(2), nodes: Some(500), ..Limits::default() });
}

/// Any bits as table entries: what is stored is found, and its move is legal or none.
pub fn tt_decode(bytes: &[u8]) {
    static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(1));
    let position = Position::default();
    for chunk in bytes.as_chunks::<16>().0 {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| chunk[at + byte]));
        let (key, bits) = (word(0), word(8));
        let entry = Entry {
            best: PackedMove(bits as u16),
            score: i32::from((bits >> 16) as i16).clamp(-32_000, 32_000),
            eval: i32::from((bits >> 32) as i16),
            depth: i32::from((bits >> 48) as u8),
            bound: Bound::from_bits((bits >> 56) as u8),
            pv: bits >> 63 == 1,
        };
        TABLE.store(key, entry);
        if let Some(found) = TABLE.probe(key) {
            assert!(found.score.abs() <= 32_000 && (0..=255).contains(&found.depth));
            if let Some(m) = found.best.unpack(&position) {
                assert!(position.chess().legal_moves().contains(&m));
            }
        }
        if bits % 64 == 0 {
            TABLE.new_search();
        }
    }
}

/// Any bytes as a book.
pub fn book(bytes: &[u8]) {
    let Ok(book) = Book::open(&file("book.bin", bytes)) else { return };
    let position = Position::default();
    let legal = position.chess().legal_moves();
    assert!(book.moves(&position).iter().all(|known| legal.contains(&known.m)));
    if let Some(chosen) = book.choose(&position, bytes.len().is_multiple_of(2), &mut Default::default()) {
        assert!(legal.contains(&chosen.m));
    }
}

/// Any bytes as `engine.toml`.
pub fn engine_toml(bytes: &[u8]) {
    if let Ok(config) = Config::load(Some(&file("engine.toml", bytes)), &[]) {
        // What is printed is itself a configuration.
        let printed = file("printed.toml", config.print().as_bytes());
        assert!(Config::load(Some(&printed), &[]).is_ok());
    }
}

/// Any bytes as the two tables of king and queen against king.
pub fn syzygy_file(bytes: &[u8]) {
    let half = bytes.len() / 2;
    let folder = file("KQvK.rtbw", &bytes[..half]);
    file("KQvK.rtbz", &bytes[half..]);
    let mut engine = engine();
    let folder = folder.parent().and_then(|path| path.to_str()).expect("a path");
    let _ = engine.set_option("SyzygyPath", folder);
    let position = parse_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").expect("a position");
    engine.set_game(Game::new(position));
    search(&mut engine, Limits { depth: Some(2), nodes: Some(200), ..Limits::default() });
    let _ = engine.set_option("SyzygyPath", "");
}

/// Any bytes as a test suite.
pub fn epd(bytes: &[u8]) {
    let _ = aspirant::workbench::epd::read(&file("suite.epd", bytes));
}
