//! Tunes the numbers of the search by games of the engine against itself.
//!
//! Every number that `params.rs` declares can be tuned; its range says how far it is moved. The two players of a pair
//! differ in these numbers alone and search every move to the same number of nodes, so that neither the machine
//! nor its load has a say. The result is a `[search]` section for `engine.toml`; it is a proposal, and a match
//! decides. `spsa.rs` is the method, `checkpoint.rs` the file from which an interrupted run goes on.

mod checkpoint;
mod spsa;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use shakmaty::Color;

use crate::game_file::{Outcome, fingerprint};
use crate::selfplay::{Adjudicator, Player, verdict_of_rules};
use aspirant::board::position::{Game, Position};
use aspirant::config::Config;
use aspirant::search::params::{PARAMS, Param, Params};
use aspirant::tools::{fnv1a, genfens, progress_bar, replace_file};
pub use checkpoint::StateError;
use spsa::{Knob, Plan, Rivals, State, Tally};

/// What `tune-search` is told.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The section of engine.toml to write; the state of the run is kept beside it, and a run that was broken off goes on
    #[arg(long, value_name = "FILE", default_value = "tuned.toml")]
    pub out: PathBuf,
    /// Games in all, two for each opening
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    pub games: u64,
    /// Nodes after which a move's search begins no further iteration
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub nodes: u32,
    /// Tune these numbers only; =REACH says how far the last pairs move one up and down (default: 1/20 of its range)
    #[arg(long, value_name = "NAME[=REACH],…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Openings, one EPD or FEN on each line (default: random moves)
    #[arg(long, value_name = "FILE")]
    pub book: Option<String>,
    /// Step of the last pairs, as a share of the reach for each point won
    #[arg(long, value_name = "SHARE", default_value_t = 0.006, value_parser = positive)]
    pub rate: f64,
    /// Pairs of games that are played before the numbers move
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub batch: u64,
    /// Which openings and perturbations
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads (default: one for each processor); the result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: Option<u16>,
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0).ok_or_else(|| "not a positive number".into())
}

/// Why there is no result.
#[derive(thiserror::Error, Debug)]
pub enum TuneSearchError {
    /// The state file.
    #[error(transparent)]
    State(#[from] StateError),
    /// What `--only` asks for.
    #[error("--only {word}: {reason}")]
    Only {
        /// As given.
        word: String,
        /// What is wrong.
        reason: String,
    },
    /// The book of openings.
    #[error("{0}")]
    Book(String),
    /// The result cannot be written.
    #[error("{}: {source}", .path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Threads.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// The first so many plies of the reach of a number, as a share of its range.
const REACH: f64 = 1.0 / 20.0;
/// Less would leave whole numbers where they are.
const LEAST_REACH: f64 = 0.5;
/// A side that is so far ahead for some plies has won, centipawns.
const WON: i32 = 800;

/// Plays the games that are left and writes the numbers.
///
/// # Errors
/// [`TuneSearchError`].
pub fn run(args: &Args, config: &Config) -> Result<(), TuneSearchError> {
    let knobs = knobs(&args.only, &config.params)?;
    let book = args.book.as_deref().map(genfens::read_book).transpose().map_err(TuneSearchError::Book)?;
    let starts = book.as_deref().unwrap_or_default().lines().filter_map(genfens::position_of).collect::<Vec<_>>();
    let plan = Plan { knobs, pairs: args.games.div_ceil(2), batch: args.batch, rate: args.rate, seed: args.seed };
    let run = describe(args, &plan, &config.params, book.as_deref());
    let state_path = args.out.with_extension("state");
    let mut state = checkpoint::load(&state_path, &run, &plan)?.unwrap_or_else(|| plan.start());
    if state.pairs > 0 {
        eprintln!("{} games are played already", 2 * state.pairs);
    }
    let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let play = |rivals: &Rivals| play_pair(&plan, &config.params, &starts, u64::from(args.nodes), rivals);
    let mut progress = Progress::new(&plan, &state);
    let write = |state: &State| {
        replace_file(&args.out, section(&plan, state).as_bytes())
            .map_err(|source| TuneSearchError::Write { path: args.out.clone(), source })
    };
    plan.run(&mut state, threads, &play, &mut |state| {
        checkpoint::save(&state_path, &run, &plan, state)?;
        write(state)?;
        progress.update(state);
        Ok::<(), TuneSearchError>(())
    })?;
    progress.finish(&state);
    write(&state)?;
    aspirant::tools::say(&section(&plan, &state))?;
    Ok(())
}

/// Which numbers, from where and how far. Those of the clock have no say in games of fixed nodes.
fn knobs(only: &[String], params: &Params) -> Result<Vec<Knob>, TuneSearchError> {
    let knob = |param: &'static Param, reach: Option<f64>| Knob {
        name: param.name,
        start: params.get(param.name).unwrap_or(param.default),
        range: (param.min, param.max),
        reach: reach.unwrap_or_else(|| (f64::from(param.max - param.min) * REACH).max(LEAST_REACH)),
    };
    let tunable = |param: &&'static Param| !param.switch && !param.name.starts_with("time_");
    if only.is_empty() {
        return Ok(PARAMS.iter().filter(tunable).map(|param| knob(param, None)).collect());
    }
    only.iter()
        .map(|word| {
            let wrong = |reason: String| TuneSearchError::Only { word: word.clone(), reason };
            let (name, reach) = word.split_once('=').map_or((word.as_str(), None), |(name, r)| (name, Some(r)));
            let reach = reach.map(positive).transpose().map_err(wrong)?;
            let param = PARAMS.iter().filter(tunable).find(|param| param.name == name.trim());
            let param = param.ok_or_else(|| {
                let names = PARAMS.iter().filter(tunable).map(|param| param.name);
                let meant = aspirant::config::options::nearest(name, names);
                let hint = meant.map(|meant| format!(", did you mean '{meant}'?")).unwrap_or_default();
                wrong(format!("no number of the search{hint}"))
            })?;
            Ok(knob(param, reach))
        })
        .collect()
}

/// What a state depends on; two runs with the same text have the same course.
fn describe(args: &Args, plan: &Plan, params: &Params, book: Option<&str>) -> String {
    let numbers: Vec<String> =
        plan.knobs.iter().map(|knob| format!("{}={}±{}", knob.name, knob.start, knob.reach)).collect();
    let base = fnv1a(format!("{params:?} {:x}", fingerprint()).as_bytes());
    let book = book.map_or_else(|| "random openings".into(), |text| format!("book {:016x}", fnv1a(text.as_bytes())));
    format!(
        "{} pairs of {} nodes in batches of {}, rate {}, seed {}, {book}, engine {base:016x}: {}",
        plan.pairs,
        args.nodes,
        plan.batch,
        plan.rate,
        plan.seed,
        numbers.join(" ")
    )
}

/// Both games of a pair. The players are made for it: nothing is left from earlier games.
fn play_pair(plan: &Plan, params: &Params, starts: &[Position], nodes: u64, rivals: &Rivals) -> Tally {
    let player = |values: &[i32]| {
        let mut params = params.clone();
        plan.knobs.iter().zip(values).for_each(|(knob, &value)| params.set(knob.name, value));
        Player::new(&params, nodes)
    };
    // The coins were tossed from the same seed: the openings need one of their own.
    let mut random = spsa::random(!plan.seed, rivals.pair);
    let opening = match random.choice(starts) {
        Some(position) => Game::new(position.clone()),
        None => Player::new(params, nodes).opening(&mut random),
    };
    let mut tally = Tally::default();
    for color in Color::ALL {
        let (mut one, mut other) = (player(&rivals.one), player(&rivals.other));
        let sides = if color.is_white() { [&mut one, &mut other] } else { [&mut other, &mut one] };
        match play_game(&opening, sides) {
            Outcome::Draw => tally.draws += 1,
            outcome if outcome == Outcome::won_by(color) => tally.wins += 1,
            _ => tally.losses += 1,
        }
    }
    tally
}

/// One game; white is the first player.
fn play_game(opening: &Game, players: [&mut Player; 2]) -> Outcome {
    let mut game = opening.clone();
    let mut adjudicator = Adjudicator::new(WON);
    loop {
        if let Some((outcome, _)) = verdict_of_rules(&game) {
            return outcome;
        }
        let turn = game.position.turn();
        let found = players[turn.fold_wb(0, 1)].search(&game);
        let Some(m) = found.answer.best else { return Outcome::Draw };
        if let Some((outcome, _)) = adjudicator.judge(turn.fold_wb(found.score, -found.score), game.history.len()) {
            return outcome;
        }
        game.play(m);
    }
}

/// The numbers as `engine.toml` takes them.
fn section(plan: &Plan, state: &State) -> String {
    let mut out = format!("# aspirant tune-search: {} of {} games\n[search]\n", 2 * state.pairs, 2 * plan.pairs);
    for (knob, value) in plan.knobs.iter().zip(&state.values) {
        let _ = writeln!(out, "{} = {} # from {}, at {value:.2}", knob.name, value.round() as i32, knob.start);
    }
    out
}

/// In a pipe one line in this time.
const QUIET_INTERVAL: Duration = Duration::from_secs(30);

/// A bar on a terminal, a line now and then in a pipe.
struct Progress {
    bar: indicatif::ProgressBar,
    start: Instant,
    last: Instant,
    pairs_before: u64,
    pairs: u64,
}

impl Progress {
    fn new(plan: &Plan, state: &State) -> Self {
        let bar = progress_bar(2 * plan.pairs, "{bar:30} {pos}/{len} games  {msg}");
        let now = Instant::now();
        Self { bar, start: now, last: now, pairs_before: state.pairs, pairs: plan.pairs }
    }

    fn rates(&self, state: &State) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-3);
        let games = 2.0 * (state.pairs - self.pairs_before) as f64 / seconds;
        let left = 2.0 * (self.pairs - state.pairs) as f64 / games.max(1e-9);
        let left = indicatif::HumanDuration(Duration::try_from_secs_f64(left).unwrap_or_default());
        let Tally { wins, draws, losses } = state.games;
        format!("{games:.1} games/s  {left:#} left  {wins} won {draws} drawn {losses} lost")
    }

    fn update(&mut self, state: &State) {
        if !self.bar.is_hidden() {
            self.bar.set_position(2 * state.pairs);
            self.bar.set_message(self.rates(state));
        } else if self.last.elapsed() >= QUIET_INTERVAL {
            self.last = Instant::now();
            eprintln!("{}/{} games  {}", 2 * state.pairs, 2 * self.pairs, self.rates(state));
        }
    }

    fn finish(&self, state: &State) {
        self.bar.finish_and_clear();
        eprintln!("{} games  {}", 2 * state.pairs, self.rates(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(words: &[&str]) -> Result<Vec<Knob>, TuneSearchError> {
        knobs(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), &Params::default())
    }

    #[test]
    fn numbers_are_chosen_by_name() {
        let all = only(&[]).unwrap();
        assert!(all.iter().all(|knob| !knob.name.starts_with("time_") && knob.name != "null_move"));
        assert!(all.iter().any(|knob| knob.name == "rfp_margin"));
        let two = only(&["lmr_base=100", "nmp_base"]).unwrap();
        assert_eq!((two[0].name, two[0].reach, two[1].name), ("lmr_base", 100.0, "nmp_base"));
        for (word, part) in [
            ("lmr_bsae", "did you mean 'lmr_base'?"),
            ("null_move", "--only null_move: no number"),
            ("lmr_base=", "not a positive number"),
            ("lmr_base=-3", "not a positive number"),
        ] {
            let error = only(&[word]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn games_are_told_from_white_and_pairs_from_the_first_player() {
        let knobs = only(&["qs_futility"]).unwrap();
        let plan = Plan { knobs, pairs: 4, batch: 4, rate: 0.01, seed: 1 };
        // A mate in one for white, and two rooks less.
        let params = Params::default();
        let start = parse("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 0 1");
        for (fen, outcome) in [
            ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w Qkq - 0 1", Outcome::Win),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBN1 w kq - 0 1", Outcome::Loss),
        ] {
            let (mut one, mut other) = (Player::new(&params, 300), Player::new(&params, 300));
            assert_eq!(play_game(&parse(fen), [&mut one, &mut other]), outcome, "{fen}");
        }
        // Equal players take turns at the same opening.
        for starts in [&[][..], std::slice::from_ref(&start.position)] {
            let mut rivals = plan.rivals(2, &[140.0]);
            rivals.other.clone_from(&rivals.one);
            let tally = play_pair(&plan, &params, starts, 60, &rivals);
            assert_eq!((tally.wins, tally.wins + tally.draws + tally.losses), (tally.losses, 2));
        }
    }

    fn parse(fen: &str) -> Game {
        Game::new(aspirant::board::position::parse_fen(fen).unwrap())
    }

    #[test]
    fn the_result_is_a_configuration() {
        let plan = Plan { knobs: only(&["rfp_margin", "lmr_base"]).unwrap(), pairs: 4, batch: 2, rate: 0.01, seed: 1 };
        let mut state = plan.start();
        state.values = vec![91.6, 777.2];
        let path = std::env::temp_dir().join(format!("aspirant-tune-search-{}.toml", std::process::id()));
        std::fs::write(&path, section(&plan, &state)).unwrap();
        let config = Config::load(Some(&path), &[]).unwrap();
        assert_eq!((config.params.rfp_margin, config.params.lmr_base), (92, 777));
        std::fs::remove_file(&path).unwrap();
    }
}
