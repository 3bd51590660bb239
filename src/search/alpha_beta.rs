//! The node function: principal variation search on top of fail-soft alpha-beta.
//!
//! A node is a list of numbered steps, one for each rule, in the order in which they apply: `alpha_beta` contains the
//! steps before the move loop (1 to 11), `search_moves` the move loop and what follows it (12 to 24). The conditions
//! and margins of the rules are in `pruning.rs`, `reductions.rs` and `extensions.rs`, their parameters in `params.rs`.
//! With every rule switched off, what remains is a fixed-depth principal variation search, which returns the minimax
//! value.
//! <https://www.chessprogramming.org/Principal_Variation_Search>, <https://www.chessprogramming.org/Fail-Soft>

use shakmaty::Move;

use super::extensions::{self, Singularity};
use super::memory::tb_probe::TbResult;
use super::memory::transposition::{NO_EVAL, TtEntry};
use super::memory::tt_access::tt_adjusted_eval;
use super::moves::history::SearchedMoves;
use super::moves::picker::MovePicker;
use super::node::{Node, NodeContext, NodeType, NonPvNode};
use super::params::{LMR_DEEPER_PER_PLY, LMR_MANY_CUTOFFS};
use super::reductions::{self, LateMove};
use super::{Aborted, Searcher, Window, pruning};
use crate::board::movegen::{self, GenType, PackedMove, Threats};
use crate::board::see;
use crate::eval::Evaluator;
use crate::score::{Bound, DRAW, INFINITY, MAX_PLY, Score, TB_WIN_IN_MAX_PLY, mate_in, mated_in};

impl<E: Evaluator> Searcher<E> {
    /// Returns the value of a node at `depth` plies, exact inside the window, else a bound.
    ///
    /// `cut_node`: the node is expected to fail high.
    pub(super) fn alpha_beta<N: NodeType>(
        &mut self,
        node: &Node<E::Acc>,
        depth: i32,
        window: Window,
        cut_node: bool,
    ) -> Result<Score, Aborted> {
        debug_assert!(N::PV || window.is_null());
        debug_assert!(window.alpha < window.beta);
        let (position, ply) = (&node.position, node.ply);
        let in_check = position.in_check();

        // 1. Horizon: captures are resolved before the position is evaluated.
        // <https://www.chessprogramming.org/Quiescence_Search>
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence::<N::Inner>(node, window);
        }
        self.enter_node::<N>(ply)?;

        // 2. Draws by rule: fifty moves, repetition, insufficient material. <https://www.chessprogramming.org/Draw>
        if !N::ROOT
            && let Some(draw) = self.draw_score(node)
        {
            return Ok(draw);
        }

        // 3. Mate distance pruning: no variation from here can be better than a mate already found closer to the root.
        // <https://www.chessprogramming.org/Mate_Distance_Pruning>
        let Window { mut alpha, mut beta } = window;
        if !N::ROOT && self.thread.params.mate_distance_pruning {
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // 4. TT probe and cutoff: an earlier search of this position was deep enough.
        // <https://www.chessprogramming.org/Transposition_Table>
        let excluded = self.stack.at(ply).excluded;
        let tt_entry = if excluded.is_some() { None } else { self.tt_probe(position, ply) };
        if !N::PV
            && let Some(entry) = tt_entry
            && entry.depth >= depth
            && entry.bound.allows_cutoff(entry.score, beta)
        {
            if entry.score >= beta {
                self.update_tt_move_history(node, &entry, depth);
                self.update_refuted_move_history(node, depth);
            }
            return Ok(entry.score);
        }
        let tt_pv = N::PV || tt_entry.is_some_and(|entry| entry.pv);

        // 5. Tablebase probe: the value of the node or a bound on it. <https://www.chessprogramming.org/Syzygy_Bases>
        let (mut tb_min, mut tb_max) = (-INFINITY, INFINITY);
        if !N::ROOT && excluded.is_none() {
            match self.probe_tablebases(node, depth, Window { alpha, beta }, tt_pv) {
                TbResult::Cutoff(score) => return Ok(score),
                TbResult::Bounds { min, max } => (tb_min, tb_max) = (min, max),
            }
            alpha = alpha.max(tb_min);
        }
        let tt_move = self.tt_move::<N>(position, tt_entry);

        // 6. Static evaluation: the estimate that the following rules compare with the window.
        // <https://www.chessprogramming.org/Evaluation>
        let (raw_eval, static_eval) = self.evaluate(node, tt_entry, excluded);
        let eval = if in_check { static_eval } else { tt_adjusted_eval(static_eval, tt_entry) };
        let improving = !in_check && self.improving(ply, static_eval);
        let mut context = NodeContext {
            depth,
            alpha,
            beta,
            cut_node,
            static_eval,
            eval,
            improving,
            tt_entry,
            tt_move,
            tt_pv,
            excluded,
            raw_eval,
            tb_min,
            tb_max,
        };
        if !N::PV && !in_check && excluded.is_none() {
            // 7. Razoring: far below alpha at low depth, only captures could help; quiescence search tries them.
            // <https://www.chessprogramming.org/Razoring>
            if pruning::razoring(&self.thread.params, &context) {
                let score = self.quiescence::<NonPvNode>(node, context.window())?;
                if score <= alpha {
                    return Ok(score);
                }
            }
            // 8. Reverse futility: far above beta at low depth, the opponent cannot catch up in time.
            // <https://www.chessprogramming.org/Reverse_Futility_Pruning>
            if let Some(score) = pruning::reverse_futility(&self.thread.params, &context, position) {
                return Ok(score);
            }
            // 9. Null move: if even a null move fails high, some legal move probably does, too (except in zugzwang).
            // <https://www.chessprogramming.org/Null_Move_Pruning>
            if let Some(score) = self.null_move(node, &context)? {
                return Ok(score);
            }
            // 10. ProbCut: a noisy move that reaches a raised beta in a shallow search will probably reach beta.
            // <https://www.chessprogramming.org/ProbCut>
            if let Some(score) = self.prob_cut(node, &context)? {
                return Ok(score);
            }
        }

        // 11. IIR: without a TT move, ordering is poor; the shallower search stores one for the next visit.
        // <https://www.chessprogramming.org/Internal_Iterative_Reductions>
        if reductions::is_iir_node(&self.thread.params, &context, N::PV) {
            context.depth -= 1;
        }
        self.search_moves::<N>(node, context)
    }

    /// Searches the moves of a node (steps 12 to 24) and returns its value.
    ///
    /// `context` is the state after step 11.
    #[inline(always)]
    fn search_moves<N: NodeType>(&mut self, node: &Node<E::Acc>, mut context: NodeContext) -> Result<Score, Aborted> {
        let (position, ply) = (&node.position, node.ply);
        let NodeContext { beta, tt_move, excluded, .. } = context;
        let in_check = position.in_check();

        // 12. Move loop: the better the order, the earlier the cutoff. <https://www.chessprogramming.org/Move_Ordering>
        self.stack.at(ply).threats = Threats::of(position);
        self.stack.at(ply + 1).killer = None;
        let conthist = self.stack.conthist_context(ply);
        let killer = self.stack.at(ply).killer;
        let tt_noisy = tt_move.is_some_and(movegen::is_noisy);
        let quiet_limit = pruning::late_move_limit(&self.thread.params, &context);
        let mut picker = MovePicker::new(GenType::All, tt_move, killer, 0);
        let (mut best, mut best_move, mut move_count) = (context.tb_min, None, 0);
        let mut searched = SearchedMoves::default();
        while let Some(m) = picker.next(&self.picker_context(position, &conthist)) {
            if Some(m) == excluded || (N::ROOT && !self.is_root_candidate(m)) {
                continue;
            }
            move_count += 1;
            let quiet = !movegen::is_noisy(m);
            let history = self.thread.histories.score(position.turn(), m, quiet, &conthist);
            let base_reduction = self.thread.reductions.base(quiet, context.depth, move_count);

            // Rules 13 to 16 skip moves: not at the root, not until a move avoids a proven loss, and not with pawns
            // only, where zugzwang is frequent.
            if !N::ROOT && best > -TB_WIN_IN_MAX_PLY && position.has_non_pawn_material() {
                let p = &self.thread.params;
                let reduced_depth = reductions::reduced_depth(context.depth, base_reduction);
                // 13. Late move pruning: at low depth, quiet moves this late hardly ever raise alpha. Takes effect from
                // the next move on: the limit is checked one move ahead so that quiet moves need not be generated.
                // <https://www.chessprogramming.org/Futility_Pruning#Move_Count_Based_Pruning>
                if move_count + 1 >= quiet_limit {
                    picker.skip_quiets();
                }
                // 14. Futility: a quiet move seldom raises the evaluation by the margin. Only this move is skipped,
                // because a later one may give check. <https://www.chessprogramming.org/Futility_Pruning>
                if quiet
                    && !in_check
                    && pruning::futility(p, &context, reduced_depth, history)
                    && !movegen::gives_check(position, m)
                {
                    continue;
                }
                // 15. History pruning: the move has failed in most nodes where it was searched.
                // <https://www.chessprogramming.org/History_Leaf_Pruning>
                if quiet && pruning::bad_history(p, reduced_depth, history) {
                    continue;
                }
                // 16. SEE pruning: the move loses too much material.
                // <https://www.chessprogramming.org/Static_Exchange_Evaluation>
                if !picker.is_see_safe(m, quiet, &conthist.threats)
                    && let Some(margin) = pruning::see_margin(p, &context, quiet, reduced_depth, history)
                    && !see::see_at_least(position, m, margin)
                {
                    continue;
                }
            }

            // 17. Singular extension: if all other moves fail low against singular beta, a bound below the TT score,
            // everything depends on the TT move. <https://www.chessprogramming.org/Singular_Extensions>
            let mut extension = 0;
            if !N::ROOT
                && Some(m) == tt_move
                && extensions::can_be_singular(&self.thread.params, &context, ply, self.thread.root_depth)
            {
                match self.test_singularity::<N>(node, m, &context)? {
                    Singularity::Extension(plies) => extension = plies,
                    Singularity::MultiCut(score) => return Ok(score),
                }
            }

            // 18. Late move reductions: with good ordering, late moves are worse; search them less deep first.
            // <https://www.chessprogramming.org/Late_Move_Reductions>
            let nodes_before = self.thread.nodes;
            if N::ROOT {
                self.report_currmove(m, move_count);
            }
            picker.prefetch_next(m, &self.picker_context(position, &conthist));
            let child = self.make_move(node, m);
            self.stack.at(ply).move_number = move_count;
            self.stack.at(ply + 1).double_extensions += i32::from(extension > 1);
            let is_late = reductions::is_late::<N>(&self.thread.params, context.depth, move_count);
            let reduction = is_late.then(|| {
                let late_move = LateMove {
                    base_reduction,
                    history,
                    quiet,
                    tt_noisy,
                    killer: Some(m) == killer,
                    passed_pawn: movegen::is_advanced_passed_pawn(position, m),
                    gives_check: child.position.in_check(),
                    many_cutoffs: self.stack.at(ply + 1).cutoffs > LMR_MANY_CUTOFFS,
                };
                reductions::late_move_reduction::<N>(&self.thread.params, &self.thread.reductions, &context, &late_move)
            });

            // 19. Principal variation search: only the first move needs the open window; see `search_child`.
            // <https://www.chessprogramming.org/Principal_Variation_Search>
            let child_search =
                ChildSearch { depth: context.depth - 1 + extension, reduction, first: move_count == 1, best };
            let score = self.search_child::<N>(&child, &context, &child_search)?;
            self.pop_key();
            if N::ROOT {
                self.update_root_move(m, score, context.window(), move_count, self.thread.nodes - nodes_before);
            }

            // 20. Best move, alpha and beta cutoff: at beta or above, the opponent avoids this node.
            // <https://www.chessprogramming.org/Alpha-Beta>
            best = best.max(score);
            if score > context.alpha {
                best_move = Some(m);
                if N::PV {
                    self.stack.extend_pv(ply, m);
                }
                if score >= beta {
                    self.stack.at(ply).cutoffs += 1;
                    #[cfg(feature = "stats")]
                    self.thread.count_cutoff(move_count);
                    break;
                }
                context.alpha = score;
            } else {
                searched.push(m, quiet);
            }
        }

        // 21. No legal move: checkmate or stalemate. In a singular search without other moves: fail low.
        // <https://www.chessprogramming.org/Checkmate>, <https://www.chessprogramming.org/Stalemate>
        if move_count == 0 {
            return Ok(match excluded {
                Some(_) => context.alpha,
                None if in_check => mated_in(ply),
                None => DRAW,
            });
        }

        // 22. Histories: reward the move that caused the cutoff, or the opponent's move that prevented one.
        // <https://www.chessprogramming.org/History_Heuristic>
        best = best.min(context.tb_max);
        self.update_histories::<N>(node, &context, best, best_move, &conthist, &searched);

        // 23. Correction history: the difference to the result corrects the evaluation of similar positions.
        // <https://www.chessprogramming.org/Static_Evaluation_Correction_History>
        // A root with excluded moves (`searchmoves`, later PVs) does not have the value of the position.
        let all_moves = !N::ROOT || self.thread.pv_index == 0 && self.request.limits.search_moves.is_empty();
        if excluded.is_none() && all_moves {
            let bound = match best {
                _ if best >= beta => Bound::Lower,
                _ if N::PV && best_move.is_some() => Bound::Exact,
                _ => Bound::Upper,
            };
            self.update_correction_history(node, &context, best, best_move, bound, &conthist);

            // 24. TT store: when the position is reached again, this search need not be repeated.
            // <https://www.chessprogramming.org/Transposition_Table>
            let packed = best_move.map_or(PackedMove::NONE, PackedMove::from);
            let entry = TtEntry {
                best: packed,
                score: best,
                eval: context.raw_eval,
                depth: context.depth,
                bound,
                pv: context.tt_pv,
            };
            self.tt_store(position, ply, entry);
        }
        Ok(best)
    }

    /// Counts the node, checks the limits, and clears its PV and the cutoff counter of its grandchildren.
    #[inline(always)]
    fn enter_node<N: NodeType>(&mut self, ply: usize) -> Result<(), Aborted> {
        self.count_node(ply)?;
        if N::PV {
            self.stack.clear_pv(ply);
        }
        self.stack.at(ply + 2).cutoffs = 0;
        Ok(())
    }

    /// Searches a child (step 19) and returns its value from the parent's side.
    ///
    /// Late moves are searched at reduced depth with a null window at alpha, and again at full depth if they fail high:
    /// one ply deeper if the score exceeds the best score by far, one ply shallower if it is less than `depth`
    /// centipawns above it. In PV nodes, a move that still beats alpha is searched again with the window of the node.
    /// <https://github.com/official-stockfish/Stockfish/pull/4559>,
    /// <https://github.com/official-stockfish/Stockfish/pull/4230>
    #[inline]
    fn search_child<N: NodeType>(
        &mut self,
        child: &Node<E::Acc>,
        parent: &NodeContext,
        child_search: &ChildSearch,
    ) -> Result<Score, Aborted> {
        let &ChildSearch { depth, reduction, first, best } = child_search;
        let (alpha, null) = (parent.alpha, -Window::null(parent.alpha));
        let mut score = -INFINITY;
        if let Some(reduction) = reduction {
            // A negative reduction extends the move, by at most one ply and only in PV nodes.
            let reduced_depth = (depth - reduction).clamp(1, depth.max(1) + i32::from(N::PV));
            score = -self.alpha_beta::<NonPvNode>(child, reduced_depth, null, true)?;
            if score > alpha && reduced_depth < depth {
                let deeper = i32::from(score > best + self.thread.params.lmr_deeper + LMR_DEEPER_PER_PLY * depth);
                let shallower = i32::from(score < best + depth);
                score = -self.alpha_beta::<NonPvNode>(child, depth + deeper - shallower, null, !parent.cut_node)?;
                self.update_researched_move_history(child, depth, score > alpha);
            }
        } else if !N::PV || !first {
            score = -self.alpha_beta::<NonPvNode>(child, depth, null, !parent.cut_node)?;
        }
        if N::PV && (first || score > alpha) {
            score = -self.alpha_beta::<N::Inner>(child, depth, -parent.window(), false)?;
        }
        Ok(score)
    }

    /// Returns the raw and the corrected static evaluation and stores the latter in the stack frame.
    ///
    /// In check these are `NO_EVAL` and `-INFINITY`; in a singular search the raw evaluation is `NO_EVAL`, too.
    #[inline]
    fn evaluate(&mut self, node: &Node<E::Acc>, tt_entry: Option<TtEntry>, excluded: Option<Move>) -> (Score, Score) {
        let in_check = node.position.in_check();
        let (raw, corrected) = if in_check {
            (NO_EVAL, -INFINITY)
        } else if excluded.is_some() {
            // Singular search: the enclosing search of this node has stored its evaluation in the frame.
            (NO_EVAL, self.stack.at(node.ply).static_eval)
        } else {
            let raw = match tt_entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.raw_eval(node),
            };
            (raw, self.corrected_eval(node, raw))
        };
        let frame = self.stack.at(node.ply);
        frame.static_eval = corrected;
        frame.in_check = in_check;
        (raw, corrected)
    }

    /// Returns whether the static evaluation has risen since an earlier turn of the side to move.
    ///
    /// Compares with 2 plies ago or, if that was in check, 4 plies ago; true if neither is available.
    fn improving(&self, ply: usize, static_eval: Score) -> bool {
        [2, 4]
            .into_iter()
            .filter(|&plies| plies <= ply)
            .map(|plies| self.stack.back(ply, plies))
            .find(|frame| !frame.in_check)
            .is_none_or(|frame| static_eval > frame.static_eval)
    }
}

/// How to search a child: depth, reduction and the state of its parent.
struct ChildSearch {
    /// Full depth of the child, plies.
    depth: i32,
    /// Reduction of the first search, plies; `None` if the move is not reduced.
    reduction: Option<i32>,
    /// Whether this is the first move of the parent.
    first: bool,
    /// Best score of the parent so far (fail-soft).
    best: Score,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::game::Game;
    use crate::board::position::parse_fen;
    use crate::eval::pst::Pst;
    use crate::search::memory::transposition::TranspositionTable;
    use crate::search::params::Params;

    /// Returns the draw score of the node after `path`, with the root after `moves` of a game.
    fn draw_score(fen: &str, moves: &str, path: &str) -> Option<Score> {
        let mut game = Game::new(parse_fen(fen).unwrap());
        game.play_moves(moves.split_whitespace()).unwrap();
        let mut searcher = Searcher::new(0, Pst, &Params::default(), Arc::new(TranspositionTable::new(1)));
        searcher.thread.keys.clone_from(&game.history);
        let acc = searcher.thread.eval.refresh(&game.position);
        let root = Node { position: game.position, acc, ply: 0 };
        let node = path.split_whitespace().fold(root, |node, text| {
            let m = node.position.parse_move(text).unwrap();
            searcher.make_move(&node, m)
        });
        searcher.draw_score(&node)
    }

    #[test]
    fn first_repetition_is_a_draw_only_after_the_root() {
        let is_draw = |moves: &str, path: &str| draw_score("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", moves, path).is_some();
        let cycle = "a1a2 e8e7 a2a1 e7e8";
        // The root, and the position after the first move.
        assert!(!is_draw("", cycle));
        assert!(is_draw("", &format!("{cycle} a1a2")));
        // A second repetition of the root, and of positions before it.
        assert!(is_draw("", &format!("{cycle} {cycle}")));
        assert!(is_draw(cycle, cycle));
        assert!(!is_draw("a1a2 e8e7", "a2a1 e7e8"));
        assert!(is_draw(&format!("{cycle} a1a2 e8e7"), "a2a1 e7e8"));
    }

    #[test]
    fn fifty_move_draw_that_loses_material_scores_below_the_others() {
        for clock in [99, 100] {
            let fen = format!("6k1/2q5/8/8/8/2N5/3R4/6K1 w - - {clock} 100");
            // From the side of the opponent, who may take the knight after the first move.
            for (m, score) in [("d2e2", 1), ("d2d3", 0), ("d2c2", 0), ("c3e4", 0), ("c3a4", 0), ("d2d8", 1)] {
                assert_eq!(draw_score(&fen, "", m), Some(score), "{clock} {m}");
            }
        }
    }
}
