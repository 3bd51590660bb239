//! The UCI front end.
//!
//! A [`Session`] executes commands and sends its answers to an [`Output`]; [`run`] connects one to stdin and stdout.
//! There one thread reads lines, the main loop passes them to the session, and another thread writes the answers. The
//! search reports on its own thread, so that `isready` and `stop` are handled at once during a search.
//! <https://www.chessprogramming.org/UCI>

pub mod input;
pub mod log;
pub mod output;
mod session;
pub mod writer;

use std::error::Error;
use std::io::{self, BufReader, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crossbeam_channel::{Receiver, select, unbounded};

use crate::board::position::printable;
use crate::engine::Engine;
use crate::platform::bytes::decode_os;
use crate::tools::bench::{self, BenchRequest};
pub use output::Output;
pub use session::Session;
use writer::StreamOutput;

/// Runs the program of an engine with the arguments of the process.
///
/// | arguments | effect |
/// |---|---|
/// | none | UCI on stdin and stdout, as [`run`] |
/// | `bench [DEPTH] [THREADS] [HASH]` | runs the benchmark and ends, as OpenBench requires |
/// | UCI commands, each one argument | executes them, and then reads stdin unless one of them is `quit` |
/// | `--help`, `--version` | prints the usage, or name and version |
///
/// For anything else, an error on stderr names the argument, and the exit code is 1. It is also 1 if `bench`, or another
/// of these commands that is not `go`, fails because of a panic or another error in the program.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use aspirant::engine::{BuildError, Engine};
///
/// fn main() -> Result<ExitCode, BuildError> {
///     Ok(aspirant::uci::main(Engine::builder().name("My Engine").author("Me").build()?))
/// }
/// ```
pub fn main(engine: Engine) -> ExitCode {
    let mut words = std::env::args_os().map(|word| decode_os(&word));
    let path = words.next().unwrap_or_default();
    let program = Path::new(&path).file_name().map_or("engine".into(), |name| name.to_string_lossy());
    let arguments: Vec<String> = words.collect();
    let result = Action::parse(&program, &arguments).map_err(io::Error::other).and_then(|action| match action {
        Action::Help => io::stdout().write_all(help(&program, &engine).as_bytes()),
        Action::Version => writeln!(io::stdout(), "{}", engine.identity().name_and_version()),
        Action::Run(lines) => run_with(engine, &lines),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr does not end the program with a panic.
            let _ = writeln!(io::stderr(), "{program}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What the arguments of a program request.
#[derive(PartialEq, Eq, Debug)]
enum Action {
    Help,
    Version,
    /// UCI with these first lines.
    Run(Vec<String>),
}

impl Action {
    fn parse(program: &str, arguments: &[String]) -> Result<Self, Box<dyn Error + Send + Sync>> {
        match arguments.first().map(String::as_str) {
            Some("--help" | "-h") => Ok(Self::Help),
            Some("--version" | "-V") => Ok(Self::Version),
            Some("bench") => {
                BenchRequest::parse(&arguments[1..], bench::DEPTH)?;
                Ok(Self::Run(vec![arguments.join(" "), "quit".into()]))
            }
            _ => {
                check_commands(program, arguments)?;
                Ok(Self::Run(arguments.to_vec()))
            }
        }
    }
}

/// Returns an error that names the first argument that is not a UCI command.
///
/// `go depth 5` as three arguments would be `go` without a limit and two unknown commands; a flag would be lost.
pub(crate) fn check_commands(program: &str, arguments: &[String]) -> Result<(), String> {
    let is_command = |line: &str| line.trim().is_empty() || input::is_command(line);
    match arguments.iter().find(|text| !text.lines().all(is_command)) {
        None => Ok(()),
        Some(text) => Err(format!(
            "argument '{}' is not a UCI command; put each command in quotes, for example: {program} \"go depth 5\" quit",
            printable(text)
        )),
    }
}

fn help(program: &str, engine: &Engine) -> String {
    let name = engine.identity().name_and_version();
    format!(
        "\
{name}, a UCI chess engine

Usage: {program} [ARGUMENT]...

Without arguments, it runs the UCI protocol on stdin and stdout.

  bench [DEPTH] [THREADS] [HASH]  Run the benchmark and end
  \"COMMAND\"...                    Execute UCI commands, each one argument, before
                                  stdin is read; with quit, it is not read
  --help                          Print this text
  --version                       Print name and version

Example: {program} \"position startpos moves e2e4\" \"go depth 10\" quit
"
    )
}

/// Runs UCI on stdin and stdout until `quit`, the end of the input, or a closed stdout.
///
/// # Errors
/// If the engine is [inline](crate::engine::EngineBuilder::inline), because it reads no `stop` while it searches, or if
/// the system cannot start a thread.
///
/// ```no_run
/// use aspirant::engine::Engine;
///
/// let engine = Engine::builder().name("My Engine").author("Me").build()?;
/// aspirant::uci::run(engine)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn run(engine: Engine) -> io::Result<()> {
    run_with::<&str>(engine, &[])
}

/// Like [`run`], but first handles `first_lines`, each of which may contain several lines.
///
/// After `quit` in these lines, stdin is not read. In this case, and if stdin contains no line, a search that the
/// lines start is completed if it has a limit other than `mate`, and stopped otherwise.
///
/// # Errors
/// Those of [`run`], and after `quit` in these lines the message of the first command other than `go` that failed.
pub(crate) fn run_with<S: AsRef<str>>(engine: Engine, first_lines: &[S]) -> io::Result<()> {
    if engine.is_inline() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "UCI on stdin needs an engine with a search thread"));
    }
    let (output, closed) = StreamOutput::start(io::stdout())?;
    let mut session = Session::new(engine, output);
    for line in first_lines.iter().flat_map(|text| text.as_ref().lines()) {
        if !session.handle_line(line) {
            let failure = session.finish_with(true, Some(closed.clone()));
            let _ = closed.recv();
            return failure.map_or(Ok(()), |text| Err(io::Error::other(text)));
        }
    }
    let lines = read_lines()?;
    let mut input_is_empty = true;
    loop {
        select! {
            recv(lines) -> line => match line {
                Ok(Ok(line)) => {
                    input_is_empty &= line.is_empty();
                    if !session.handle_line(&line) {
                        break;
                    }
                }
                Ok(Err(error)) => {
                    let reason = crate::platform::files::error_reason(&error);
                    session.print(&format!("cannot read stdin: {reason}; the session ends"));
                    break;
                }
                // The end of the input.
                Err(_) => break,
            },
            recv(closed) -> _ => {
                input_is_empty = false;
                break;
            }
        }
    }
    let _ = session.finish_with(input_is_empty, Some(closed.clone()));
    // The writer has written all lines, or stdout is closed.
    let _ = closed.recv();
    Ok(())
}

/// Starts the thread that reads stdin. The receiver is disconnected at the end of the input.
fn read_lines() -> io::Result<Receiver<io::Result<String>>> {
    let (sender, lines) = unbounded();
    std::thread::Builder::new().name("reader".into()).spawn(move || {
        let stdin = BufReader::with_capacity(1 << 16, io::stdin());
        let result = crate::platform::lines::lines(stdin, |line| sender.send(Ok(line.to_owned())).is_ok());
        if let Err(error) = result {
            let _ = sender.send(Err(error));
        }
    })?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::report::{Reporter, SearchResult};
    use crate::search::{Search, SearchRequest};

    struct PanickingSearch;

    impl Search for PanickingSearch {
        fn search(&mut self, _request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
            panic!("a defect of the search")
        }
    }

    #[test]
    fn failed_bench_among_the_arguments_is_an_error() {
        let run = |lines: &[&str]| {
            let engine = Engine::builder().search(|| PanickingSearch).build().unwrap();
            run_with(engine, lines).map_err(|error| error.to_string())
        };
        assert_eq!(run(&["bench 1", "quit"]), Err("bench: internal error; the search was cut short".into()));
        assert_eq!(run(&["go depth 1", "perft 1", "quit"]), Ok(()));
    }

    #[test]
    fn stopped_tool_among_the_arguments_is_no_error() {
        for tool in ["bench 60", "perft 20"] {
            let engine = Engine::builder().build().unwrap();
            assert!(run_with(engine, &[tool, "stop", "quit"]).is_ok(), "{tool}");
        }
    }

    #[test]
    fn program_arguments_are_bench_or_uci_commands() {
        let parse = |text: &str| {
            let arguments: Vec<String> = text.split_terminator('|').map(String::from).collect();
            Action::parse("engine", &arguments)
        };
        for (text, lines) in [
            ("", &[][..]),
            ("bench", &["bench", "quit"]),
            ("bench|5|2", &["bench 5 2", "quit"]),
            ("position startpos|go depth 3|quit", &["position startpos", "go depth 3", "quit"]),
            ("bench 5|quit", &["bench 5", "quit"]),
        ] {
            assert_eq!(parse(text).unwrap(), Action::Run(lines.iter().map(|&line| line.into()).collect()), "{text}");
        }
        assert_eq!((parse("--help").unwrap(), parse("-V").unwrap()), (Action::Help, Action::Version));
        for (text, error) in [
            ("bench|x", "bench: depth 'x' is not a whole number from 1 to 100"),
            ("bench|5|1|16|9", "bench: unexpected argument '9', expected [DEPTH] [THREADS] [HASH]"),
            ("go|depth|5", "argument 'depth' is not a UCI command; put each command in quotes"),
            ("--fast", "argument '--fast' is not a UCI command"),
            ("uci|--help", "argument '--help' is not a UCI command"),
        ] {
            assert!(parse(text).unwrap_err().to_string().starts_with(error), "{text}: {:?}", parse(text));
        }
    }
}
