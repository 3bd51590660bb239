//! What people and their scripts run besides the protocol: benchmark, perft, analysis, test suites.
//!
//! Everything here stands on the public parts of the engine, and nothing of the engine knows it.

pub mod analyze;
pub mod bench;
pub mod display;
pub mod epd;
pub mod genfens;
pub mod perft;
pub mod play;
pub mod speedtest;

use console::measure_text_width;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar on a terminal; in a pipe nothing is drawn.
#[doc(hidden)]
pub fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸ "));
    bar
}

/// Writes a file; the old one stays until the new one is whole.
#[doc(hidden)]
pub fn replace_file(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension("new");
    std::fs::write(&temporary, bytes)?;
    std::fs::rename(&temporary, path)
}

/// Takes a file for this run alone, until it is closed; `false` if another run has it. Where the file system knows no
/// locks, nobody has.
#[doc(hidden)]
pub fn take(file: &std::fs::File) -> bool {
    !matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// A checksum. <http://www.isthe.com/chongo/tech/comp/fnv/>
#[doc(hidden)]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Lines of at most `width` columns, broken at blanks, and inside of a word only where it is longer than a line. Those
/// after the first begin with `indent` blanks.
#[doc(hidden)]
pub fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let width = width.max(indent + 1);
    let mut lines = Vec::new();
    let (mut line, mut blanks) = (String::new(), 0);
    for (index, word) in text.split(' ').enumerate() {
        blanks += usize::from(index > 0);
        if word.is_empty() {
            continue;
        }
        if !line.trim_start().is_empty() && measure_text_width(&line) + blanks + measure_text_width(word) > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            blanks = 0;
        }
        line.push_str(&" ".repeat(std::mem::take(&mut blanks)));
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

/// A line of a long run's report. The run goes on when nobody listens any more: what it writes is a file.
#[doc(hidden)]
pub fn tell(line: &str) {
    let _ = say(&format!("{line}\n"));
}

/// Prints to stdout; a reader that has gone away (`| head`) is no error.
#[doc(hidden)]
pub fn say(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_they_may_be() {
        assert_eq!(wrapped("one two   three", 9, 2), ["one two", "  three"]);
        assert_eq!(wrapped(" one  two", 9, 0), [" one  two"]);
        assert_eq!(wrapped("abcdefgh ij", 4, 1), ["abcd", " efg", " h", " ij"]);
        assert_eq!((wrapped("", 9, 2), wrapped("a b", 0, 3)), (vec![String::new()], vec!["a b".into()]));
        for width in 1..40 {
            for line in wrapped(&"1. e4 e5 2. Nf3 Nc6 ".repeat(9), width, 3) {
                assert!(measure_text_width(&line) <= width.max(4) && line.trim_end() == line, "{width}: {line:?}");
            }
        }
    }
}
