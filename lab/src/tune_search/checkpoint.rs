//! The state of a run as a text file: an interrupted one goes on from there.
//!
//! ```text
//! # aspirant tune-search, state 1
//! run = "10000 pairs of 3000 nodes, …"        what cannot change on the way
//! pairs = 160                                  played so far
//! games = [101, 120, 99]                       won, drawn, lost by the first player of each pair
//! [values]
//! rfp_margin = 85.21338
//! # sum 0123456789abcdef                       FNV-1a of all lines above
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::spsa::{Plan, State, Tally};
use aspirant::tools::{fnv1a, replace_file};

const FIRST_LINE: &str = "# aspirant tune-search, state 1\n";
const SUM: &str = "# sum ";
/// A larger file is no state.
const MOST_BYTES: u64 = 1 << 20;

/// Why a run cannot go on from its state file.
#[derive(thiserror::Error, Debug)]
pub enum StateError {
    /// The system refuses.
    #[error("{}: {source}", .path.display())]
    System {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Some other kind of file.
    #[error("{}: no state of aspirant tune-search", .path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// Not as it was written.
    #[error("{}: the state is truncated or was changed; remove it to begin anew", .path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
    },
    /// Left by another run.
    #[error("{}: left by another run ({theirs}), this one is {ours}; remove it to begin anew", .path.display())]
    Run {
        /// Which file.
        path: PathBuf,
        /// As in the file.
        theirs: String,
        /// As asked for.
        ours: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Text {
    run: String,
    pairs: u64,
    games: [u64; 3],
    values: toml::Table,
}

/// Keeps a state. `run` says what the numbers depend on besides the plan's own.
pub fn save(path: &Path, run: &str, plan: &Plan, state: &State) -> Result<(), StateError> {
    let Tally { wins, draws, losses } = state.games;
    let values = plan.knobs.iter().zip(&state.values).map(|(knob, &value)| (knob.name.into(), value.into())).collect();
    let text = Text { run: run.into(), pairs: state.pairs, games: [wins, draws, losses], values };
    let system = |source| StateError::System { path: path.into(), source };
    let body = toml::to_string(&text).map_err(|error| system(std::io::Error::other(error)))?;
    let mut text = format!("{FIRST_LINE}{body}");
    let sum = fnv1a(text.as_bytes());
    text.push_str(&format!("{SUM}{sum:016x}\n"));
    replace_file(path, text.as_bytes()).map_err(system)
}

/// The state that an earlier run with the same plan left; `None` if there is no file.
pub fn load(path: &Path, run: &str, plan: &Plan) -> Result<Option<State>, StateError> {
    let system = |source| StateError::System { path: path.into(), source };
    let meta = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        meta => meta.map_err(system)?,
    };
    if !meta.is_file() || meta.len() > MOST_BYTES {
        return Err(StateError::Foreign { path: path.into() });
    }
    let bytes = std::fs::read(path).map_err(system)?;
    let text = std::str::from_utf8(&bytes).ok().filter(|text| text.starts_with(FIRST_LINE));
    let text = text.ok_or_else(|| StateError::Foreign { path: path.into() })?;
    let damaged = || StateError::Damaged { path: path.into() };
    let (body, sum) = text.rsplit_once(SUM).ok_or_else(damaged)?;
    if u64::from_str_radix(sum.trim_end(), 16).ok() != Some(fnv1a(body.as_bytes())) || !sum.ends_with('\n') {
        return Err(damaged());
    }
    let Text { run: theirs, pairs, games: [wins, draws, losses], values } =
        toml::from_str(body).map_err(|_| damaged())?;
    if theirs != run {
        return Err(StateError::Run { path: path.into(), theirs, ours: run.into() });
    }
    let value = |name| values.get(name).and_then(toml::Value::as_float);
    let values = plan.knobs.iter().map(|knob| value(knob.name)).collect::<Option<Vec<f64>>>();
    let values = values.filter(|values| values.iter().all(|value| value.is_finite())).ok_or_else(damaged)?;
    Ok(Some(State { pairs, games: Tally { wins, draws, losses }, values }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune_search::spsa::Knob;

    #[test]
    fn a_state_comes_back_for_its_own_run_only() {
        let path = std::env::temp_dir().join(format!("aspirant-tune-search-state-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let knob = |name| Knob { name, start: 5, range: (0, 9), reach: 1.0 };
        let plan = Plan { knobs: vec![knob("rfp_depth"), knob("lmp_depth")], pairs: 9, batch: 2, rate: 0.1, seed: 1 };
        let state = State { pairs: 4, games: Tally { wins: 1, draws: 2, losses: 5 }, values: vec![1.0 / 3.0, 2.0] };
        assert!(load(&path, "mine", &plan).unwrap().is_none());
        save(&path, "mine", &plan, &state).unwrap();
        assert_eq!(load(&path, "mine", &plan).unwrap(), Some(state));

        let error = load(&path, "yours", &plan).unwrap_err();
        assert!(matches!(error, StateError::Run { .. }) && error.to_string().contains("(mine)"), "{error}");
        let text = std::fs::read_to_string(&path).unwrap();
        for damaged in [&text[..text.len() - 1], &text[..60], &text.replace("0.3", "0.4")] {
            std::fs::write(&path, damaged).unwrap();
            assert!(matches!(load(&path, "mine", &plan), Err(StateError::Damaged { .. })), "{damaged}");
        }
        for foreign in ["", "[search]\n", "\u{0}", &text[1..]] {
            std::fs::write(&path, foreign).unwrap();
            assert!(matches!(load(&path, "mine", &plan), Err(StateError::Foreign { .. })), "{foreign}");
        }
        assert!(matches!(load(Path::new("/"), "mine", &plan), Err(StateError::Foreign { .. })));
        std::fs::remove_file(&path).unwrap();
    }
}
