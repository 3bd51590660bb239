//! Checks the results of a search that this crate does not contain.

use shakmaty::{Move, Position as _};

use crate::score::{MATE, mate_in};
use crate::search::report::{Reporter, SearchResult};
use crate::search::state::request::SearchRequest;
use crate::search::thread::runner::{Allocated, Search, SearchSettings};

/// Runs a search and makes its results valid: legal moves only, and scores in range.
pub struct CheckedSearch<S>(pub S);

impl<S: Search> Search for CheckedSearch<S> {
    fn search(&mut self, request: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchResult {
        if request.root_moves.is_empty() {
            return SearchResult::default();
        }
        let result = self.0.search(request, Box::new(CheckedReporter { request: request.clone(), reporter }));
        let mut result = match check(request, &result) {
            Ok(checked) => checked,
            Err(reason) => {
                let mut messages = result.messages;
                messages.push(format!("internal error; {reason}; another move is played"));
                SearchResult { messages, ..SearchResult::default() }
            }
        };
        result.messages.extend(request.tb_prober.as_ref().and_then(|prober| prober.tablebase.take_error()));
        result
    }

    fn new_game(&mut self) {
        self.0.new_game();
    }

    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        self.0.configure(settings)
    }
}

/// Forwards valid reports.
struct CheckedReporter {
    request: SearchRequest,
    reporter: Box<dyn Reporter>,
}

impl Reporter for CheckedReporter {
    fn progress(&mut self, result: &SearchResult) {
        if let Ok(checked) = check(&self.request, result)
            && !checked.variations.is_empty()
        {
            self.reporter.progress(&checked);
        }
    }

    fn current_move(&mut self, depth: i32, m: Move, move_number: usize) {
        if self.request.root_moves.contains(&m) {
            self.reporter.current_move(depth, m, move_number);
        }
    }

    fn message(&mut self, text: &str) {
        self.reporter.message(text);
    }

    fn note(&mut self, text: &str) {
        self.reporter.note(text);
    }

    /// No effect: the search returns the final result.
    fn finished(&mut self, _result: &SearchResult) {}
}

/// Returns the result with the time and with valid variations and scores.
///
/// # Errors
/// A message if the first variation does not begin with a root move.
fn check(request: &SearchRequest, result: &SearchResult) -> Result<SearchResult, String> {
    let mut result = result.clone();
    for variation in &mut result.variations {
        let legal = legal_moves(request, &variation.pv);
        variation.pv.truncate(legal);
        variation.score = variation.score.clamp(-MATE, mate_in(1));
        variation.depth = variation.depth.max(0);
    }
    if result.variations.first().is_some_and(|best| best.pv.is_empty()) {
        return Err("the search returned an illegal move".into());
    }
    result.variations.retain(|variation| !variation.pv.is_empty());
    let is_reply = |best, reply: &Move| request.game.position.play(best).chess().is_legal(*reply);
    result.ponder = result.ponder.filter(|reply| result.best_move().is_some_and(|best| is_reply(best, reply)));
    result.depth = result.depth.max(result.best().map_or(0, |best| best.depth));
    result.nodes = result.nodes.max(request.control.nodes());
    result.time = request.elapsed();
    Ok(result)
}

/// Returns the number of moves at the beginning of `pv` that can be played.
fn legal_moves(request: &SearchRequest, pv: &[Move]) -> usize {
    let mut position = request.game.position.clone();
    pv.iter()
        .enumerate()
        .take_while(|&(ply, &m)| {
            let is_legal = if ply == 0 { request.root_moves.contains(&m) } else { position.chess().is_legal(m) };
            if is_legal {
                position = position.play(m);
            }
            is_legal
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::game::Game;
    use crate::board::position::{Position, parse_fen};
    use crate::score::INFINITY;
    use crate::search::limits::Limits;
    use crate::search::report::{Silent, Variation};

    /// Returns the same result in every position.
    struct Fixed(SearchResult);

    impl Search for Fixed {
        fn search(&mut self, _request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
            self.0.clone()
        }
    }

    fn moves(texts: &[&str]) -> Vec<Move> {
        let mut position = Position::default();
        let play = |text: &&str| {
            let m = position.parse_move(text).unwrap();
            position = position.play(m);
            m
        };
        texts.iter().map(play).collect()
    }

    fn checked(position: Position, limits: Limits, result: SearchResult) -> SearchResult {
        let request = SearchRequest::untimed(Game::new(position), limits);
        CheckedSearch(Fixed(result)).search(&request, Box::new(Silent))
    }

    #[test]
    fn variations_end_before_an_illegal_move_and_scores_are_in_range() {
        let mut pv = moves(&["e2e4", "e7e5", "g1f3"]);
        pv.push(pv[0]);
        let second = Variation::new(moves(&["d2d4"]), -INFINITY, -3);
        let illegal = Variation::new(vec![pv[1]], 0, 5);
        let result = SearchResult::new(vec![Variation::new(pv.clone(), INFINITY, 5), illegal, second]);
        let result = checked(Position::default(), Limits::default(), result);
        assert_eq!(result.pv(), &pv[..3]);
        assert_eq!(result.ponder, Some(pv[1]));
        assert_eq!((result.variations.len(), result.depth, result.score()), (2, 5, mate_in(1)));
        assert_eq!((result.variations[1].score, result.variations[1].depth), (-MATE, 0));
        assert!(result.messages.is_empty());
    }

    #[test]
    fn illegal_best_move_gives_an_empty_result_with_a_message() {
        let black = moves(&["e2e4", "e7e5"])[1];
        for (best, limits) in [
            (vec![black], Limits::default()),
            (Vec::new(), Limits::default()),
            (moves(&["e2e4"]), Limits { search_moves: moves(&["d2d4"]), ..Limits::default() }),
        ] {
            let result = checked(Position::default(), limits, SearchResult::new(vec![Variation::new(best, 0, 1)]));
            assert!(result.variations.is_empty() && result.messages[0].contains("illegal move"), "{result:?}");
        }
        let mut result = SearchResult::new(vec![Variation::new(moves(&["e2e4"]), 0, 1)]);
        result.ponder = Some(moves(&["e2e4"])[0]);
        assert_eq!(checked(Position::default(), Limits::default(), result).ponder, None);
    }

    #[test]
    fn search_is_not_called_without_a_legal_move() {
        let stalemate = parse_fen("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1").unwrap();
        let result = SearchResult::new(vec![Variation::new(moves(&["e2e4"]), 0, 1)]);
        assert_eq!(checked(stalemate, Limits::default(), result), SearchResult::default());
    }
}
