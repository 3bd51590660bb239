//! What the fuzz targets do with their bytes. `cargo fuzz run NAME` drives one with libFuzzer; the functions are plain,
//! and `tests/mutations.rs` calls them, too.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use aspirant::board::movegen::PackedMove;
use aspirant::board::position::{Game, Position, parse_fen, parse_move};
use aspirant::book::Book;
use aspirant::config::Config;
use aspirant::engine::Engine;
use aspirant::eval::pst::Pst;
use aspirant::score::Bound;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::{TranspositionTable, TtEntry};
use aspirant::search::params::Params;
use aspirant::search::report::{BestMove, Reporter, SearchInfo};
use aspirant::search::{SearchRequest, Searcher};
use aspirant::uci::input::{self, Command};
use crossbeam_channel::{Sender, unbounded};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

/// How often a target came past its first checks: said on stderr now and then, for an honest record of a run.
struct Tally(&'static str, u64, AtomicU64);

impl Tally {
    const fn new(what: &'static str, every: u64) -> Self {
        Self(what, every, AtomicU64::new(0))
    }

    fn count(&self) {
        let count = self.2.fetch_add(1, Relaxed) + 1;
        if count.is_multiple_of(self.1) {
            eprintln!("tally: {count} {}", self.0);
        }
    }
}

/// Positions of every kind, for targets whose bytes are something else.
fn positions() -> &'static [Position] {
    static POSITIONS: LazyLock<Vec<Position>> = LazyLock::new(|| {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "1n6/P7/8/4k3/8/4K3/6p1/5B1R b - - 0 1",
            "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
            "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",
        ];
        fens.iter().map(|fen| parse_fen(fen).expect("a position")).collect()
    });
    &POSITIONS
}

fn engine() -> MutexGuard<'static, Engine> {
    static ENGINE: LazyLock<Mutex<Engine>> = LazyLock::new(|| {
        let mut engine = Engine::new(Config::default()).expect("a thread");
        engine.set_option("Hash", "1").expect("an option");
        Mutex::new(engine)
    });
    ENGINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file for whoever reads files, as long as it is held: in memory if the system offers that, for there may be a
/// hundred million of them.
struct Held(PathBuf);

impl Held {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
        let (process, thread) = (std::process::id(), std::thread::current().id());
        let folder = base.join(format!("aspirant-fuzz-{process}-{thread:?}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        Self(path)
    }

    fn folder(&self) -> &Path {
        self.0.parent().expect("a folder")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The folder goes with its last file.
        let _ = std::fs::remove_file(&self.0).and_then(|()| std::fs::remove_dir(self.folder()));
    }
}

/// Believes nothing that is reported.
struct Recorder(Position, Sender<BestMove>);

impl Reporter for Recorder {
    fn info(&mut self, info: &SearchInfo) {
        assert!(info.depth >= 0 && info.score.abs() <= 32_000);
        let mut position = self.0.clone();
        for &m in &info.pv {
            assert!(position.chess().legal_moves().contains(&m), "a line that cannot be played");
            position = position.play(m);
        }
    }
    fn best_move(&mut self, answer: BestMove) {
        let _ = self.1.send(answer);
    }
}

/// Searches a little; the answer must be legal and the only one.
fn search(engine: &mut Engine, limits: Limits) {
    let legal = engine.game().position.chess().legal_moves();
    let (sender, answers) = unbounded();
    let position = engine.game().position.clone();
    engine.go(limits, Box::new(Recorder(position, sender)));
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
                static SEARCHES: Tally = Tally::new("searches in sessions", 100_000);
                SEARCHES.count();
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

/// A FEN from bytes, most of them of men on squares, so that what is behind the reader is reached more often than not.
fn placed(bytes: &[u8]) -> Option<String> {
    let (&[form, castling, halfmoves], men) = bytes.split_first_chunk::<3>()?;
    let mut board = [None; 64];
    let kings = ['K', 'k'].into_iter();
    let others = men.iter().skip(3).step_by(2).map(|&kind| b"PNBRQpnbrq"[kind as usize % 10] as char);
    for (man, &square) in kings.chain(others).zip(men.iter().step_by(2)) {
        // Two of three forms put pawns where pawns can be.
        let on_board = man.eq_ignore_ascii_case(&'p') && !form.is_multiple_of(3);
        let square = if on_board { 8 + square as usize % 48 } else { square as usize % 64 };
        board[square] = board[square].or(Some(man));
    }
    let mut fen = String::new();
    for rank in board.rchunks(8) {
        rank.iter().for_each(|man| fen.push(man.unwrap_or('1')));
        fen.push('/');
    }
    fen.pop();
    let black = form & 8 != 0;
    let rights: String = "KQkqAHah".chars().enumerate().filter(|at| castling >> at.0 & 1 == 1).map(|at| at.1).collect();
    let en_passant = match form >> 4 & 7 {
        file if form & 128 != 0 => format!("{}{}", (b'a' + file) as char, if black { 3 } else { 6 }),
        _ => "-".into(),
    };
    let side = if black { 'b' } else { 'w' };
    let rights = if rights.is_empty() { "-" } else { &rights };
    write!(fen, " {side} {rights} {en_passant} {halfmoves} {}", 1 + u32::from(form) * 3).ok()?;
    Some(fen)
}

/// Any text as a position, or any bytes as men on a board: refused, or equal to itself when written and read again, and
/// searched. The search runs on this thread; what threads and clocks do is the subject of sessions.
pub fn fen_position(bytes: &[u8]) {
    static ACCEPTED: Tally = Tally::new("positions accepted and searched", 100_000);
    static SEARCHER: LazyLock<Mutex<Searcher<Pst>>> = LazyLock::new(|| {
        let table = Arc::new(TranspositionTable::new(1));
        Mutex::new(Searcher::new(0, Pst, &Params::default(), table))
    });
    let position = match bytes {
        // No text begins with such a byte.
        [first, rest @ ..] if *first >= 0xF8 => placed(rest).and_then(|fen| parse_fen(&fen).ok()),
        _ => std::str::from_utf8(bytes).ok().and_then(|text| parse_fen(text).ok()),
    };
    let Some(position) = position else { return };
    ACCEPTED.count();
    let again = parse_fen(&position.fen()).expect("what was written can be read");
    assert_eq!(again.key(), position.key());
    let legal = position.chess().legal_moves();
    for &m in &legal {
        let child = position.play(m);
        assert_eq!(child.keys(), Position::new(child.chess().clone()).keys());
    }
    let limits = Limits { depth: Some(2), nodes: Some(500), ..Limits::default() };
    let (sender, _) = unbounded();
    let reporter = Box::new(Recorder(position.clone(), sender));
    let task = SearchRequest { multi_pv: 1 + bytes.len() % 3, ..SearchRequest::untimed(Game::new(position), limits) };
    let mut searcher = SEARCHER.lock().unwrap_or_else(PoisonError::into_inner);
    match searcher.search(&task, reporter).answer.best {
        Some(best) => assert!(legal.contains(&best)),
        None => assert!(legal.is_empty()),
    }
}

/// Any bits as table entries: what is stored is found, and its move is legal or none.
pub fn tt_decode(bytes: &[u8]) {
    static TABLE: LazyLock<TranspositionTable> = LazyLock::new(|| TranspositionTable::new(1));
    for chunk in bytes.as_chunks::<16>().0 {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| chunk[at + byte]));
        let (key, bits) = (word(0), word(8));
        let entry = TtEntry {
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
            let position = &positions()[key as usize % positions().len()];
            if let Some(m) = found.best.unpack(position) {
                assert!(position.chess().legal_moves().contains(&m));
            }
        }
        if bits % 64 == 0 {
            TABLE.new_search();
        }
    }
}

/// Any bytes as a book, or, with keys that are asked for, as its records.
pub fn book(bytes: &[u8]) {
    static KEYS: LazyLock<Vec<[u8; 8]>> = LazyLock::new(|| {
        let key = |position: &Position| position.chess().zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
        positions().iter().map(|position| key(position).to_be_bytes()).collect()
    });
    let mut content = bytes.to_vec();
    if bytes.len() % 16 == 1 {
        content.pop();
        for record in content.as_chunks_mut::<16>().0 {
            let key = KEYS[record[0] as usize % KEYS.len()];
            record[..8].copy_from_slice(&key);
        }
    }
    let Ok(book) = Book::open(&Held::new("book.bin", &content).0) else { return };
    for position in positions() {
        let legal = position.chess().legal_moves();
        assert!(book.moves(position).iter().all(|known| legal.contains(&known.m)));
        if let Some(chosen) = book.choose(position, bytes.len().is_multiple_of(2), &mut fastrand::Rng::with_seed(1)) {
            assert!(legal.contains(&chosen.m));
        }
    }
}

/// Any bytes as `engine.toml`.
pub fn engine_toml(bytes: &[u8]) {
    static READ: Tally = Tally::new("configurations read", 100_000);
    if let Ok(config) = Config::load(Some(&Held::new("engine.toml", bytes).0), &[]) {
        READ.count();
        // What is printed is itself a configuration.
        let printed = Held::new("printed.toml", config.print().as_bytes());
        assert!(Config::load(Some(&printed.0), &[]).is_ok());
    }
}

/// Any bytes as the two tables of king and queen against king.
pub fn syzygy_file(bytes: &[u8]) {
    let half = bytes.len() / 2;
    let (results, _distances) = (Held::new("KQvK.rtbw", &bytes[..half]), Held::new("KQvK.rtbz", &bytes[half..]));
    let mut engine = engine();
    let _ = engine.set_option("SyzygyPath", results.folder().to_str().expect("a path"));
    let position = parse_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").expect("a position");
    engine.set_game(Game::new(position));
    search(&mut engine, Limits { depth: Some(2), nodes: Some(200), ..Limits::default() });
    let _ = engine.set_option("SyzygyPath", "");
}

/// Any bytes as a test suite.
pub fn epd(bytes: &[u8]) {
    static READ: Tally = Tally::new("suites read", 100_000);
    if let Ok(tasks) = aspirant::tools::epd::read(&Held::new("suite.epd", bytes).0) {
        READ.count();
        for task in tasks {
            let legal = task.position.chess().legal_moves();
            assert!(task.best.iter().chain(&task.avoid).all(|m| legal.contains(m)));
        }
    }
}
