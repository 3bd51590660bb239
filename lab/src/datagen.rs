//! The command `datagen`: self-play games as training data for `tune`.
//!
//! Each game starts with a few random moves and continues with short searches; transposition table and histories are
//! cleared before the search that scores the opening. Game `n` therefore depends only on the seed, `n`, the node
//! limit, the search parameters and the program, not on the number of threads, and an interrupted run can be resumed.
//! Only quiet positions are recorded, because a static evaluation cannot resolve others: the side to move is not in
//! check, the best move is neither a capture nor a promotion, and the score is not decisive. The labels are the search
//! score and the result of the game.
//! <https://www.chessprogramming.org/Automated_Tuning>

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;

use crossbeam_channel::{Sender, bounded};

use crate::game_file::{
    DatagenSettings, GameFileError, GameFileWriter, GameRecord, GameResult, PositionRecord, params_checksum,
    weights_checksum,
};
use crate::progress::Progress;
use crate::selfplay::{Adjudicator, EndReason, Player, numbered_rng, result_by_rules};
use aspirant::board::movegen::is_noisy;
use aspirant::config::Config;
use aspirant::score::{Score, is_decisive};
use aspirant::search::STACK_SIZE;
use aspirant::search::params::Params;
use aspirant::terminal::{print_error_line, print_line};

/// The arguments of `datagen`.
#[derive(clap::Args, Clone, Debug)]
pub struct DatagenArgs {
    /// Output file; an existing file is continued
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Total number of games in the file at the end
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub games: u32,
    /// Soft node limit per move: no further iteration is started after this many nodes
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub nodes: u32,
    /// Number of games played in parallel (default: number of processors)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
    /// Seed of the random openings, different for each file that is used together with others
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The reason why `datagen` failed.
#[derive(thiserror::Error, Debug)]
pub enum DatagenError {
    /// The game file cannot be used.
    #[error(transparent)]
    File(#[from] GameFileError),
    /// A thread cannot be created.
    #[error("cannot create a thread: {0}")]
    System(#[from] std::io::Error),
    /// A game thread panicked.
    #[error("a game thread failed with an internal error; all games in the file are complete")]
    Thread,
}

/// Score in centipawns that, held for some plies, adjudicates a win.
const WIN_SCORE: Score = 1200;

/// Plays games until the file contains the requested number.
///
/// # Errors
/// [`DatagenError`].
pub fn run(args: &DatagenArgs, config: &Config) -> Result<(), DatagenError> {
    let (weights, params) = (weights_checksum(), params_checksum(&config.params));
    let settings = DatagenSettings { nodes: args.nodes, seed: args.seed, weights, params };
    let mut writer = GameFileWriter::open(&args.out, settings)?;
    if writer.games > 0 {
        print_error_line(&format!("continuing after {} games with {} positions", writer.games, writer.positions));
    }
    let threads = crate::thread_count(args.threads);
    let positions_before = writer.positions;
    let mut progress = Progress::new(writer.games.into(), args.games.into());
    play_all(&mut writer, settings, args.games, threads, &config.params, &mut |writer| {
        progress.update(writer.games.into(), |seconds| {
            let rate = (writer.positions - positions_before) as f64 / seconds;
            format!("{} positions  {rate:.0} positions/s", writer.positions)
        });
    })?;
    let seconds = progress.finish();
    print_line(&format!("{} games, {} positions ({seconds:.0} s)", writer.games, writer.positions));
    Ok(())
}

/// Stops all game threads if its own thread panics: no later game could be written.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

/// Plays the missing games and writes them in the order of their numbers.
fn play_all(
    writer: &mut GameFileWriter,
    settings: DatagenSettings,
    games: u32,
    threads: usize,
    params: &Params,
    on_written: &mut dyn FnMut(&GameFileWriter),
) -> Result<(), DatagenError> {
    let (next, stop) = (AtomicU32::new(writer.games), AtomicBool::new(false));
    let play_games = |finished: Sender<(u32, GameRecord)>| {
        let _stop_on_panic = StopOnPanic(&stop);
        let mut player = Player::new(params, settings.nodes.into());
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            if number >= games || finished.send((number, play_game(&mut player, settings.seed, number))).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        let (sender, finished) = bounded(4 * threads);
        let mut workers = Vec::new();
        for _ in 0..threads {
            let sender = sender.clone();
            workers.push(thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, || play_games(sender))?);
        }
        drop(sender);
        // Finished games that wait for a game with a lower number.
        let mut pending = BTreeMap::new();
        let mut result = Ok(());
        'games: for (number, game) in finished {
            pending.insert(number, game);
            while let Some(game) = pending.remove(&writer.games) {
                if let Err(error) = writer.append(&game) {
                    stop.store(true, Relaxed);
                    result = Err(error.into());
                    break 'games;
                }
                on_written(writer);
            }
        }
        // All threads are joined: the scope would repeat the panic of one that is not.
        let failed = workers.into_iter().fold(false, |failed, worker| worker.join().is_err() | failed);
        if failed { Err(DatagenError::Thread) } else { result }
    })
}

/// Plays game `number` of a seed.
fn play_game(player: &mut Player, seed: u64, number: u32) -> GameRecord {
    let mut random = numbered_rng(seed, number.into());
    let mut game = player.opening(&mut random);
    let mut adjudicator = Adjudicator::new(WIN_SCORE);
    let mut records = Vec::new();
    let (result, end_reason) = loop {
        if let Some(decided) = result_by_rules(&game) {
            break decided;
        }
        let searched = player.search(&game);
        let Some(m) = searched.best_move() else { break (GameResult::Draw, EndReason::Stalemate) };
        let ply = game.history.len();
        if !game.position.in_check() && !is_noisy(m) && !is_decisive(searched.score()) {
            records.push(PositionRecord::new(&game.position, searched.score(), ply as u16));
        }
        let white = game.position.turn().fold_wb(searched.score(), -searched.score());
        if let Some(decided) = adjudicator.update(white, ply) {
            break decided;
        }
        game.play(m);
    };
    for record in &mut records {
        record.result = result;
    }
    GameRecord { result, end_reason: end_reason as u8, plies: game.history.len() as u16, records }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::GameFileReader;

    const SETTINGS: DatagenSettings = DatagenSettings { nodes: 60, seed: 5, weights: 0, params: 0 };

    fn play(path: &std::path::Path, games: u32, threads: usize) {
        let mut writer = GameFileWriter::open(path, SETTINGS).unwrap();
        play_all(&mut writer, SETTINGS, games, threads, &Params::default(), &mut |_| {}).unwrap();
    }

    #[test]
    fn resumed_and_parallel_runs_write_the_same_file() {
        let path = |name: &str| std::env::temp_dir().join(format!("aspirant-datagen-{name}-{}", std::process::id()));
        let (whole, resumed) = (path("whole"), path("resumed"));
        let _ = [&whole, &resumed].map(std::fs::remove_file);
        play(&whole, 12, 1);
        play(&resumed, 5, 2);
        // The file ends in the middle of a game, as after a power failure.
        let bytes = std::fs::read(&resumed).unwrap();
        std::fs::write(&resumed, &bytes[..bytes.len() - 50]).unwrap();
        play(&resumed, 12, 2);
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&resumed).unwrap());
        play(&resumed, 12, 2);

        let mut reader = GameFileReader::open(&whole).unwrap();
        let mut games = 0;
        while let Some(game) = reader.next_game().unwrap() {
            games += 1;
            for record in &game.records {
                assert_eq!(record.result, game.result);
                assert!(record.ply >= 6 && record.ply <= game.plies);
                assert!(!is_decisive(record.score.into()));
            }
        }
        assert_eq!(games, 12);
        let _ = [&whole, &resumed].map(std::fs::remove_file);
    }
}
