//! Self-play games as material for the tuner.
//!
//! Every game begins with a few random moves and goes on with short searches of its own searcher, with empty
//! tables: game `n` depends on the seed, on `n` and on the program alone, whatever the number of threads, so
//! that an interrupted run goes on as if nothing had happened. Kept are quiet positions, where a static
//! evaluation can be right: not in check, the best move neither captures nor promotes, no mate in sight.
//! Labels are the search's score and the result of the game.
//! <https://www.chessprogramming.org/Automated_Tuning>

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};
use shakmaty::{Color, Position as _};

use super::games::{GameRecord, GamesError, Origin, Outcome, Record, Writer, fingerprint};
use crate::config::Config;
use crate::engine::DefaultEvaluator;
use crate::movegen::is_noisy;
use crate::position::{Game, Position};
use crate::score::{Score, is_decisive};
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::report::Silent;
use crate::search::signals::Signals;
use crate::search::time::TimeManager;
use crate::search::tt::Table;
use crate::search::{Searcher, Task};

/// What `datagen` is told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The file to write; one that exists is continued
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Games that the file shall hold in the end
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub games: u32,
    /// Nodes after which a move's search begins no further iteration
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub nodes: u32,
    /// Games played at the same time (default: one for each processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    /// Which openings: another seed makes other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Why there are no games.
#[derive(thiserror::Error, Debug)]
pub enum DatagenError {
    /// The file.
    #[error(transparent)]
    File(#[from] GamesError),
    /// No threads.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// A game ended in an internal error.
    #[error("a game thread failed; what was written is whole")]
    Thread,
}

/// Openings are random moves, this many plies.
const OPENING: std::ops::RangeInclusive<u32> = 6..=9;
/// An opening after which one side is so far ahead is drawn anew.
const MOST_UNBALANCED: Score = 300;
/// A side that is so far ahead …
const WON: Score = 1200;
/// … for so many plies has won.
const WON_PLIES: u32 = 4;
/// A score so near to a draw …
const DRAWN: Score = 8;
/// … for so many plies …
const DRAWN_PLIES: u32 = 8;
/// … not earlier than this is a draw.
const DRAWN_FROM: usize = 80;
/// No game is longer than this.
const MOST_PLIES: usize = 400;
/// A search may use this many times the soft limit.
const HARD_LIMIT: u64 = 10;
/// Enough for the longest line in a debug build.
const STACK_SIZE: usize = 32 << 20;

/// How a game ended, as the file keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum End {
    Checkmate,
    Stalemate,
    FiftyMoves,
    Repetition,
    InsufficientMaterial,
    AdjudicatedWin,
    AdjudicatedDraw,
    TooLong,
}

/// Plays games until the file holds as many as asked for.
///
/// # Errors
/// [`DatagenError`].
pub fn run(args: &Args, config: &Config) -> Result<(), DatagenError> {
    let origin = Origin { nodes: args.nodes, seed: args.seed, tables: fingerprint() };
    let mut writer = Writer::open(&args.out, origin)?;
    if writer.games > 0 {
        eprintln!("{} games and {} positions are there already", writer.games, writer.positions);
    }
    let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let mut progress = Progress::new(&writer, args.games);
    play_all(&mut writer, origin, args.games, threads, &config.params, &mut |writer| progress.update(writer))?;
    progress.finish(&writer);
    Ok(())
}

/// Plays the games that the file lacks. Games are written in the order of their numbers.
fn play_all(
    writer: &mut Writer,
    origin: Origin,
    games: u32,
    threads: usize,
    params: &Params,
    written: &mut dyn FnMut(&Writer),
) -> Result<(), DatagenError> {
    let (next, stop) = (AtomicU32::new(writer.games), AtomicBool::new(false));
    let work = |done: Sender<(u32, GameRecord)>| {
        let mut player = Player::new(origin, params);
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            if number >= games || done.send((number, player.play(number))).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        let (done, finished) = bounded(4 * threads);
        let mut players = Vec::new();
        for _ in 0..threads {
            let done = done.clone();
            players.push(thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, || work(done))?);
        }
        drop(done);
        // Games that were faster than one with a lower number wait here.
        let mut early = BTreeMap::new();
        let mut result = Ok(());
        'games: for (number, game) in finished {
            early.insert(number, game);
            while let Some(game) = early.remove(&writer.games) {
                if let Err(error) = writer.append(&game) {
                    stop.store(true, Relaxed);
                    result = Err(error.into());
                    break 'games;
                }
                written(writer);
            }
        }
        let failed = players.into_iter().any(|player| player.join().is_err());
        if failed { Err(DatagenError::Thread) } else { result }
    })
}

/// Plays games against itself.
struct Player {
    searcher: Searcher<DefaultEvaluator>,
    table: Arc<Table>,
    params: Params,
    origin: Origin,
}

impl Player {
    fn new(origin: Origin, params: &Params) -> Self {
        let table = Arc::new(Table::new(1));
        let searcher = Searcher::new(0, DefaultEvaluator::default(), params, Arc::clone(&table));
        Self { searcher, table, params: params.clone(), origin }
    }

    fn search(&mut self, game: &Game) -> crate::search::Outcome {
        let soft = u64::from(self.origin.nodes);
        let limits = Limits { nodes: Some(soft * HARD_LIMIT), soft_nodes: Some(soft), ..Limits::default() };
        let task = Task {
            game: game.clone(),
            time: TimeManager::new(&limits, Color::White, 0, Instant::now(), &self.params),
            limits,
            signals: Arc::new(Signals::new(1)),
            multi_pv: 1,
            analyse_mode: false,
            tables: None,
        };
        self.table.new_search();
        self.searcher.search(&task, Box::new(Silent))
    }

    fn forget(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }

    /// A position after random moves that is still a game.
    fn opening(&mut self, random: &mut fastrand::Rng) -> Game {
        loop {
            let mut game = Game::default();
            for _ in 0..random.u32(OPENING) {
                let moves = game.position.chess().legal_moves();
                let Some(&m) = random.choice(moves.as_slice()) else { break };
                game.play(m);
            }
            if game.position.chess().legal_moves().is_empty() {
                continue;
            }
            self.forget();
            if self.search(&game).score.abs() <= MOST_UNBALANCED {
                return game;
            }
        }
    }

    fn play(&mut self, number: u32) -> GameRecord {
        let seed = self.origin.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(number) << 20;
        let mut random = fastrand::Rng::with_seed(seed);
        let mut game = self.opening(&mut random);
        let mut adjudicator = Adjudicator::default();
        let mut records = Vec::new();
        let (outcome, end) = loop {
            if let Some(verdict) = verdict_of_rules(&game) {
                break verdict;
            }
            let found = self.search(&game);
            let Some(m) = found.answer.best else { break (Outcome::Draw, End::Stalemate) };
            let ply = game.history.len();
            if !game.position.in_check() && !is_noisy(m) && !is_decisive(found.score) {
                records.push(Record::new(&game.position, found.score, ply as u16));
            }
            let white = game.position.turn().fold_wb(found.score, -found.score);
            if let Some(verdict) = adjudicator.judge(white, ply) {
                break verdict;
            }
            game.play(m);
        };
        for record in &mut records {
            record.outcome = outcome;
        }
        GameRecord { outcome, end: end as u8, plies: game.history.len() as u16, records }
    }
}

/// Is the game over by the rules?
fn verdict_of_rules(game: &Game) -> Option<(Outcome, End)> {
    let position: &Position = &game.position;
    if position.chess().legal_moves().is_empty() {
        return Some(if position.in_check() {
            (Outcome::won_by(!position.turn()), End::Checkmate)
        } else {
            (Outcome::Draw, End::Stalemate)
        });
    }
    let end = if position.halfmoves() >= 100 {
        End::FiftyMoves
    } else if position.is_insufficient_material() {
        End::InsufficientMaterial
    } else if game.is_repetition(2) {
        End::Repetition
    } else {
        return None;
    };
    Some((Outcome::Draw, end))
}

/// Ends games whose result is clear.
#[derive(Default)]
struct Adjudicator {
    /// Plies in a row that white (black, if negative) was far ahead.
    won: i64,
    drawn: u32,
}

impl Adjudicator {
    /// Hears the score of each ply, from white.
    fn judge(&mut self, white: Score, ply: usize) -> Option<(Outcome, End)> {
        self.won = match white {
            _ if white >= WON => self.won.max(0) + 1,
            _ if white <= -WON => self.won.min(0) - 1,
            _ => 0,
        };
        self.drawn = if white.abs() <= DRAWN && ply >= DRAWN_FROM { self.drawn + 1 } else { 0 };
        if self.won.unsigned_abs() >= u64::from(WON_PLIES) {
            Some((Outcome::won_by(Color::from_white(self.won > 0)), End::AdjudicatedWin))
        } else if self.drawn >= DRAWN_PLIES {
            Some((Outcome::Draw, End::AdjudicatedDraw))
        } else if ply >= MOST_PLIES {
            Some((Outcome::Draw, End::TooLong))
        } else {
            None
        }
    }
}

/// In a pipe one line in this time.
const QUIET_INTERVAL: Duration = Duration::from_secs(30);

/// A bar on a terminal, a line now and then in a pipe.
struct Progress {
    bar: indicatif::ProgressBar,
    start: Instant,
    last: Instant,
    games_before: u32,
    positions_before: u64,
    wanted: u32,
}

impl Progress {
    fn new(writer: &Writer, wanted: u32) -> Self {
        let template = "{bar:30} {pos}/{len} games  {msg}";
        let bar = super::progress_bar(wanted.into(), template);
        let now = Instant::now();
        Self { bar, start: now, last: now, games_before: writer.games, positions_before: writer.positions, wanted }
    }

    fn rates(&self, writer: &Writer) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let games = f64::from(writer.games - self.games_before) / seconds;
        let positions = (writer.positions - self.positions_before) as f64 / seconds;
        let left = f64::from(self.wanted.saturating_sub(writer.games)) / games.max(1e-9);
        let left = indicatif::HumanDuration(Duration::try_from_secs_f64(left).unwrap_or_default());
        format!("{} positions  {games:.1} games/s  {positions:.0} positions/s  {left:#} left", writer.positions)
    }

    fn update(&mut self, writer: &Writer) {
        if !self.bar.is_hidden() {
            self.bar.set_position(writer.games.into());
            self.bar.set_message(self.rates(writer));
        } else if self.last.elapsed() >= QUIET_INTERVAL {
            self.last = Instant::now();
            eprintln!("{}/{} games  {}", writer.games, self.wanted, self.rates(writer));
        }
    }

    fn finish(&self, writer: &Writer) {
        self.bar.finish_and_clear();
        let seconds = self.start.elapsed().as_secs_f64();
        println!("{} games, {} positions ({seconds:.0} s)", writer.games, writer.positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::games::Reader;

    const ORIGIN: Origin = Origin { nodes: 60, seed: 5, tables: 0 };

    fn play(path: &std::path::Path, games: u32, threads: usize) {
        let mut writer = Writer::open(path, ORIGIN).unwrap();
        play_all(&mut writer, ORIGIN, games, threads, &Params::default(), &mut |_| {}).unwrap();
    }

    #[test]
    fn interrupted_runs_and_threads_do_not_change_the_file() {
        let path = |name: &str| std::env::temp_dir().join(format!("aspirant-datagen-{name}-{}", std::process::id()));
        let (whole, pieces) = (path("whole"), path("pieces"));
        let _ = [&whole, &pieces].map(std::fs::remove_file);
        play(&whole, 12, 1);
        play(&pieces, 5, 2);
        // As if the power had failed in the middle of a game.
        let bytes = std::fs::read(&pieces).unwrap();
        std::fs::write(&pieces, &bytes[..bytes.len() - 50]).unwrap();
        play(&pieces, 12, 2);
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&pieces).unwrap());
        play(&pieces, 12, 2);

        let mut reader = Reader::open(&whole).unwrap();
        let mut games = 0;
        while let Some(game) = reader.next_game().unwrap() {
            games += 1;
            for record in &game.records {
                assert_eq!(record.outcome, game.outcome);
                assert!(record.ply >= 6 && record.ply <= game.plies);
                assert!(!is_decisive(record.score.into()));
            }
        }
        assert_eq!(games, 12);
        let _ = [&whole, &pieces].map(std::fs::remove_file);
    }

    #[test]
    fn clear_games_are_ended() {
        let mut judge = Adjudicator::default();
        assert!([2000, 2000, 2000, -2000].iter().all(|&score| judge.judge(score, 10).is_none()));
        assert!([-2000, -1300].iter().all(|&score| judge.judge(score, 10).is_none()));
        assert_eq!(judge.judge(-1200, 10), Some((Outcome::Loss, End::AdjudicatedWin)));

        let mut judge = Adjudicator::default();
        assert!((0..40).all(|ply| judge.judge(0, ply).is_none()));
        assert!((80..87).all(|ply| judge.judge(-8, ply).is_none()));
        assert_eq!(judge.judge(3, 87), Some((Outcome::Draw, End::AdjudicatedDraw)));
        assert_eq!(judge.judge(100, 400), Some((Outcome::Draw, End::TooLong)));
    }

    #[test]
    fn the_rules_end_games() {
        let verdict = |fen: &str| verdict_of_rules(&Game::new(crate::position::parse_fen(fen).unwrap()));
        let mate = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 99 60";
        assert_eq!(verdict(mate), Some((Outcome::Win, End::Checkmate)));
        assert_eq!(verdict("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1"), Some((Outcome::Draw, End::Stalemate)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/3BK3 w - - 0 1"), Some((Outcome::Draw, End::InsufficientMaterial)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/R3K3 w - - 100 90"), Some((Outcome::Draw, End::FiftyMoves)));
        assert_eq!(verdict("4k3/8/8/8/8/8/8/R3K3 w - - 99 90"), None);
    }
}
