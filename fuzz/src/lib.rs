//! The fuzz targets as plain functions. `cargo fuzz run NAME` runs one under libFuzzer; `tests/it/mutations.rs` calls them
//! as well.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use aspirant::board::epd::{lines, parse_epd};
use aspirant::board::game::Game;
use aspirant::board::movegen::PackedMove;
use aspirant::board::pgn::{PgnGame, games};
use aspirant::board::position::{Position, parse_fen};
use aspirant::book::Book;
use aspirant::config::Config;
use aspirant::config::options::Options;
use aspirant::engine::{DefaultEvaluator, Engine};
use aspirant::score::Bound;
use aspirant::search::limits::Limits;
use aspirant::search::memory::transposition::{TranspositionTable, TtEntry};
use aspirant::search::params::Params;
use aspirant::search::report::{Reporter, SearchResult};
use aspirant::search::{SearchRequest, Searcher};
use aspirant::uci::input::{self, Command};
use crossbeam_channel::{Sender, unbounded};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

/// Counts inputs that passed a target's first checks and prints the count on stderr at intervals.
struct Counter(&'static str, u64, AtomicU64);

impl Counter {
    const fn new(what: &'static str, every: u64) -> Self {
        Self(what, every, AtomicU64::new(0))
    }

    fn count(&self) {
        let count = self.2.fetch_add(1, Relaxed) + 1;
        if count.is_multiple_of(self.1) {
            eprintln!("count: {count} {}", self.0);
        }
    }
}

/// Fixed positions for targets whose input is not a position.
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
        fens.iter().map(|fen| parse_fen(fen).expect("valid FEN")).collect()
    });
    &POSITIONS
}

/// Returns the engine of this process, with a TT of 1 MB and otherwise default options.
///
/// They are reset for each input, so that a failure does not depend on the options of earlier ones.
fn engine() -> MutexGuard<'static, Engine> {
    static ENGINE: LazyLock<Mutex<Engine>> =
        LazyLock::new(|| Mutex::new(Engine::new(Config::default()).expect("engine starts")));
    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    let reset = engine.update_options(|options| {
        *options = Options::default();
        options.set_hash(1)
    });
    reset.expect("valid options");
    engine
}

/// A temporary file, removed when dropped; in memory where `/dev/shm` exists, because a run can create millions.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let shared_memory = Path::new("/dev/shm");
        let base = if shared_memory.is_dir() { shared_memory.into() } else { std::env::temp_dir() };
        let (process, thread) = (std::process::id(), std::thread::current().id());
        let folder = base.join(format!("aspirant-fuzz-{process}-{thread:?}"));
        std::fs::create_dir_all(&folder).expect("temporary folder");
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("temporary file");
        Self(path)
    }

    fn folder(&self) -> &Path {
        self.0.parent().expect("temporary folder")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // The folder can be removed once it is empty.
        let _ = std::fs::remove_file(&self.0).and_then(|()| std::fs::remove_dir(self.folder()));
    }
}

/// Checks every reported line.
struct Recorder(Position, Sender<SearchResult>);

impl Reporter for Recorder {
    fn progress(&mut self, result: &SearchResult) {
        for variation in &result.variations {
            assert!(variation.depth >= 0 && variation.score.abs() <= 32_000);
            let mut position = self.0.clone();
            for &m in &variation.pv {
                assert!(position.chess().legal_moves().contains(&m), "illegal move in a PV");
                position = position.play(m);
            }
        }
    }
    fn finished(&mut self, result: &SearchResult) {
        let _ = self.1.send(result.clone());
    }
}

/// Runs a short search; there must be exactly one answer, and it must be legal.
fn search(engine: &mut Engine, limits: Limits) {
    let legal = engine.game().position.chess().legal_moves();
    let (sender, answers) = unbounded();
    let position = engine.game().position.clone();
    // `ponder` and `infinite` wait for `ponderhit` and `stop`; all other searches end at their node limit.
    let waits = limits.ponder || limits.infinite;
    engine.go(limits, Box::new(Recorder(position, sender)));
    if waits {
        engine.ponder_hit();
        engine.stop();
    }
    engine.wait();
    let answer = answers.try_recv().expect("no answer");
    assert!(answers.try_recv().is_err(), "two answers");
    match answer.best_move() {
        Some(best) => assert!(legal.contains(&best)),
        None => assert!(legal.is_empty()),
    }
}

/// Parses arbitrary bytes as UCI input.
pub fn uci_line(bytes: &[u8]) {
    let _ = aspirant::platform::lines::lines(bytes, |line| {
        assert!(!line.contains(['\n', '\r', '\0']));
        let _ = input::parse(line);
        true
    });
}

/// Executes arbitrary bytes as a UCI session with an engine in this process; searches are limited to 300 nodes.
pub fn uci_session(bytes: &[u8]) {
    let mut engine = engine();
    engine.set_game(Game::default());
    let mut searches = 0;
    let _ = aspirant::platform::lines::lines(bytes, |line| {
        match input::parse(line) {
            Command::Quit => return false,
            Command::SetOption { name, value } => {
                // Files and sizes have their own targets and tests.
                let name = name.to_ascii_lowercase();
                if !["hash", "threads", "book file", "syzygypath"].contains(&name.trim()) {
                    let _ = engine.set_option(&name, value.as_deref().unwrap_or(""));
                }
            }
            Command::NewGame if searches < 2 => engine.new_game(),
            Command::Position(command) => {
                if let Ok(game) = command.to_game(engine.options().chess960()) {
                    engine.set_game(game);
                }
            }
            Command::Go(request) if request.perft.is_none() && searches < 4 => {
                static SEARCHES: Counter = Counter::new("searches in sessions", 100_000);
                SEARCHES.count();
                searches += 1;
                let position = engine.game().position.clone();
                let search_moves =
                    request.search_moves.iter().filter_map(|text| position.parse_move(text).ok()).collect();
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

/// Builds a FEN from bytes that place pieces on squares, so that most inputs are accepted by the parser.
fn fen_from_bytes(bytes: &[u8]) -> Option<String> {
    let (&[form, castling, halfmoves], pieces) = bytes.split_first_chunk::<3>()?;
    let mut board = [None; 64];
    let kings = ['K', 'k'].into_iter();
    let others = pieces.iter().skip(3).step_by(2).map(|&kind| b"PNBRQpnbrq"[kind as usize % 10] as char);
    for (piece, &square) in kings.chain(others).zip(pieces.iter().step_by(2)) {
        // Two of three forms keep pawns off the first and last rank.
        let restricted = piece.eq_ignore_ascii_case(&'p') && !form.is_multiple_of(3);
        let square = if restricted { 8 + square as usize % 48 } else { square as usize % 64 };
        board[square] = board[square].or(Some(piece));
    }
    let mut fen = String::new();
    for rank in board.rchunks(8) {
        rank.iter().for_each(|piece| fen.push(piece.unwrap_or('1')));
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

/// Parses text as a FEN, or bytes as pieces on squares. Accepted positions must survive a round trip through FEN and
/// are searched on this thread; the search thread and clocks are covered by `uci_session`.
pub fn fen_position(bytes: &[u8]) {
    static ACCEPTED: Counter = Counter::new("positions accepted and searched", 100_000);
    static SEARCHER: LazyLock<Mutex<Searcher<DefaultEvaluator>>> = LazyLock::new(|| {
        let table = Arc::new(TranspositionTable::new(1));
        Mutex::new(Searcher::new(0, DefaultEvaluator::default(), &Params::default(), table))
    });
    let position = match bytes {
        // Valid UTF-8 never begins with such a byte.
        [first, rest @ ..] if *first >= 0xF8 => fen_from_bytes(rest).and_then(|fen| parse_fen(&fen).ok()),
        _ => std::str::from_utf8(bytes).ok().and_then(|text| parse_fen(text).ok()),
    };
    let Some(position) = position else { return };
    ACCEPTED.count();
    let again = parse_fen(&position.fen()).expect("FEN round trip");
    assert_eq!(again.key(), position.key());
    let legal = position.chess().legal_moves();
    for &m in &legal {
        let child = position.play(m);
        assert_eq!(child.keys(), Position::new(child.chess().clone()).keys());
    }
    let limits = Limits { depth: Some(2), nodes: Some(500), ..Limits::default() };
    let (sender, _) = unbounded();
    let reporter = Box::new(Recorder(position.clone(), sender));
    let mut request = SearchRequest::untimed(Game::new(position), limits);
    request.multi_pv = 1 + bytes.len() % 3;
    let mut searcher = SEARCHER.lock().unwrap_or_else(PoisonError::into_inner);
    match searcher.search(request, reporter).best_move() {
        Some(best) => assert!(legal.contains(&best)),
        None => assert!(legal.is_empty()),
    }
}

/// Stores arbitrary bits as TT entries; probed entries must have valid fields and a legal move or none.
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

/// Opens arbitrary bytes as a Polyglot book; one form of input gets keys of the fixed positions, so that they match.
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
    let Ok(book) = Book::open(&TempFile::new("book.bin", &content).0) else { return };
    for position in positions() {
        let legal = position.chess().legal_moves();
        assert!(book.moves(position).iter().all(|entry| legal.contains(&entry.m)));
        if let Some(chosen) =
            book.choose(&Game::new(position.clone()), bytes.len().is_multiple_of(2), &mut fastrand::Rng::with_seed(1))
        {
            assert!(legal.contains(&chosen.m));
        }
    }
}

/// Loads arbitrary bytes as `engine.toml`.
pub fn engine_toml(bytes: &[u8]) {
    static READ: Counter = Counter::new("configurations read", 100_000);
    if let Ok(config) = Config::load(Some(&TempFile::new("engine.toml", bytes).0), &[]) {
        READ.count();
        // The printed configuration can be loaded again.
        let printed = TempFile::new("printed.toml", config.print(true, false).as_bytes());
        assert!(Config::load(Some(&printed.0), &[]).is_ok());
    }
}

/// Uses arbitrary bytes as the two tablebase files of king and queen against king.
pub fn syzygy_file(bytes: &[u8]) {
    let half = bytes.len() / 2;
    let (wdl, _dtz) = (TempFile::new("KQvK.rtbw", &bytes[..half]), TempFile::new("KQvK.rtbz", &bytes[half..]));
    let mut engine = engine();
    let _ = engine.set_option("SyzygyPath", wdl.folder().to_str().expect("UTF-8 path"));
    let position = parse_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").expect("valid FEN");
    engine.set_game(Game::new(position));
    search(&mut engine, Limits { depth: Some(2), nodes: Some(200), ..Limits::default() });
    let _ = engine.set_option("SyzygyPath", "");
}

/// Reads arbitrary bytes as EPD.
pub fn epd(bytes: &[u8]) {
    static READ: Counter = Counter::new("lines of EPD read", 100_000);
    for (_, line) in lines(&String::from_utf8_lossy(bytes)) {
        let Ok(epd) = parse_epd(line) else { continue };
        READ.count();
        let legal = epd.position.chess().legal_moves();
        for moves in ["bm", "am"].map(|code| epd.moves(code)).into_iter().flatten() {
            assert!(moves.iter().all(|m| legal.contains(m)));
        }
        let _ = epd.mate();
    }
}

/// Reads arbitrary bytes as PGN; the result does not depend on the line ends.
pub fn pgn(bytes: &[u8]) {
    static READ: Counter = Counter::new("games read", 100_000);
    let text = String::from_utf8_lossy(bytes);
    let content = |text: &str| -> Vec<_> {
        let texts =
            |game: PgnGame| (game.tags, game.moves.into_iter().map(|m| m.text).collect::<Vec<_>>(), game.null_moves);
        games(text).map(|game| game.map(texts)).collect()
    };
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    assert_eq!(content(&text), content(&lines));
    assert_eq!(content(&lines.replace('\n', "\r\n")), content(&lines));
    for game in games(&text).flatten() {
        READ.count();
        let Ok(mut position) = game.start() else { continue };
        for m in &game.moves {
            let Ok(m) = position.parse_move(&m.text) else { break };
            assert!(position.chess().legal_moves().contains(&m));
            position = position.play(m);
        }
    }
}
