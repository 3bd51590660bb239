//! Progress of runs of games on stderr.

use std::time::{Duration, Instant};

use aspirant::terminal::{print_error_line, progress_bar};
use indicatif::{HumanDuration, ProgressBar};

/// Interval of progress lines if stderr is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// Progress of a run of games: a bar on a terminal, otherwise a line per [`LOG_INTERVAL`].
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    last_logged: Instant,
    /// Games of earlier runs.
    games_before: u64,
    /// Games at the end of the run.
    total: u64,
}

impl Progress {
    /// Starts a run that continues after `games_before` games and ends after `total`.
    pub fn new(games_before: u64, total: u64) -> Self {
        let bar = progress_bar(total, "{bar:30} {pos}/{len} games  {msg}");
        let now = Instant::now();
        Self { bar, start: now, last_logged: now, games_before, total }
    }

    /// Shows the number of games, the rate and the time left.
    ///
    /// `details` returns the end of the line, given the seconds since the start.
    pub fn update(&mut self, games: u64, details: impl FnOnce(f64) -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_position(games);
            self.bar.set_message(self.rates(games, details));
        } else if self.last_logged.elapsed() >= LOG_INTERVAL {
            self.last_logged = Instant::now();
            print_error_line(&format!("{games}/{} games  {}", self.total, self.rates(games, details)));
        }
    }

    fn rates(&self, games: u64, details: impl FnOnce(f64) -> String) -> String {
        let seconds = self.seconds();
        let rate = games.saturating_sub(self.games_before) as f64 / seconds;
        let left = self.total.saturating_sub(games) as f64 / rate.max(1e-9);
        let left = HumanDuration(Duration::try_from_secs_f64(left).unwrap_or_default());
        format!("{rate:.1} games/s  {left:#} left  {}", details(seconds))
    }

    /// Removes the bar and returns the seconds since the start.
    pub fn finish(&self) -> f64 {
        self.bar.finish_and_clear();
        self.seconds()
    }

    /// Returns the seconds since the start, greater than 0.
    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64().max(1e-3)
    }
}
