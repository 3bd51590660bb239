//! Analyzes many positions in parallel, with typed results, progress and cancellation.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use aspirant::board::position::{Position, parse_fen};
use aspirant::engine::Engine;
use aspirant::score::UciScore;
use aspirant::search::limits::Limits;
use aspirant::search::report::SearchResult;

/// Number of variations of each position (MultiPV).
const VARIATIONS: usize = 2;

/// Searches the positions with one engine per thread, and passes the results to `report` in the order in which the
/// searches end.
///
/// After `is_canceled` becomes true, no search starts, and running searches end after their current iteration.
pub fn analyze(
    positions: &[Position],
    limits: &Limits,
    threads: usize,
    is_canceled: &AtomicBool,
    mut report: impl FnMut(usize, SearchResult),
) -> Result<(), Box<dyn std::error::Error>> {
    let new_engine = || {
        let mut engine = Engine::builder().build()?;
        engine.update_options(|options| options.set_hash(8)?.set_multi_pv(VARIATIONS))?;
        Ok::<Engine, Box<dyn std::error::Error>>(engine)
    };
    let engines = (0..threads).map(|_| new_engine()).collect::<Result<Vec<Engine>, _>>()?;
    let next = &AtomicUsize::new(0);
    let (sender, results) = channel();
    thread::scope(|scope| {
        for mut engine in engines {
            let sender = sender.clone();
            scope.spawn(move || {
                let stop = engine.stop_handle();
                let cancel = |_: &SearchResult| {
                    if is_canceled.load(Relaxed) {
                        stop.stop();
                    }
                };
                while !is_canceled.load(Relaxed) {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(position) = positions.get(index) else { break };
                    // Clears the transposition table: the result does not depend on the other positions.
                    engine.new_game();
                    let result = engine.analyze(position.clone(), limits.clone(), cancel);
                    let _ = sender.send((index, result));
                }
            });
        }
        drop(sender);
        results.into_iter().for_each(|(index, result)| report(index, result));
    });
    Ok(())
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut positions = vec![Position::default()];
    for fen in ["6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"] {
        positions.push(parse_fen(fen)?);
    }
    static IS_CANCELED: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| {
        thread::sleep(Duration::from_secs(10));
        IS_CANCELED.store(true, Relaxed);
    });
    analyze(&positions, &Limits::depth(8), 2, &IS_CANCELED, |index, result| {
        let position = &positions[index];
        println!("{} (depth {}, {} nodes)", position.fen(), result.depth, result.nodes);
        for variation in &result.variations {
            let (score, wdl) = (UciScore::new(variation.score), variation.wdl(position));
            println!("  {score:>7} (win, draw, loss: {wdl})  {}", position.san_variation(&variation.pv));
        }
    })
}
