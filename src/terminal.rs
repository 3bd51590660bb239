//! The commands and their terminal: progress bars, wrapped text, stdout that may be closed, interrupts, exit codes.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use console::{Term, measure_text_width};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::platform::system::keep_hangup_ignored;

/// The error of a command, as a message for the user.
pub type Failure = Box<dyn Error>;

/// Exit code after an interrupt: 128 + SIGINT, as shells report it.
pub const EXIT_INTERRUPTED: i32 = 130;

/// Returns a progress bar on stderr, which is hidden unless stderr is a terminal.
pub fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸ "));
    bar
}

/// Wraps text at spaces into lines of at most `width` columns.
///
/// Only words longer than a line are split. Lines after the first are indented by `indent` spaces.
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let width = width.max(indent + 1);
    let mut lines = Vec::new();
    let (mut line, mut spaces) = (String::new(), 0);
    for (index, word) in text.split(' ').enumerate() {
        spaces += usize::from(index > 0);
        if word.is_empty() {
            continue;
        }
        if !line.trim_start().is_empty() && measure_text_width(&line) + spaces + measure_text_width(word) > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            spaces = 0;
        }
        line.push_str(&" ".repeat(std::mem::take(&mut spaces)));
        line.push_str(word);
        while measure_text_width(&line) > width
            && let Some((cut, _)) = line.char_indices().nth(width)
        {
            let rest = line.split_off(cut);
            lines.push(std::mem::replace(&mut line, " ".repeat(indent) + &rest));
        }
    }
    lines.push(line);
    lines
}

/// Prints a line and ignores errors.
///
/// For long runs whose result is a file: they continue after stdout is closed.
pub fn print_line(line: &str) {
    let _ = print_ignoring_closed_pipe(&format!("{line}\n"));
}

/// Prints a line to stderr, on a terminal wrapped at spaces; ignores errors, as a closed stderr does not end the program.
pub fn print_error_line(line: &str) {
    use std::io::Write as _;
    let terminal = Term::stderr();
    let text = if terminal.is_term() {
        let columns = usize::from(terminal.size().1);
        line.lines().flat_map(|line| wrap(line, columns, 2)).collect::<Vec<_>>().join("\n")
    } else {
        line.to_owned()
    };
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints to stdout; a closed pipe (`| head`) is not an error.
pub fn print_ignoring_closed_pipe(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Calls `handler` on Ctrl-C, on `SIGTERM`, and when the terminal is closed, except under `nohup`.
///
/// Only the first call of this function has an effect.
pub fn on_interrupt(handler: impl FnMut() + Send + 'static) {
    keep_hangup_ignored(|| {
        if let Err(error) = ctrlc::set_handler(handler) {
            log::warn!("Ctrl-C ends the program at once: {error}");
        }
    });
}

/// Calls `stop` at the first interrupt (see [`on_interrupt`]); the second one ends the program.
pub fn on_first_interrupt(stop: impl Fn() + Send + 'static) {
    let mut is_stopping = false;
    on_interrupt(move || {
        if std::mem::replace(&mut is_stopping, true) {
            std::process::exit(EXIT_INTERRUPTED);
        }
        stop();
    });
}

/// Writes a file and reports it on stderr.
///
/// # Errors
/// If the file cannot be written.
pub fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)?;
    print_error_line(&format!("wrote {}", path.display()));
    Ok(())
}

/// Returns the exit code of a program and prints the error, if any, on stderr.
///
/// A closed pipe is not an error: the reader of the output has ended (`| head`).
#[must_use]
pub fn exit_code(program: &str, result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if causes(&*error).any(is_closed_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            print_error_line(&format!("{program}: {}", without_error_codes(&error.to_string())));
            ExitCode::FAILURE
        }
    }
}

/// Iterates over an error and its chain of sources.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Removes the codes that the standard library appends to errors of the system: " (os error 2)".
fn without_error_codes(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    out
}

/// Formats a number with a comma between groups of three digits: 1,234,567.
pub fn group_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(group_digits), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn wrap_breaks_lines_at_spaces() {
        assert_eq!(wrap("one two   three", 9, 2), ["one two", "  three"]);
        assert_eq!(wrap(" one  two", 9, 0), [" one  two"]);
        assert_eq!(wrap("abcdefgh ij", 4, 1), ["abcd", " efg", " h", " ij"]);
        assert_eq!((wrap("", 9, 2), wrap("a b", 0, 3)), (vec![String::new()], vec!["a b".into()]));
        for width in 1..40 {
            for line in wrap(&"1. e4 e5 2. Nf3 Nc6 ".repeat(9), width, 3) {
                assert!(measure_text_width(&line) <= width.max(4) && line.trim_end() == line, "{width}: {line:?}");
            }
        }
    }
}
