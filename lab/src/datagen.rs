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
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

use crate::game_file::{GameRecord, GamesError, Origin, Outcome, Record, Writer, fingerprint};
use crate::selfplay::{Adjudicator, End, Player, STACK_SIZE, verdict_of_rules};
use aspirant::board::movegen::is_noisy;
use aspirant::config::Config;
use aspirant::score::{Score, is_decisive};
use aspirant::search::params::Params;
use aspirant::tools::tell;

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

/// A side that is so far ahead for some plies has won, centipawns.
const WON: Score = 1200;

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
        let mut player = Player::new(params, origin.nodes.into());
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            if number >= games || done.send((number, play(&mut player, origin.seed, number))).is_err() {
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

/// Game `number` of a seed.
fn play(player: &mut Player, seed: u64, number: u32) -> GameRecord {
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(number) << 20;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = player.opening(&mut random);
    let mut adjudicator = Adjudicator::new(WON);
    let mut records = Vec::new();
    let (outcome, end) = loop {
        if let Some(verdict) = verdict_of_rules(&game) {
            break verdict;
        }
        let found = player.search(&game);
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
        let bar = aspirant::tools::progress_bar(wanted.into(), template);
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
        tell(&format!("{} games, {} positions ({seconds:.0} s)", writer.games, writer.positions));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::Reader;

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
}
