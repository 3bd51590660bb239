//! The command line: clap declarations and dispatch.
//!
//! Without a command, the program runs the UCI protocol.
#![doc(hidden)]

mod manual;

use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::builder::TypedValueParser;
use clap::{CommandFactory as _, Parser, Subcommand, ValueHint};
use game_tree_search::catalog::{Algorithm, find_algorithm};

use crate::config::Config;
use crate::engine::{BuildError, Engine, Identity};
use crate::platform::bytes::decode_os;
use crate::platform::files::error_reason;
use crate::reference;
use crate::terminal::{Failure, exit_code, print_error_line, progress_bar};
use crate::tools::arguments::{PositionArgs, algorithm_parser};
use crate::tools::{analyze, annotate, bench, compare, epd, perft, play, speedtest, tree};
use crate::uci;

const AFTER_HELP: &str = "\
Without a command Aspirant runs the UCI protocol on stdin and stdout, as chess
programs with a board (GUIs) expect.

Examples:
  aspirant analyze e4 c5 Nf3
  aspirant analyze \"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1\" -t 30s
  aspirant play --side black --elo 1500
  aspirant annotate games.pgn --out annotated.pgn
  aspirant epd suite.epd --movetime 5s
  aspirant config init
  aspirant --set Hash=256 --set Threads=2
  aspirant --search \"mtd(f)\"
";

const COMPLETIONS_HELP: &str = "\
Examples:
  aspirant completions bash > ~/.local/share/bash-completion/completions/aspirant
  aspirant completions fish > ~/.config/fish/completions/aspirant.fish
  aspirant completions zsh > DIR/_aspirant   # a directory of $fpath
";

const GLOBAL_OPTIONS: &str = "Configuration (used by uci, analyze, play, annotate, bench, epd, config show)";

/// A UCI chess engine.
#[derive(Parser, Debug)]
#[command(name = "aspirant", version = crate::version::version_line(), about, after_help = AFTER_HELP, max_term_width = 80)]
pub struct Cli {
    /// Configuration file (default: $ASPIRANT_CONFIG, or engine.toml in the working directory, in
    /// ~/.config/aspirant or beside the program)
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = GLOBAL_OPTIONS)]
    pub config: Option<PathBuf>,
    /// Set an option or a search parameter; repeatable
    #[arg(long, global = true, value_name = "KEY=VALUE", help_heading = GLOBAL_OPTIONS, value_parser = decoded())]
    pub set: Vec<String>,
    /// Disable UCI options that take file paths and books of genfens; abort tools at the end of the input
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS)]
    pub restricted: bool,
    /// Play UCI, or run bench, with a reference algorithm; `aspirant compare --list` lists the names
    #[arg(long, value_name = "NAME", ignore_case = true, hide_possible_values = true, value_parser = algorithm_parser())]
    pub search: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Analyze a position
    #[command(alias = "analyse")]
    Analyze(analyze::AnalyzeArgs),
    /// Play a game against the engine in the terminal
    Play(play::PlayArgs),
    /// Annotate the games of a PGN file
    Annotate(annotate::AnnotateArgs),
    /// Run an EPD test suite (bm, am, dm)
    Epd(epd::EpdArgs),
    /// Run the UCI protocol (the default)
    Uci,
    /// Run the benchmark; the last line is "N nodes M nps"
    #[command(after_help = "Examples:\n  aspirant bench\n  aspirant bench 15 4 256\n")]
    Bench {
        /// Depth in plies (13), search threads (1) and hash size in MB (16)
        #[arg(value_name = "DEPTH THREADS HASH", num_args = 0..=3)]
        arguments: Vec<String>,
    },
    /// Measure nodes per second with different numbers of threads
    Speedtest(speedtest::SpeedtestArgs),
    /// Count the leaf nodes of the legal move tree (perft)
    #[command(after_help = "Examples:\n  aspirant perft 6 --threads 2\n  aspirant perft 4 --divide e4 e5\n")]
    Perft(PerftArgs),
    /// Compare the reference search algorithms side by side
    Compare(compare::CompareArgs),
    /// Draw a search tree as text, SVG or HTML
    Tree(tree::TreeArgs),
    /// Show the configuration or write engine.toml
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Print shell completions
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// Shell to generate completions for
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of the program and of its commands
    #[command(after_help = "Examples:\n  aspirant man ~/.local/share/man/man1\n")]
    Man {
        /// Directory to write them to
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        directory: PathBuf,
    },
}

#[derive(Subcommand, Debug)]
enum ConfigCommand {
    /// Print the effective options with the origin of each value
    #[command(after_help = "Examples:\n  aspirant config show --changed\n  aspirant --set Hash=256 config show\n")]
    Show {
        /// Also print the search parameters
        #[arg(long)]
        all: bool,
        /// Print only the options and search parameters that differ from the defaults
        #[arg(long)]
        changed: bool,
    },
    /// Write engine.toml with every key commented out
    #[command(after_help = "Examples:\n  aspirant config init ~/.config/aspirant/engine.toml\n")]
    Init {
        /// File to write
        #[arg(value_name = "FILE", default_value = crate::config::FILE_NAME)]
        path: PathBuf,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
}

#[derive(clap::Args, Debug)]
struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    depth: u32,
    #[command(flatten)]
    position: PositionArgs,
    /// Also print the count of each root move
    #[arg(long)]
    divide: bool,
    /// Number of threads
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    crate::platform::system::fix_mmap_threshold();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| decode_os(&word)).collect();
    let result = if is_protocol(&arguments) { run_protocol_lines(&arguments) } else { Cli::parse().run() };
    exit_code("aspirant", result)
}

/// Parser of arguments that may contain a path, which need not be UTF-8.
fn decoded() -> impl TypedValueParser<Value = String> {
    clap::builder::OsStringValueParser::new().map(|text| decode_os(&text))
}

/// Starts the engine, with the search of this name if there is one.
fn start_engine(search: Option<&'static Algorithm>, config: Config) -> Result<Engine, BuildError> {
    match search {
        Some(algorithm) => reference::builder(algorithm).config(config).build(),
        None => Engine::new(config),
    }
}

/// Returns whether the arguments are UCI commands, one command per argument.
///
/// OpenBench passes commands this way: `aspirant "genfens 5 seed 1 book None" quit`. A word that is also a subcommand
/// of this program means the subcommand, except for `uci` followed by another UCI command; `help` prints the help of
/// the program.
fn is_protocol(lines: &[String]) -> bool {
    let Some(first) = lines.first() else { return false };
    let is_subcommand = Cli::command().get_subcommands().any(|command| command.get_name() == first);
    let starts_with_uci = first == "uci" && lines.get(1).is_some_and(|line| uci::input::is_command(line));
    uci::input::is_command(first) && !is_subcommand && first != "help" || starts_with_uci
}

/// Runs the UCI protocol; `lines` are handled before stdin.
fn run_protocol_lines(lines: &[String]) -> Result<(), Failure> {
    uci::check_commands("aspirant", lines)?;
    let config = Config::load_for_uci(None, &[])?;
    print_warnings(&config);
    Ok(uci::run_with(Engine::new(config)?, lines)?)
}

/// Prints what was ignored in the configuration.
///
/// Write errors are ignored: a closed stderr does not end the program.
fn print_warnings(config: &Config) {
    for warning in config.warnings() {
        print_error_line(&format!("aspirant: {warning}"));
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

impl Cli {
    fn run(self) -> Result<(), Failure> {
        use Command::{Analyze, Annotate, Bench, Compare, Completions, Epd, Man, Perft, Play, Speedtest, Tree, Uci};
        let is_uci = matches!(self.command, None | Some(Uci));
        let search = self.search.as_deref().and_then(find_algorithm);
        let uses_configuration = match &self.command {
            None | Some(Uci | Analyze(_) | Annotate(_) | Bench { .. } | Epd(_) | Play(_)) => true,
            Some(Command::Config { command }) => matches!(command, ConfigCommand::Show { .. }),
            Some(_) => false,
        };
        if search.is_some() && !matches!(self.command, None | Some(Uci | Bench { .. })) {
            return Err("--search has no effect on this command; it is for UCI and bench".into());
        }
        let mut config = Config::default();
        if uses_configuration {
            // Faults of a configuration file that was found automatically do not end a UCI session.
            let load = if is_uci { Config::load_for_uci } else { Config::load };
            config = load(self.config.as_deref(), &self.set)?;
            config.restricted = self.restricted;
            print_warnings(&config);
        } else if self.config.is_some() || !self.set.is_empty() {
            print_error_line(
                "aspirant: --config and --set have no effect on this command, which uses no configuration",
            );
        }
        if self.command.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal() {
            let mut name = Identity::default().name_and_version();
            if let Some(algorithm) = search {
                name = format!("{name} with the search {}", algorithm.name);
            }
            print(&format!("{name}, in UCI mode. Commands: help, quit. To play a game: aspirant play\n"))?;
        }
        match self.command {
            None | Some(Uci) => uci::run(start_engine(search, config)?)?,
            Some(Bench { arguments }) => run_bench(search, config, &arguments)?,
            Some(Perft(args)) => run_perft(&args)?,
            Some(Speedtest(args)) => run_speedtest(&args)?,
            Some(Analyze(args)) => analyze::run(&args, config)?,
            Some(Annotate(args)) => annotate::run(&args, config)?,
            Some(Play(args)) => play::run(&args, config)?,
            Some(Epd(args)) => epd::run(&args, config)?,
            Some(Compare(args)) => compare::run(&args)?,
            Some(Tree(args)) => tree::run(&args)?,
            Some(Command::Config { command: ConfigCommand::Show { all, changed } }) => {
                print(&config.print(all, changed))?
            }
            Some(Command::Config { command: ConfigCommand::Init { path, force } }) => write_config(&path, force)?,
            Some(Completions { shell }) => print(&completions(shell))?,
            Some(Man { directory }) => write_manual(&directory)?,
        }
        Ok(())
    }
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "aspirant", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes the default configuration and creates its directory; an existing file is overwritten only with `force`.
fn write_config(path: &Path, force: bool) -> Result<(), Failure> {
    let name = path.display();
    let failed = |error: &io::Error| format!("cannot write {name}: {}", error_reason(error));
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).map_err(|error| failed(&error))?;
    let mut options = OpenOptions::new();
    options.write(true).create(force).truncate(force).create_new(!force);
    let written = options.open(path).and_then(|mut file| file.write_all(Config::template().as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("{name} exists already; use --force to overwrite it"),
        _ => failed(&error),
    })?;
    print(&format!("wrote {name}\n"))
}

fn write_manual(directory: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| format!("cannot write to {}: {}", directory.display(), error_reason(&error));
    std::fs::create_dir_all(directory).map_err(failed)?;
    Ok(manual::write_pages(Cli::command(), directory).map_err(failed)?)
}

/// Runs the benchmark with the loaded configuration.
///
/// `--set` and engine.toml can therefore change the bench signature.
fn run_bench(search: Option<&'static Algorithm>, config: Config, arguments: &[String]) -> Result<(), Failure> {
    let default_depth = if search.is_some() { reference::BENCH_DEPTH } else { bench::DEPTH };
    let request = bench::BenchRequest::parse(arguments, default_depth)?;
    let engine = start_engine(search, request.apply_to(config))?;
    let result = bench::run_engine(engine, request.depth, &AtomicBool::new(false), &mut print_error_line)?;
    print(&format!("{result}\n"))
}

fn run_speedtest(args: &speedtest::SpeedtestArgs) -> Result<(), Failure> {
    let bar = progress_bar(0, "{bar:30} {pos}/{len} searches, {elapsed}, {eta} left");
    let speeds = speedtest::run(args, &bar)?;
    bar.finish_and_clear();
    print(&speedtest::table(args, &speeds))
}

fn run_perft(args: &PerftArgs) -> Result<(), Failure> {
    let position = args.position.game()?.unwrap_or_default().position;
    let (start, never_stopped) = (Instant::now(), AtomicBool::new(false));
    let counts = perft::divide(&position, args.depth, args.threads.into(), &never_stopped).unwrap_or_default();
    let total = if args.depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum::<u64>() };
    let seconds = start.elapsed().as_secs_f64();
    if args.divide && args.depth > 0 {
        let mode = shakmaty::Position::castles(position.chess()).mode();
        print(&(perft::divide_lines(mode, &counts).join("\n") + "\n"))?;
    } else {
        print(&format!("{total}\n"))?;
    }
    print_error_line(&format!("{seconds:.3} s, {:.1} M/s", total as f64 / seconds.max(1e-9) / 1e6));
    Ok(())
}
