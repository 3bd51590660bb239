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

use std::io::{self, BufReader};

use crossbeam_channel::{Receiver, select, unbounded};

use crate::engine::Engine;
pub use output::Output;
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
/// After `quit` in these lines, stdin is not read. In this case, and if stdin contains no line, a search that the
/// lines start is completed if it has a limit other than `mate`, and stopped otherwise.
///
/// # Errors
/// Those of [`run`].
pub fn run_with<S: AsRef<str>>(engine: Engine, first_lines: &[S]) -> io::Result<()> {
    if engine.is_inline() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "UCI on stdin needs an engine with a search thread"));
    }
    let (output, closed) = StreamOutput::start(io::stdout())?;
    let mut session = Session::new(engine, output);
    for line in first_lines.iter().flat_map(|text| text.as_ref().lines()) {
        if !session.handle_line(line) {
            session.finish_with(true, Some(closed.clone()));
            let _ = closed.recv();
            return Ok(());
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
    session.finish_with(input_is_empty, Some(closed.clone()));
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
