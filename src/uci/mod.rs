//! The UCI front end.
//!
//! A [`Session`] executes commands and sends its answers to an [`Output`]; [`run`] connects one to stdin and stdout.
//! There the reader thread parses lines into commands, the main loop passes them to the session, and the writer thread
//! writes lines that cannot be written immediately. The search reports on its own thread, so that `isready` and `stop`
//! are handled at once during a search. With more search threads than processors, waking a thread takes milliseconds:
//! the reader itself answers `isready` if no command is pending.
//! <https://www.chessprogramming.org/UCI>

pub mod input;
pub mod log;
pub mod output;
mod session;
pub mod writer;

use std::io::{self, BufReader};
use std::sync::Arc;

use crossbeam_channel::{Receiver, select, unbounded};

use crate::engine::Engine;
use input::Command;
use log::{Direction, Log};
pub use output::Output;
use session::PendingCommands;
pub use session::Session;
use writer::StreamOutput;

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
/// After `quit` in these lines, stdin is not read. In this case, and if stdin contains no command, a search that the
/// lines start is completed if it has a limit other than `mate`, and stopped otherwise.
///
/// # Errors
/// Those of [`run`].
pub fn run_with<S: AsRef<str>>(engine: Engine, first_lines: &[S]) -> io::Result<()> {
    if engine.is_inline() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "UCI on stdin needs an engine with a search thread"));
    }
    let log = Log::default();
    let (output, writer) = StreamOutput::start(io::stdout(), writer::stdout_is_writable, log.clone())?;
    let closed = writer.closed.clone();
    let mut session = Session::with_log(engine, Arc::new(output.clone()), log.clone());
    for line in first_lines.iter().flat_map(|text| text.as_ref().lines()) {
        if !session.handle_line(line) {
            session.finish_with(true, Some(closed));
            drop(output);
            writer.finish();
            return Ok(());
        }
    }
    // Whether no command has followed the first lines.
    let mut input_is_empty = true;
    let pending = Arc::clone(&session.pending);
    // So that the session sees the first command of the input even if it is 'isready'.
    pending.require_session_answer();
    let commands = read_commands(log, output, Arc::clone(&pending))?;
    loop {
        select! {
            recv(commands) -> command => match command {
                Ok(Command::Quit) => {
                    input_is_empty = false;
                    break;
                }
                Ok(command) => {
                    input_is_empty &= matches!(command, Command::Nothing);
                    session.handle_guarded(command);
                    pending.remove();
                }
                // The end of the input.
                Err(_) => break,
            },
            recv(closed) -> _ => {
                input_is_empty = false;
                session.stop_tools();
                break;
            }
        }
    }
    session.finish_with(input_is_empty, Some(closed));
    writer.finish();
    Ok(())
}

fn read_commands(log: Log, output: StreamOutput, pending: Arc<PendingCommands>) -> io::Result<Receiver<Command>> {
    let (commands, inbox) = unbounded();
    std::thread::Builder::new().name("reader".into()).spawn(move || {
        let stdin = BufReader::with_capacity(1 << 16, io::stdin());
        let result = crate::platform::lines::lines(stdin, |line| {
            ::log::debug!("<< {line}");
            log.line(Direction::FromGui, line);
            let command = input::parse(line);
            if matches!(command, Command::IsReady) && pending.reader_may_answer() {
                output.send(output::ready());
                return true;
            }
            let quit = matches!(command, Command::Quit);
            pending.add();
            commands.send(command).is_ok() && !quit
        });
        if let Err(error) = result {
            let reason = crate::platform::files::error_reason(&error);
            output.send(output::info_string(&format!("cannot read stdin: {reason}; the session ends")));
        }
    })?;
    Ok(inbox)
}
