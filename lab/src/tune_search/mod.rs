//! The command `tune-search`: tunes the search parameters by self-play games.
//!
//! Every search parameter that `params.rs` declares can be tuned, except for switches and time management; the default
//! perturbation is a fraction of its range. The two players of a pair differ only in these parameters and search every
//! move with the same node limit, so results do not depend on the machine or its load. The result is a `[search]`
//! section for `engine.toml`, which should be verified by a match. With `--engine`, the players are processes of another
//! program, and the parameters are its UCI options of type `spin`. `spsa.rs` implements the method, `checkpoint.rs` the
//! state file for resuming, `program.rs` UCI.

mod checkpoint;
mod program;
mod spsa;

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use shakmaty::{Color, Move};

use crate::files::{replace_file, try_lock};
use crate::game_file::GameResult;
use crate::hash::{fnv1a, weights_checksum};
use crate::progress::Progress;
use crate::selfplay::{Adjudicator, Player, aspirant_engine, numbered_rng, result_by_rules};
use crate::tune::positive;
use aspirant::board::epd::{lines, parse_epd};
use aspirant::board::game::Game;
use aspirant::board::position::Position;
use aspirant::config::Config;
use aspirant::score::Score;
use aspirant::search::params::{PARAMS, Param, Params};
use aspirant::terminal::print_error_line;
use aspirant::tools::genfens;
pub use checkpoint::StateError;
use program::Program;
use spsa::{PlayerPair, SpsaParam, SpsaPlan, SpsaState, Tally};

/// The arguments of `tune-search`.
#[derive(clap::Args, Clone, Debug)]
pub struct TuneSearchArgs {
    /// Configuration file to write, with only a `[search]` section; an interrupted run resumes from the state file beside it
    #[arg(long, value_name = "FILE", default_value = "tuned.toml")]
    pub out: PathBuf,
    /// Total number of games, two per opening
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    pub games: u64,
    /// Engine program to tune instead of Aspirant: its search parameters (a build with the feature `tune`), or the spin options named by --only
    #[arg(long, value_name = "PROGRAM")]
    pub engine: Option<PathBuf>,
    /// Soft node limit per move: no further iteration is started after this many nodes; for --engine, the limit of `go nodes`
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub nodes: u32,
    /// Tune only these parameters; =STEP sets the final perturbation (default: 1/20 of the range, at least 0.5)
    #[arg(long, value_name = "NAME[=STEP],…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Opening book with one EPD or FEN per line (default: random opening moves)
    #[arg(long, value_name = "FILE")]
    pub book: Option<String>,
    /// Learning rate: step of the last pair per point won, as a fraction of the perturbation
    #[arg(long, value_name = "SHARE", default_value_t = 0.006, value_parser = positive)]
    pub rate: f64,
    /// Number of pairs of games between two updates of the parameters
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub batch: u64,
    /// Seed of the openings and perturbations
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of threads (default: number of processors); does not change the result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
}

/// The reason why tuning failed.
#[derive(thiserror::Error, Debug)]
pub enum TuneSearchError {
    /// The state file cannot be used.
    #[error(transparent)]
    SpsaState(#[from] StateError),
    /// The program of `--engine` cannot be used.
    #[error("{0}")]
    Engine(String),
    /// An argument of `--only` is invalid.
    #[error("--only {word}: {reason}")]
    Only {
        /// The argument.
        word: String,
        reason: String,
    },
    /// The opening book cannot be used.
    #[error("{0}")]
    Book(String),
    /// The output file exists and is not one of `tune-search`.
    #[error("{}: exists and was not written by tune-search; choose another --out; nothing was changed", .0.display())]
    Exists(PathBuf),
    /// Another process tunes to the same output file.
    #[error("{}: another process is writing this file", .0.display())]
    InUse(PathBuf),
    /// The output file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The output file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A thread cannot be created or failed, or the output could not be printed.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// Beginning of every output file.
const HEADER: &str = "# aspirant-lab tune-search: ";
/// Default perturbation of a parameter as a fraction of its range.
const DEFAULT_PERTURBATION: f64 = 1.0 / 20.0;
/// Minimum default perturbation; with less, most rounded values would not change.
const MIN_PERTURBATION: f64 = 0.5;
/// Score in centipawns that, held for some plies, adjudicates a win.
const WIN_SCORE: i32 = 800;

/// Plays the remaining games and writes the tuned parameters.
///
/// # Errors
/// [`TuneSearchError`].
pub fn run(args: &TuneSearchArgs, config: &Config) -> Result<(), TuneSearchError> {
    let params = match &args.engine {
        None => tuned_params(&args.only, own_params(&config.params))?,
        Some(path) => {
            let (_, options) = Program::start(path, 1).map_err(TuneSearchError::Engine)?;
            // Without --only, the parameters of engines that are built on the library.
            let is_tuned = |name: &str| !args.only.is_empty() || PARAMS.iter().any(|p| is_tunable(p) && p.name == name);
            let options = options.into_iter().filter(|(name, ..)| is_tuned(name));
            tuned_params(&args.only, options.map(|(name, start, range)| spsa_param(name, start, range)).collect())?
        }
    };
    if params.is_empty() {
        let reason = "has no search parameters as options; build it with the feature `tune`, or name options by --only";
        let path = args.engine.as_deref().unwrap_or(Path::new("")).display();
        return Err(TuneSearchError::Engine(format!("{path}: {reason}")));
    }
    match std::fs::read(&args.out) {
        Ok(bytes) if bytes.starts_with(HEADER.as_bytes()) => {}
        Ok(_) => return Err(TuneSearchError::Exists(args.out.clone())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(source) => return Err(TuneSearchError::Write { path: args.out.clone(), source }),
    }
    let book = args.book.as_deref().map(genfens::read_opening_book).transpose().map_err(TuneSearchError::Book)?;
    let lines = lines(book.as_deref().unwrap_or_default());
    let starts = lines.filter_map(|(_, line)| Some(parse_epd(line).ok()?.position)).collect::<Vec<_>>();
    let plan = SpsaPlan { params, pairs: args.games.div_ceil(2), batch: args.batch, rate: args.rate, seed: args.seed };
    let run = describe(args, &plan, &config.params, book.as_deref());
    let state_path = match args.out.with_extension("state") {
        path if path == args.out => path.with_added_extension("state"),
        path => path,
    };
    // Held until the end of the run; the file remains, because removing it would let two later runs lock different files.
    let lock_path = state_path.with_added_extension("lock");
    let lock = File::create(&lock_path).map_err(|source| TuneSearchError::Write { path: lock_path.clone(), source })?;
    if !try_lock(&lock) {
        return Err(TuneSearchError::InUse(args.out.clone()));
    }
    let mut state = checkpoint::load(&state_path, &run, &plan)?.unwrap_or_else(|| plan.start());
    if state.pairs > 0 {
        print_error_line(&format!("continuing after {} games", 2 * state.pairs));
    }
    let threads = crate::thread_count(args.threads);
    let engine = args.engine.as_deref();
    let play = |players: &PlayerPair| play_pair(&plan, &config.params, engine, &starts, args.nodes.into(), players);
    let mut progress = Progress::new(2 * state.pairs, 2 * plan.pairs);
    let write = |state: &SpsaState| {
        replace_file(&args.out, section(&plan, state).as_bytes())
            .map_err(|source| TuneSearchError::Write { path: args.out.clone(), source })
    };
    plan.run(&mut state, threads, &play, &mut |state| {
        checkpoint::save(&state_path, &run, &plan, state)?;
        write(state)?;
        progress.update(2 * state.pairs, |_| state.games.to_string());
        Ok::<(), TuneSearchError>(())
    })?;
    let seconds = progress.finish();
    print_error_line(&format!("{} games: {} ({seconds:.0} s)", 2 * state.pairs, state.games));
    write(&state)?;
    aspirant::terminal::print_ignoring_closed_pipe(&section(&plan, &state))
        .map_err(|error| std::io::Error::other(format!("cannot print the result: {error}")))?;
    Ok(())
}

/// Returns whether the parameter can be tuned by games with a node limit: not a switch, and not of the time management.
fn is_tunable(param: &Param) -> bool {
    !param.switch && !param.name.starts_with("time_")
}

/// Returns a parameter with the default perturbation.
fn spsa_param(name: String, start: i32, range: (i32, i32)) -> SpsaParam {
    let perturbation = ((f64::from(range.1) - f64::from(range.0)) * DEFAULT_PERTURBATION).max(MIN_PERTURBATION);
    SpsaParam { name, start, range, perturbation }
}

fn own_params(params: &Params) -> Vec<SpsaParam> {
    let value = |param: &Param| params.get(param.name).unwrap_or(param.default);
    let tunable = PARAMS.iter().filter(|param| is_tunable(param));
    tunable.map(|param| spsa_param(param.name.into(), value(param), (param.min, param.max))).collect()
}

/// Returns the parameters to be tuned: all, or those named by `--only` with their perturbations.
fn tuned_params(only: &[String], all: Vec<SpsaParam>) -> Result<Vec<SpsaParam>, TuneSearchError> {
    if only.is_empty() {
        return Ok(all);
    }
    let params: Vec<SpsaParam> = only
        .iter()
        .map(|word| {
            let invalid = |reason: String| TuneSearchError::Only { word: word.clone(), reason };
            let (name, perturbation) = word.split_once('=').map_or((word.as_str(), None), |(name, r)| (name, Some(r)));
            let perturbation = perturbation.map(positive).transpose().map_err(invalid)?;
            let param = all.iter().find(|param| param.name == name.trim()).ok_or_else(|| {
                let similar = aspirant::config::options::nearest(name, all.iter().map(|param| param.name.as_str()));
                let hint = similar.map(|name| format!(", did you mean '{name}'?")).unwrap_or_default();
                invalid(format!("not a tunable search parameter{hint}"))
            })?;
            Ok(SpsaParam { perturbation: perturbation.unwrap_or(param.perturbation), ..param.clone() })
        })
        .collect::<Result<_, TuneSearchError>>()?;
    for (index, param) in params.iter().enumerate() {
        if params[..index].iter().any(|other| other.name == param.name) {
            let reason = format!("'{}' is named more than once", param.name);
            return Err(TuneSearchError::Only { word: only[index].clone(), reason });
        }
    }
    Ok(params)
}

/// Describes all settings on which a run depends; runs of the same program with equal descriptions have equal results.
fn describe(args: &TuneSearchArgs, plan: &SpsaPlan, params: &Params, book: Option<&str>) -> String {
    let params_text: Vec<String> =
        plan.params.iter().map(|param| format!("{}={}±{}", param.name, param.start, param.perturbation)).collect();
    let program = args.engine.as_deref().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let base = fnv1a(&[format!("{params:?} {:x}", weights_checksum()).as_bytes(), &program].concat());
    let book = book.map_or_else(|| "random openings".into(), |text| format!("book {:016x}", fnv1a(text.as_bytes())));
    format!(
        "{} pairs of {} nodes in batches of {}, rate {}, seed {}, {book}, engine {base:016x}: {}",
        plan.pairs,
        args.nodes,
        plan.batch,
        plan.rate,
        plan.seed,
        params_text.join(" ")
    )
}

/// A player of one game.
trait Side {
    /// Searches the current position of a game; returns the best move and its score.
    ///
    /// # Errors
    /// The problem that the search reported.
    fn search(&mut self, game: &Game) -> Result<(Move, Score), String>;
}

impl Side for Player {
    fn search(&mut self, game: &Game) -> Result<(Move, Score), String> {
        Self::search(self, game)
    }
}

/// Plays both games of a pair, with new players for each game so that nothing depends on earlier games.
fn play_pair(
    plan: &SpsaPlan,
    params: &Params,
    engine: Option<&Path>,
    starts: &[Position],
    nodes: u64,
    players: &PlayerPair,
) -> Result<Tally, String> {
    let player = |values: &[i32]| -> Result<Box<dyn Side>, String> {
        let values = plan.params.iter().map(|param| param.name.as_str()).zip(values);
        match engine {
            Some(path) => {
                let (mut program, _) = Program::start(path, nodes)?;
                values.into_iter().try_for_each(|(name, value)| program.set(name, value))?;
                Ok(Box::new(program))
            }
            None => {
                let mut params = params.clone();
                values.for_each(|(name, &value)| params.set(name, value));
                Ok(Box::new(new_player(&params, nodes)?))
            }
        }
    };
    // A seed different from that of the perturbations keeps openings and perturbations independent.
    let mut random = numbered_rng(!plan.seed, players.pair);
    let opening = match random.choice(starts) {
        Some(position) => Game::new(position.clone()),
        None => new_player(params, nodes)?.opening(&mut random)?,
    };
    let mut tally = Tally::default();
    for color in Color::ALL {
        let (mut first, mut second) = (player(&players.first)?, player(&players.second)?);
        let sides = if color.is_white() { [&mut *first, &mut *second] } else { [&mut *second, &mut *first] };
        match play_game(&opening, sides)? {
            GameResult::Draw => tally.draws += 1,
            result if result == GameResult::won_by(color) => tally.wins += 1,
            _ => tally.losses += 1,
        }
    }
    Ok(tally)
}

/// Returns Aspirant with these parameters as a player.
fn new_player(params: &Params, nodes: u64) -> Result<Player, String> {
    Ok(Player::new(aspirant_engine(params).map_err(|error| error.to_string())?, nodes))
}

/// Plays one game; `players` are White and Black.
fn play_game(opening: &Game, players: [&mut (dyn Side + 'static); 2]) -> Result<GameResult, String> {
    let mut game = opening.clone();
    let mut adjudicator = Adjudicator::new(WIN_SCORE);
    loop {
        if let Some(result) = result_by_rules(&game) {
            return Ok(result);
        }
        let turn = game.position.turn();
        let (m, score) = players[turn.fold_wb(0, 1)].search(&game)?;
        if let Some(result) = adjudicator.update(turn.fold_wb(score, -score), game.history.len()) {
            return Ok(result);
        }
        game.play(m);
    }
}

/// Returns the current values as a `[search]` section of `engine.toml`.
fn section(plan: &SpsaPlan, state: &SpsaState) -> String {
    let mut out = format!("{HEADER}{} of {} games\n[search]\n", 2 * state.pairs, 2 * plan.pairs);
    for (param, value) in plan.params.iter().zip(&state.values) {
        let _ = writeln!(out, "{} = {} # initial {}, exact {value:.2}", param.name, value.round() as i32, param.start);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(words: &[&str]) -> Result<Vec<SpsaParam>, TuneSearchError> {
        let only: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        tuned_params(&only, own_params(&Params::default()))
    }

    #[test]
    fn parameters_are_selected_by_name() {
        let all = select(&[]).unwrap();
        assert!(all.iter().all(|param| !param.name.starts_with("time_") && param.name != "null_move"));
        assert!(all.iter().any(|param| param.name == "rfp_margin"));
        let two = select(&["lmr_base=100", "nmp_base"]).unwrap();
        assert_eq!((&*two[0].name, two[0].perturbation, &*two[1].name), ("lmr_base", 100.0, "nmp_base"));
        for (word, part) in [
            ("lmr_bsae", "did you mean 'lmr_base'?"),
            ("null_move", "--only null_move: not a tunable search parameter"),
            ("lmr_base=", "not a positive number"),
            ("lmr_base=-3", "not a positive number"),
        ] {
            let error = select(&[word]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn game_results_are_whites_and_tallies_are_the_first_players() {
        let params = select(&["qs_futility"]).unwrap();
        let plan = SpsaPlan { params, pairs: 4, batch: 4, rate: 0.01, seed: 1 };
        // White mates in one move; White is two rooks down.
        let params = Params::default();
        let start = parse("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 0 1");
        for (fen, result) in [
            ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w Qkq - 0 1", GameResult::Win),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBN1 w kq - 0 1", GameResult::Loss),
        ] {
            let player = || new_player(&params, 300).unwrap();
            assert_eq!(play_game(&parse(fen), [&mut player(), &mut player()]), Ok(result), "{fen}");
        }
        // Equal players with alternating colors score equally from the same opening.
        for starts in [&[][..], std::slice::from_ref(&start.position)] {
            let mut players = plan.player_pair(2, &[140.0]);
            players.second.clone_from(&players.first);
            let tally = play_pair(&plan, &params, None, starts, 60, &players).unwrap();
            assert_eq!((tally.wins, tally.wins + tally.draws + tally.losses), (tally.losses, 2));
        }
    }

    fn parse(fen: &str) -> Game {
        Game::new(aspirant::board::position::parse_fen(fen).unwrap())
    }

    #[test]
    fn output_can_be_loaded_as_configuration() {
        let plan =
            SpsaPlan { params: select(&["rfp_margin", "lmr_base"]).unwrap(), pairs: 4, batch: 2, rate: 0.01, seed: 1 };
        let mut state = plan.start();
        state.values = vec![91.6, 777.2];
        let path = std::env::temp_dir().join(format!("aspirant-tune-search-{}.toml", std::process::id()));
        std::fs::write(&path, section(&plan, &state)).unwrap();
        let config = Config::load(Some(&path), &[]).unwrap();
        assert_eq!((config.params.get("rfp_margin"), config.params.get("lmr_base")), (Some(92), Some(777)));
        std::fs::remove_file(&path).unwrap();
    }
}
