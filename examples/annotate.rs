//! Annotates a game: reads PGN, adds the score after each move, and marks mistakes with a better variation.

use std::error::Error;

use aspirant::board::game::Game;
use aspirant::board::pgn::{self, PgnGame};
use aspirant::engine::Engine;
use aspirant::score::{Score, UciScore};
use aspirant::search::limits::Limits;

/// A move that loses at least this much is a mistake, centipawns.
const MISTAKE: Score = 100;
/// Number of moves of a better variation.
const VARIATION: usize = 5;

/// Annotates the first game of a PGN.
pub fn annotate(text: &str, limits: &Limits) -> Result<PgnGame, Box<dyn Error>> {
    let mut annotated = pgn::games(text).next().ok_or("the PGN contains no game")??;
    let mut game = Game::new(annotated.start()?);
    let mut engine = Engine::builder().build()?;
    let mut best = engine.analyze(game.clone(), limits.clone(), |_| {});
    for m in &mut annotated.moves {
        let before = game.position.clone();
        game.play_moves([m.text.as_str()])?;
        let reply = engine.analyze(game.clone(), limits.clone(), |_| {});
        // Scores are those of the side to move, which is the opponent after the move.
        let loss = best.score() + reply.score();
        if loss >= MISTAKE && game.moves().last() != best.pv().first() {
            let moves = &best.pv()[..best.pv().len().min(VARIATION)];
            m.text.push('?');
            m.comments.push(format!("better is {}", before.san_variation(moves)));
        }
        if game.outcome().is_none() {
            let score = UciScore::new(reply.score());
            m.comments.push(format!("[%eval {}]", game.position.turn().fold_wb(score, score.negated())));
        }
        best = reply;
    }
    annotated.set_tag("Annotator", engine.identity().name_and_version());
    Ok(annotated)
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => "1. e4 e5 2. Nf3 f6 3. Nxe5 fxe5 4. Qh5+ Ke7 5. Qxe5+ Kf7 6. Bc4+ *".into(),
    };
    print!("{}", annotate(&text, &Limits::depth(8))?);
    Ok(())
}
