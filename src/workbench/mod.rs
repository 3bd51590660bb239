//! What people and their scripts run besides the protocol: benchmark, perft, analysis, test suites.
//!
//! Everything here stands on the public parts of the engine, and nothing of the engine knows it.

pub mod analyse;
pub mod bench;
pub mod board;
pub mod compare;
pub mod datagen;
pub mod epd;
pub mod games;
pub mod genfens;
pub mod perft;
pub mod play;
pub mod speedtest;
pub mod tree;
pub mod tune;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar on a terminal; in a pipe nothing is drawn.
pub(crate) fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸ "));
    bar
}

/// Prints to stdout; a reader that has gone away (`| head`) is no error.
pub(crate) fn say(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
