//! The command line: what `aspirant` does with its arguments. Without a command it speaks UCI.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::{CommandFactory as _, Parser, Subcommand};
use indicatif::ProgressBar;

use crate::config::Config;
use crate::position::{Position, parse_fen};
use crate::uci;
use crate::workbench::{
    analyse, bench, compare, datagen, epd, perft, play, progress_bar, speedtest, tree, tune, tune_search,
};

const AFTER_HELP: &str = "\
Without a command Aspirant speaks UCI on stdin and stdout: that is how a GUI starts it.

Examples:
  aspirant analyse --fen \"rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1\"
  aspirant analyse --movetime 10000 --multipv 3
  aspirant play --side black --movetime 500 --pgn game.pgn
  aspirant bench
  aspirant perft 6
  aspirant speedtest --threads 1,2
  aspirant epd suite.epd --movetime 1000
  aspirant datagen --out games.dat --games 20000
  aspirant tune games.dat
  aspirant tune-search --games 20000 --only rfp_margin,lmr_base
  aspirant --set Hash=256 --set Threads=2
";

/// A UCI chess engine.
#[derive(Parser, Debug)]
#[command(name = "aspirant", version = crate::version_line(), about, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub struct Cli {
    /// Read this configuration instead of looking for engine.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set an option or a search parameter (repeatable), over engine.toml
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Serve strangers: no option of the protocol may name a file
    #[arg(long, global = true)]
    pub restricted: bool,
    /// Print the configuration with the origin of each value, and exit
    #[arg(long, global = true)]
    pub print_config: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Speak UCI (what happens without a command, too)
    Uci,
    /// Search fixed positions; the last line is the fingerprint: N nodes M nps
    Bench {
        /// [DEPTH] [THREADS] [HASH]: plies (13), search threads (1), MB (16)
        #[arg(value_name = "DEPTH THREADS HASH", num_args = 0..=3)]
        arguments: Vec<String>,
    },
    /// Count the move sequences of a length
    Perft(PerftArgs),
    /// Measure nodes per second, and what more threads bring
    Speedtest(SpeedtestArgs),
    /// Analyse a position: board, best lines, chances
    Analyse(analyse::Args),
    /// Play a game against the engine in the terminal
    Play(play::Args),
    /// Run a test suite (bm, am, dm) and print the misses and solved/total
    Epd(epd::Args),
    /// Play games against itself and keep their quiet positions, for tune
    Datagen(datagen::Args),
    /// Fit the evaluator's tables to games of datagen and write the table file
    Tune(tune::Args),
    /// Tune the numbers of the search by games against itself (SPSA)
    TuneSearch(tune_search::Args),
    /// Fit the chances of win, draw and loss to games of datagen
    TuneWdl(tune::wdl::Args),
    /// Compare the textbook's searches side by side
    Compare(compare::Args),
    /// Draw a search: its tree as text, as a picture, or as a page to step through
    Tree(tree::Args),
    /// Print engine.toml with every key at its default
    PrintTemplate,
    /// Print completions for a shell
    Completions {
        /// Whose completions
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(clap::Args, Debug)]
struct PerftArgs {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MOST_DEPTH)))]
    depth: u32,
    /// The position (default: the start of the game)
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Print the count of each root move, too
    #[arg(long)]
    divide: bool,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Use a hash table of this size; 0 for none
    #[arg(long, value_name = "MB", default_value_t = 0)]
    hash: usize,
    /// Write each finished piece of the count to this file, and begin from those that stand there
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct SpeedtestArgs {
    /// Numbers of threads to compare
    #[arg(long, value_name = "N,…", default_value = "1", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Vec<u16>,
    /// Hash table, MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Depth of each search, plies
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// How often each position is searched
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    crate::sys::give_tables_their_own_pages();
    crate::sys::fill_store_of_small_blocks();
    crate::fault::arm_from_environment();
    let result = match protocol_lines(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())) {
        Some(lines) => obey(&lines),
        None => Cli::parse().run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(error) if causes(&*error).any(is_closed_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("aspirant: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Arguments that are lines of the protocol, as test farms give them: `aspirant "genfens 5 seed 1 book None" quit`.
/// A word that is also a command of this program means that command, unless lines of the protocol follow `uci`.
fn protocol_lines(arguments: impl Iterator<Item = String>) -> Option<Vec<String>> {
    let lines: Vec<String> = arguments.collect();
    let first = lines.first()?;
    let is_own = Cli::command().get_subcommands().any(|command| command.get_name() == first);
    let follows_uci = first == "uci" && lines.get(1).is_some_and(|line| uci::input::is_command(line));
    (uci::input::is_command(first) && !is_own || follows_uci).then_some(lines)
}

/// Speaks UCI, beginning with these lines.
fn obey(lines: &[String]) -> Result<(), Failure> {
    // Taken for a line of the protocol, `--restricted` would be an unknown command and not be in force.
    if let Some(flag) = lines.iter().find(|line| line.starts_with('-')) {
        return Err(format!("'{flag}' cannot stand beside lines of the protocol; send those on stdin instead").into());
    }
    let config = Config::load_for_uci(None, &[])?;
    print_warnings(&config);
    Ok(uci::run(config, lines)?)
}

/// Prints what was ignored in the configuration. A closed stderr is no reason to end.
fn print_warnings(config: &Config) {
    for warning in config.warnings() {
        let _ = writeln!(io::stderr(), "aspirant: {warning}");
    }
}

type Failure = Box<dyn Error>;

/// An error, what caused it, and so on.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

impl Cli {
    fn run(self) -> Result<(), Failure> {
        let is_uci = matches!(self.command, None | Some(Command::Uci)) && !self.print_config;
        let load = if is_uci { Config::load_for_uci } else { Config::load };
        let mut config = load(self.config.as_deref(), &self.set)?;
        print_warnings(&config);
        config.restricted = self.restricted;
        if self.print_config {
            return print(&config.print());
        }
        match self.command {
            None | Some(Command::Uci) => uci::run(config, &[])?,
            Some(Command::Bench { arguments }) => run_bench(config, &arguments)?,
            Some(Command::Perft(args)) => run_perft(&args)?,
            Some(Command::Speedtest(args)) => run_speedtest(&args)?,
            Some(Command::Analyse(args)) => analyse::run(&args, config)?,
            Some(Command::Play(args)) => play::run(&args, config)?,
            Some(Command::Epd(args)) => {
                epd::run(&args, config)?;
            }
            Some(Command::Datagen(args)) => datagen::run(&args, &config)?,
            Some(Command::Tune(args)) => tune::run(&args)?,
            Some(Command::TuneSearch(args)) => tune_search::run(&args, &config)?,
            Some(Command::TuneWdl(args)) => tune::wdl::run(&args)?,
            Some(Command::Compare(args)) => compare::run(&args)?,
            Some(Command::Tree(args)) => tree::run(&args)?,
            Some(Command::PrintTemplate) => print(&Config::template())?,
            Some(Command::Completions { shell }) => print(&completions(shell))?,
            Some(Command::Man) => print(&manual()?)?,
        }
        Ok(())
    }
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "aspirant", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn manual() -> io::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// The fingerprint belongs to the configuration: with `--set` or engine.toml it is that of the changed search.
fn run_bench(config: Config, arguments: &[String]) -> Result<(), Failure> {
    let request = bench::Request::parse(arguments)?;
    let total = bench::run_with(config, &request, &AtomicBool::new(false), &mut |line| eprintln!("{line}"))?;
    print(&format!("{total}\n"))
}

fn run_speedtest(args: &SpeedtestArgs) -> Result<(), Failure> {
    let threads = args.threads.iter().map(|&threads| threads.into()).collect();
    let request = speedtest::Request { threads, hash: args.hash as usize, depth: args.depth, rounds: args.rounds };
    let bar = progress_bar(0, "{bar:30} {pos}/{len} searches, {elapsed}, left {eta}");
    let speeds = speedtest::run(&request, &bar)?;
    bar.finish_and_clear();
    print(&speedtest::table(&request, &speeds))
}

fn run_perft(args: &PerftArgs) -> Result<(), Failure> {
    let position = args.fen.as_deref().map_or_else(|| Ok(Position::default()), parse_fen)?;
    let request = perft::Request { depth: args.depth, threads: args.threads.into(), hash: args.hash };
    let long = args.depth > 6 || args.journal.is_some();
    let bar = if long {
        progress_bar(0, "{bar:30} {pos}/{len} pieces, {elapsed}, left {eta}")
    } else {
        ProgressBar::hidden()
    };
    let (start, never) = (Instant::now(), AtomicBool::new(false));
    let divided = match &args.journal {
        Some(path) => {
            let journal = perft::Journal::open(path, &position, args.depth, bar.clone())?;
            perft::divide_recorded(&position, &request, &never, &journal)
        }
        None => perft::divide_recorded(&position, &request, &never, &bar),
    }
    .unwrap_or_default();
    let total = if args.depth == 0 { 1 } else { divided.total() };
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    if args.divide {
        let mode = shakmaty::Position::castles(position.chess()).mode();
        print(&(divided.lines(&position, mode).join("\n") + "\n"))?;
    } else {
        print(&format!("{total}\n"))?;
    }
    eprintln!("{seconds:.3} s, {:.1} M/s", total as f64 / seconds.max(1e-9) / 1e6);
    Ok(())
}
