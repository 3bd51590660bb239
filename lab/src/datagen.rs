//! Self-play games as training data, by any engine that is built on the library.
//!
//! Each game starts with a few random moves and continues with short searches; transposition table and histories are
//! cleared before the search that scores the opening. Game `n` therefore depends only on the seed, `n`, the node limit
//! and the engine, not on the number of threads, and an interrupted run can be resumed. The file contains whole games
//! with the score of each position ([`crate::game_file`]); [`crate::convert`] makes positions of them.
//! <https://www.chessprogramming.org/Automated_Tuning>

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread::{self, ScopedJoinHandle};

use clap::Parser as _;
use crossbeam_channel::{Sender, bounded};

use crate::game_file::{DatagenSettings, GameFileError, GameFileWriter, GameRecord};
use crate::progress::Progress;
use crate::selfplay::{Adjudicator, Player, numbered_rng, result_by_rules};
use aspirant::engine::{BuildError, Engine};
use aspirant::score::Score;
use aspirant::search::STACK_SIZE;
use aspirant::terminal::{on_first_interrupt, print_error_line, print_line};

/// Play self-play games and write them to a file.
#[derive(clap::Parser, Clone, Debug)]
pub struct DatagenArgs {
    /// Output file in viriformat; an existing file is continued, if its settings (FILE.toml) are the same
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
    pub seed: u32,
}

impl DatagenArgs {
    /// The settings of `aspirant-lab datagen --out OUT` without further flags.
    #[must_use]
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self { out: out.into(), ..Self::parse_from(["datagen", "--out", "-"]) }
    }
}

/// The reason why `datagen` failed.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum DatagenError {
    /// The game file cannot be used.
    #[error(transparent)]
    File(#[from] GameFileError),
    /// The engine could not be built.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// The search reported a problem, such as a panic in the evaluator.
    #[error("the search reported a problem: {0}; all games in the file are complete")]
    Search(String),
    /// A thread cannot be created.
    #[error("cannot create a thread: {0}")]
    System(#[from] std::io::Error),
    /// A game thread panicked.
    #[error("a game thread failed with an internal error; all games in the file are complete")]
    Thread,
    /// The run was interrupted (Ctrl-C).
    #[error("interrupted after {games} games; the same command continues")]
    Interrupted { games: u32 },
}

/// Score in centipawns that, held for some plies, adjudicates a win.
const WIN_SCORE: Score = 1200;

/// Plays games until the file contains the requested number; the first Ctrl-C ends the run after the games in progress.
///
/// `engine` builds the engine that plays, once for each thread. It should be [inline](aspirant::engine::EngineBuilder::inline):
/// otherwise, each search is handed to another thread. `Hash` is set to 1 MB and `Threads` to 1.
///
/// # Errors
/// [`DatagenError`]. All games that are in the file then are complete, and the next run continues.
pub fn run(args: &DatagenArgs, engine: impl Fn() -> Result<Engine, BuildError> + Sync) -> Result<(), DatagenError> {
    let player = || Ok::<_, DatagenError>(Player::new(engine()?, args.nodes.into()));
    let (engine, checksum) =
        thread::scope(|scope| join(spawn(scope, || player()?.identity().map_err(DatagenError::Search))?))?;
    let settings = DatagenSettings { engine, checksum, nodes: args.nodes, seed: args.seed };
    let mut writer = GameFileWriter::open(&args.out, &settings)?;
    if writer.games > 0 {
        print_error_line(&format!("continuing after {} games with {} positions", writer.games, writer.positions));
    }
    let stop = Arc::new(AtomicBool::new(false));
    on_first_interrupt({
        let stop = Arc::clone(&stop);
        move || stop.store(true, Relaxed)
    });
    let positions_before = writer.positions;
    let mut progress = Progress::new(writer.games.into(), args.games.into());
    play_all(&mut writer, args, &player, &stop, &mut |writer| {
        progress.update(writer.games.into(), |seconds| {
            let rate = (writer.positions - positions_before) as f64 / seconds;
            format!("{} positions  {rate:.0} positions/s", writer.positions)
        });
    })?;
    let seconds = progress.finish();
    if writer.games < args.games {
        return Err(DatagenError::Interrupted { games: writer.games });
    }
    print_line(&format!("{} games, {} positions ({seconds:.0} s)", writer.games, writer.positions));
    Ok(())
}

/// Starts a thread that can search.
fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
    thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work)
}

/// Waits for a thread; a panic is an error.
fn join<T>(thread: ScopedJoinHandle<'_, Result<T, DatagenError>>) -> Result<T, DatagenError> {
    thread.join().unwrap_or(Err(DatagenError::Thread))
}

/// Stops all game threads when one fails: no later game could be written.
struct StopOnFailure<'a> {
    stop: &'a AtomicBool,
    has_failed: bool,
}

impl Drop for StopOnFailure<'_> {
    fn drop(&mut self) {
        if self.has_failed {
            self.stop.store(true, Relaxed);
        }
    }
}

/// Plays the missing games until `stop` is set, and writes them in the order of their numbers.
fn play_all(
    writer: &mut GameFileWriter,
    args: &DatagenArgs,
    player: &(impl Fn() -> Result<Player, DatagenError> + Sync),
    stop: &AtomicBool,
    on_written: &mut dyn FnMut(&GameFileWriter),
) -> Result<(), DatagenError> {
    let next = AtomicU32::new(writer.games);
    let play_games = |finished: Sender<(u32, GameRecord)>| -> Result<(), DatagenError> {
        let mut guard = StopOnFailure { stop, has_failed: true };
        let mut player = player()?;
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            if number >= args.games {
                break;
            }
            let game = play_game(&mut player, args.seed, number).map_err(DatagenError::Search)?;
            if finished.send((number, game)).is_err() {
                break;
            }
        }
        guard.has_failed = false;
        Ok(())
    };
    thread::scope(|scope| {
        let threads = crate::thread_count(args.threads);
        let (sender, finished) = bounded(4 * threads);
        let mut workers = Vec::new();
        for _ in 0..threads {
            let sender = sender.clone();
            workers.push(spawn(scope, || play_games(sender))?);
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
        let results: Vec<_> = workers.into_iter().map(join).collect();
        results.into_iter().fold(result, Result::and)
    })
}

/// Plays game `number` of a seed.
fn play_game(player: &mut Player, seed: u32, number: u32) -> Result<GameRecord, String> {
    let mut game = player.opening(&mut numbered_rng(seed.into(), number.into()))?;
    let (start, mut moves) = (game.position.clone(), Vec::new());
    let mut adjudicator = Adjudicator::new(WIN_SCORE);
    let result = loop {
        if let Some(result) = result_by_rules(&game) {
            break result;
        }
        let (m, score) = player.search(&game)?;
        let white = game.position.turn().fold_wb(score, -score);
        moves.push((m, white.clamp(i16::MIN.into(), i16::MAX.into()) as i16));
        if let Some(result) = adjudicator.update(white, game.history.len()) {
            break result;
        }
        game.play(m);
    };
    Ok(GameRecord { start, result, moves })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::GameFileReader;
    use crate::game_file::tests::{TempFile, settings};
    use crate::selfplay::aspirant_engine;
    use aspirant::board::position::Position;
    use aspirant::eval::SimpleEvaluator;
    use aspirant::search::params::Params;
    use aspirant::search::report::{Reporter, SearchResult, Variation};
    use aspirant::search::{Search, SearchRequest};
    use aspirant::shakmaty::Position as _;

    fn play(path: &std::path::Path, games: u32, threads: u16) {
        let args = DatagenArgs { games, nodes: 60, threads: Some(threads), seed: 5, ..DatagenArgs::new(path) };
        let mut writer = GameFileWriter::open(path, &settings()).unwrap();
        let player = || Ok(Player::new(aspirant_engine(&Params::default())?, 60));
        play_all(&mut writer, &args, &player, &AtomicBool::new(false), &mut |_| {}).unwrap();
    }

    #[test]
    fn resumed_and_parallel_runs_write_the_same_file() {
        let [whole, resumed] = ["datagen-whole", "datagen-resumed"].map(TempFile::new);
        play(&whole.0, 12, 1);
        play(&resumed.0, 5, 2);
        // The file ends in the middle of a game, as after a power failure.
        let bytes = std::fs::read(&resumed.0).unwrap();
        std::fs::write(&resumed.0, &bytes[..bytes.len() - 50]).unwrap();
        play(&resumed.0, 12, 2);
        assert_eq!(std::fs::read(&whole.0).unwrap(), std::fs::read(&resumed.0).unwrap());
        play(&resumed.0, 12, 2);

        let mut reader = GameFileReader::open(&whole.0).unwrap();
        let games: Vec<GameRecord> = std::iter::from_fn(|| reader.next_game().unwrap()).collect();
        assert_eq!(games.len(), 12);
        assert!(games.iter().any(|game| game.start.chess().castles().mode().is_chess960()));
    }

    #[test]
    fn an_interrupted_run_loses_no_game() {
        let file = TempFile::new("datagen-interrupted");
        let mut args = DatagenArgs { games: 1000, nodes: 60, threads: Some(3), ..DatagenArgs::new(&file.0) };
        let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
        let (stop, built) = (AtomicBool::new(false), AtomicU32::new(0));
        let player = || {
            built.fetch_add(1, Relaxed);
            Ok(Player::new(aspirant_engine(&Params::default())?, 60))
        };
        play_all(&mut writer, &args, &player, &stop, &mut |_| stop.store(true, Relaxed)).unwrap();
        let games = writer.games;
        drop(writer);
        assert!((1..100).contains(&games), "{games}");
        args.games = games + 1;
        let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
        play_all(&mut writer, &args, &player, &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert_eq!((writer.games, built.into_inner()), (games + 1, 6));
    }

    /// An evaluator with a defect.
    #[derive(Clone)]
    struct Panics;

    impl SimpleEvaluator for Panics {
        fn evaluate(&mut self, position: &Position) -> Score {
            assert!(position.board().occupied().count() > 20, "defect");
            0
        }
    }

    struct FirstMove;

    impl Search for FirstMove {
        fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
            SearchResult::new(vec![Variation::new(vec![request.root_moves[0]], 50, 1)])
        }
    }

    #[test]
    fn an_engine_with_a_search_of_its_own_plays() {
        let file = TempFile::new("datagen-search");
        let args = DatagenArgs { games: 3, threads: Some(1), ..DatagenArgs::new(&file.0) };
        run(&args, || Engine::builder().name("First").version("0.1").search(|| FirstMove).inline().build()).unwrap();
        assert_eq!(DatagenSettings::read(&file.0).unwrap().engine, "First 0.1");
        let mut reader = GameFileReader::open(&file.0).unwrap();
        for _ in 0..3 {
            let game = reader.next_game().unwrap().unwrap();
            assert_eq!(game.moves[0].0, game.start.chess().legal_moves()[0]);
            assert_eq!(game.moves[0].1, game.start.turn().fold_wb(50, -50));
        }
        assert!(reader.next_game().unwrap().is_none());
    }

    #[test]
    fn a_defect_of_the_evaluator_ends_the_run() {
        let file = TempFile::new("datagen-defect");
        let engine = || Engine::builder().evaluator(Panics).inline().build();
        let error = run(&DatagenArgs::new(&file.0), engine).unwrap_err();
        assert!(matches!(&error, DatagenError::Search(problem) if problem.contains("internal error")), "{error}");
        // Only after some positions of the first game.
        let args = DatagenArgs { threads: Some(2), ..DatagenArgs::new(&file.0) };
        let mut writer = GameFileWriter::open(&file.0, &settings()).unwrap();
        let player = || Ok(Player::new(engine()?, 60));
        let error = play_all(&mut writer, &args, &player, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
        assert!(matches!(error, DatagenError::Search(_)), "{error}");
    }
}
