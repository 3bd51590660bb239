//! Checkpoints of a run: its state as a text file, from which an interrupted run is resumed.
//!
//! ```text
//! # aspirant tune-search, state 1
//! run = "10000 pairs of 3000 nodes, …"        settings that must not change
//! pairs = 160                                  number of pairs played
//! games = [101, 120, 99]                       won, drawn, lost by the first players
//! [values]
//! rfp_margin = 85.21338
//! # sum 0123456789abcdef                       FNV-1a of all lines above
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::spsa::{SpsaPlan, SpsaState, Tally};
use crate::files::replace_file;
use crate::hash::fnv1a;

/// Format identifier; names the program that had this command first, so older files stay readable.
const FIRST_LINE: &str = "# aspirant tune-search, state 1\n";
const SUM: &str = "# sum ";
/// Maximum size of a state file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The reason why a state file cannot be used.
#[derive(thiserror::Error, Debug)]
pub enum StateError {
    /// An input or output error.
    #[error("{}: {source}", .path.display())]
    System {
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a state file.
    #[error("{}: not a state file of tune-search; move it away or choose another --out", .path.display())]
    Foreign { path: PathBuf },
    /// The contents do not match the checksum.
    #[error("{}: the state file is truncated or was changed; remove it to start from the beginning", .path.display())]
    Damaged { path: PathBuf },
    /// The file belongs to a run with other settings.
    #[error("{}: belongs to a run with other settings ({existing}), requested is ({requested}); choose another --out, or remove it to start from the beginning and replace the output of that run", .path.display())]
    OtherRun {
        path: PathBuf,
        /// The settings in the file.
        existing: String,
        requested: String,
    },
}

#[derive(Serialize, Deserialize)]
struct StateText {
    run: String,
    pairs: u64,
    games: [u64; 3],
    values: toml::Table,
}

/// Writes a state; `run` describes all settings on which the result depends.
pub fn save(path: &Path, run: &str, plan: &SpsaPlan, state: &SpsaState) -> Result<(), StateError> {
    let Tally { wins, draws, losses } = state.games;
    let values =
        plan.params.iter().zip(&state.values).map(|(param, &value)| (param.name.clone(), value.into())).collect();
    let text = StateText { run: run.into(), pairs: state.pairs, games: [wins, draws, losses], values };
    let system = |source| StateError::System { path: path.into(), source };
    let body = toml::to_string(&text).map_err(|error| system(std::io::Error::other(error)))?;
    let mut text = format!("{FIRST_LINE}{body}");
    let sum = fnv1a(text.as_bytes());
    text.push_str(&format!("{SUM}{sum:016x}\n"));
    replace_file(path, text.as_bytes()).map_err(system)
}

/// Reads the state of an interrupted run with the same settings; `None` if there is no file.
pub fn load(path: &Path, run: &str, plan: &SpsaPlan) -> Result<Option<SpsaState>, StateError> {
    let system = |source| StateError::System { path: path.into(), source };
    let meta = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        meta => meta.map_err(system)?,
    };
    if !meta.is_file() || meta.len() > MAX_BYTES {
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
    let StateText { run: existing, pairs, games: [wins, draws, losses], values } =
        toml::from_str(body).map_err(|_| damaged())?;
    if existing != run {
        return Err(StateError::OtherRun { path: path.into(), existing, requested: run.into() });
    }
    let value = |name: &str| values.get(name).and_then(toml::Value::as_float);
    let values = plan.params.iter().map(|param| value(&param.name)).collect::<Option<Vec<f64>>>();
    let values = values.filter(|values| values.iter().all(|value| value.is_finite())).ok_or_else(damaged)?;
    Ok(Some(SpsaState { pairs, games: Tally { wins, draws, losses }, values }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune_search::spsa::SpsaParam;

    #[test]
    fn a_state_is_loaded_only_by_the_same_run() {
        let path = std::env::temp_dir().join(format!("aspirant-tune-search-state-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let param = |name: &str| SpsaParam { name: name.into(), start: 5, range: (0, 9), perturbation: 1.0 };
        let plan =
            SpsaPlan { params: vec![param("rfp_depth"), param("lmp_depth")], pairs: 9, batch: 2, rate: 0.1, seed: 1 };
        let state = SpsaState { pairs: 4, games: Tally { wins: 1, draws: 2, losses: 5 }, values: vec![1.0 / 3.0, 2.0] };
        assert!(load(&path, "this run", &plan).unwrap().is_none());
        save(&path, "this run", &plan, &state).unwrap();
        assert_eq!(load(&path, "this run", &plan).unwrap(), Some(state));

        let error = load(&path, "other run", &plan).unwrap_err();
        assert!(matches!(error, StateError::OtherRun { .. }) && error.to_string().contains("(this run)"), "{error}");
        let text = std::fs::read_to_string(&path).unwrap();
        for damaged in [&text[..text.len() - 1], &text[..60], &text.replace("0.3", "0.4")] {
            std::fs::write(&path, damaged).unwrap();
            assert!(matches!(load(&path, "this run", &plan), Err(StateError::Damaged { .. })), "{damaged}");
        }
        for foreign in ["", "[search]\n", "\u{0}", &text[1..]] {
            std::fs::write(&path, foreign).unwrap();
            assert!(matches!(load(&path, "this run", &plan), Err(StateError::Foreign { .. })), "{foreign}");
        }
        assert!(matches!(load(Path::new("/"), "this run", &plan), Err(StateError::Foreign { .. })));
        std::fs::remove_file(&path).unwrap();
    }
}
