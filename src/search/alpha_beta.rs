//! The node function: principal variation search over fail-soft alpha-beta.
//!
//! The first move of a node is searched with the window it was given; every later one is only asked, with
//! a null window, whether it beats the best so far, and searched again when it does. Non-PV nodes have
//! a null window throughout, and only they are given up before their moves are looked at (step 5); single moves
//! are left out in PV nodes, too, but not at the root (step 8). The function is a list of numbered steps; each
//! rule stands in a file of its own and can be switched off, after which what is left is plain
//! alpha-beta, with the value of minimax.
//! <https://www.chessprogramming.org/Principal_Variation_Search>, <https://www.chessprogramming.org/Fail-Soft>

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::memory::tb_probe::Verdict;
use super::memory::transposition::{Entry, NO_EVAL};
use super::moves::history::{NO_PIECE_TO, Path};
use super::moves::picker::{MovePicker, Wanted};
use super::pruning::{self, NodeFacts};
use super::reductions::{self, MoveFacts, Singularity};
use super::stats::{Cause, CutNode};
use super::{Aborted, Node, Searcher, Window};
use crate::board::movegen::{self, PackedMove, Threats};
use crate::eval::Evaluator;
use crate::score::{
    Bound, DRAW, INFINITY, MAX_PLY, Score, TABLE_WIN_IN_MAX_PLY, from_table, is_decisive, mate_in, mated_in,
};

/// Moves that were tried before the one that cut off; more need not be remembered.
type Tried = ArrayVec<Move, 32>;

impl<E: Evaluator> Searcher<E> {
    /// The value of a node searched `depth` plies deep: exact inside the window, a bound outside.
    /// `cut_node`: the parent expects this node to fail high.
    pub(super) fn alpha_beta<const PV: bool>(
        &mut self,
        node: &Node<E::Acc>,
        depth: i32,
        window: Window,
        cut_node: bool,
    ) -> Result<Score, Aborted> {
        debug_assert!(PV || window.is_null());
        debug_assert!(window.alpha < window.beta);
        let (position, ply) = (&node.position, node.ply);
        let (in_check, is_root) = (position.in_check(), ply == 0);

        // 1. The horizon. A check is not left to quiescence.
        let depth = depth + i32::from(in_check && !is_root && self.params.check_extension);
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence::<PV>(node, window);
        }
        self.enter(ply)?;
        if PV {
            self.stack.clear_pv(ply);
        }
        self.stack.at(ply + 2).cutoffs = 0;
        let Window { mut alpha, mut beta } = window;

        // 2. Draws, and mates that are too far away to matter.
        if let Some(draw) = self.draw(node) {
            return Ok(draw);
        }
        if !is_root && self.params.mate_distance_pruning {
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return Ok(alpha);
            }
        }

        // 3. The transposition table.
        let key = position.key();
        let excluded = self.stack.at(ply).excluded;
        let known = if excluded.is_some() { None } else { self.probe(key) };
        let table_score = known.map(|entry| from_table(entry.score, ply));
        if let (false, Some(entry), Some(score)) = (PV, known, table_score)
            && entry.depth >= depth
            && entry.bound.settles(score, beta)
            && position.halfmoves() < 90
        {
            if score >= beta {
                self.cutoffs.note(0, CutNode { depth, expected: cut_node }, || Cause::Settled);
                self.learn_from_table(node, &entry, depth);
            }
            return Ok(score);
        }
        let table_pv = PV || known.is_some_and(|entry| entry.pv);

        // 3a. Endgame tables: what they know settles the node or bounds it.
        let (mut floor, mut ceiling) = (-INFINITY, INFINITY);
        if !is_root && excluded.is_none() {
            match self.ask_tables(node, depth, Window { alpha, beta }, table_pv) {
                Verdict::Settled(score) => return Ok(score),
                Verdict::Between(least, most) => (floor, ceiling) = (least, most),
            }
            alpha = alpha.max(floor);
        }
        let hash_move = match known {
            _ if is_root && self.root_depth > 1 => self.root_moves.get(self.line).map(|root| root.m),
            Some(entry) => entry.best.unpack(position),
            None => None,
        };
        if let Some(m) = hash_move {
            self.table.prefetch(position.likely_key_after(m));
        }

        // 4. The static evaluation, and a better guess from the table.
        let (raw_eval, static_eval) = self.evaluate(node, known, excluded);
        let eval = if in_check { static_eval } else { better_guess(static_eval, known, table_score) };
        let improving = !in_check && self.improving(ply, static_eval);
        let facts = NodeFacts { depth, eval, improving, beta, alpha };

        // 5. Nodes that need no search of their moves.
        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(node, &facts, static_eval, known, cut_node)?
        {
            return Ok(score);
        }

        // 6. Without a move from the table, ordering is poor: search less deep and leave one for next time.
        let lean = self.params.internal_iterative_reductions
            && depth >= self.params.iir_depth
            && (PV || cut_node)
            && hash_move.is_none()
            && excluded.is_none();
        let depth = depth - i32::from(lean);
        let facts = NodeFacts { depth, ..facts };

        // 7. The moves, best first.
        self.stack.at(ply).threats = Threats::of(position);
        let path = self.stack.path(ply);
        let killer = self.stack.at(ply).killer;
        let table_noisy = hash_move.is_some_and(movegen::is_noisy);
        self.stack.at(ply + 1).killer = None;
        let mut picker = MovePicker::new(Wanted::All, hash_move, killer, 0);
        let quiet_limit = pruning::late_move_limit(&self.params, &facts);
        let (mut best, mut best_move, mut number) = (floor, None, 0);
        let (mut quiets, mut noisies) = (Tried::new(), Tried::new());
        while let Some(m) = picker.next(&self.knowledge(position, &path)) {
            if Some(m) == excluded || (is_root && !self.is_root_candidate(m)) {
                continue;
            }
            number += 1;
            let quiet = !movegen::is_noisy(m);
            let history = if quiet {
                self.histories.quiet(position.turn(), m, &path)
            } else {
                self.histories.noisy(position.turn(), m)
            };
            let base = self.reductions.base(quiet, depth, number);

            // 8. Moves that need no search.
            if !is_root && best > -TABLE_WIN_IN_MAX_PLY && position.has_pieces() {
                let facts = NodeFacts { alpha, ..facts };
                if number + 1 >= quiet_limit {
                    // Known before the next one is asked for: then they need not even be generated.
                    picker.skip_quiets();
                }
                let safe = picker.is_safe(m, quiet, &path.threats);
                if self.prune_move(node, m, &facts, static_eval, (quiet, safe, base, history)) {
                    continue;
                }
            }

            // 9. Extension: is the table's move much better than all others?
            let mut extension = 0;
            if let (Some(entry), Some(score), None) = (known, table_score, excluded)
                && !is_root
                && Some(m) == hash_move
                && self.may_be_singular(&entry, score, depth, ply)
            {
                match self.test_singularity::<PV>(node, m, depth, score, beta, cut_node)? {
                    (Singularity::Singular(plies) | Singularity::Ordinary(plies), _) => extension = plies,
                    (Singularity::MultiCut, score) => return Ok(score),
                }
            }

            // 10. Make the move and search it: a reduced null window first, more only for a surprise.
            let nodes_before = self.nodes;
            self.announce(m, number, is_root);
            picker.look_ahead(m, &self.knowledge(position, &path));
            let child = self.descend(node, m);
            self.stack.at(ply + 1).double_extensions = self.stack.at(ply).double_extensions + i32::from(extension > 1);
            let may_reduce = depth >= 2 && number > 1 + i32::from(is_root) && self.params.late_move_reductions;
            let reduction = may_reduce.then(|| {
                let facts = MoveFacts {
                    quiet,
                    pv: PV,
                    table_pv,
                    cut_node,
                    improving,
                    table_noisy,
                    killer: Some(m) == killer,
                    check: child.position.in_check(),
                    many_cutoffs: self.stack.at(ply + 1).cutoffs > 3,
                    history,
                };
                reductions::late_move(&self.params, base, &facts)
            });
            let plan = Plan { depth: depth - 1 + extension, reduction, first: number == 1, cut_node, best };
            let score = self.search_child::<PV>(&child, Window { alpha, beta }, &plan)?;
            self.ascend();
            if is_root {
                self.note_root_move(m, score, Window { alpha, beta }, number, self.nodes - nodes_before);
            }

            // 11. A new best move, a new alpha, a cut-off.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if PV {
                        self.stack.extend_pv(ply, m);
                    }
                    if score >= beta {
                        self.stack.at(ply).cutoffs += 1;
                        self.cutoffs.note(number, CutNode { depth, expected: cut_node }, || match () {
                            () if Some(m) == hash_move => Cause::Table,
                            () if !quiet => Cause::Noisy,
                            () if Some(m) == killer => Cause::Killer,
                            () => Cause::Quiet,
                        });
                        break;
                    }
                    alpha = score;
                }
            }
            if Some(m) != best_move {
                let _ = if quiet { quiets.try_push(m) } else { noisies.try_push(m) };
            }
        }

        // 12. No legal move: mate or stalemate.
        if number == 0 {
            return Ok(match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => DRAW,
            });
        }

        // 13. Learn and remember.
        best = best.min(ceiling);
        if let (Some(m), true) = (best_move, best >= beta) {
            self.learn(node, m, depth + i32::from(best > beta + 60), &path, &quiets, &noisies);
        }
        if best_move.is_none() && excluded.is_none() && !is_root {
            self.learn_of_opponent(node, depth);
        }
        if excluded.is_none() {
            let bound = match best {
                _ if best >= beta => Bound::Lower,
                _ if PV && best_move.is_some() => Bound::Exact,
                _ => Bound::Upper,
            };
            self.learn_correction(node, static_eval, best, bound, best_move, depth, &path);
            if !is_root || self.line == 0 {
                let packed = best_move.map_or(PackedMove::NONE, PackedMove::from);
                self.remember(key, ply, packed, best, raw_eval, depth, bound, table_pv);
            }
        }
        Ok(best)
    }

    /// Step 10: the value of a child from its parent's view. Reduced moves and all but the first are only asked,
    /// with a null window, whether they beat alpha, and searched again when they do.
    fn search_child<const PV: bool>(
        &mut self,
        child: &Node<E::Acc>,
        window: Window,
        plan: &Plan,
    ) -> Result<Score, Aborted> {
        let &Plan { depth, reduction, first, cut_node, best } = plan;
        let (alpha, null) = (window.alpha, -Window::null(window.alpha));
        let mut score = -INFINITY;
        if let Some(reduction) = reduction {
            let reduced = (depth - reduction).clamp(1, depth.max(1) + i32::from(PV));
            score = -self.alpha_beta::<false>(child, reduced, null, true)?;
            if score > alpha && reduced < depth {
                let deeper = i32::from(score > best + self.params.lmr_deeper + 2 * depth);
                let shallower = i32::from(score < best + depth);
                score = -self.alpha_beta::<false>(child, depth + deeper - shallower, null, !cut_node)?;
            }
        } else if !PV || !first {
            score = -self.alpha_beta::<false>(child, depth, null, !cut_node)?;
        }
        if PV && (first || score > alpha) {
            score = -self.alpha_beta::<true>(child, depth, -window, false)?;
        }
        Ok(score)
    }

    /// The raw and the corrected static evaluation; both are nothing in check. Leaves the latter in the frame.
    fn evaluate(&mut self, node: &Node<E::Acc>, known: Option<Entry>, excluded: Option<Move>) -> (Score, Score) {
        let in_check = node.position.in_check();
        let (raw, corrected) = if in_check {
            (NO_EVAL, -INFINITY)
        } else if excluded.is_some() {
            // The search around this one has left its evaluation in the frame.
            (NO_EVAL, self.stack.at(node.ply).static_eval)
        } else {
            let raw = match known {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.eval.score(&node.acc, &node.position),
            };
            (raw, self.corrected(node, raw))
        };
        let frame = self.stack.at(node.ply);
        frame.static_eval = corrected;
        frame.in_check = in_check;
        (raw, corrected)
    }

    /// Does the side to move stand better than at its last turn (or the one before, if it was in check then)?
    fn improving(&self, ply: usize, static_eval: Score) -> bool {
        [2, 4]
            .into_iter()
            .filter(|&plies| plies <= ply)
            .map(|plies| self.stack.back(ply, plies))
            .find(|frame| !frame.in_check)
            .is_none_or(|frame| static_eval > frame.static_eval)
    }

    /// Step 5: the rules that may settle a node before any of its moves is looked at.
    fn prune_node(
        &mut self,
        node: &Node<E::Acc>,
        facts: &NodeFacts,
        static_eval: Score,
        known: Option<Entry>,
        cut_node: bool,
    ) -> Result<Option<Score>, Aborted> {
        let window = Window { alpha: facts.alpha, beta: facts.beta };
        if pruning::razoring(&self.params, facts) {
            let score = self.quiescence::<false>(node, window)?;
            if score <= facts.alpha {
                return Ok(Some(score));
            }
        }
        if let Some(score) = pruning::reverse_futility(&self.params, facts) {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node, facts, static_eval)? {
            return Ok(Some(score));
        }
        self.prob_cut(node, facts, static_eval, known, cut_node)
    }

    /// If even passing keeps the score above beta, a move will.
    fn null_move(
        &mut self,
        node: &Node<E::Acc>,
        facts: &NodeFacts,
        static_eval: Score,
    ) -> Result<Option<Score>, Aborted> {
        let (ply, beta) = (node.ply, facts.beta);
        let passed_before = self.stack.back(ply, 1).moved == NO_PIECE_TO;
        if passed_before || ply < self.null_move_from || !node.position.has_pieces() {
            return Ok(None);
        }
        let Some(reduction) = pruning::null_move_reduction(&self.params, facts, static_eval) else { return Ok(None) };
        self.table.prefetch(node.position.key_after_passing());
        let Some(position) = node.position.pass() else { return Ok(None) };
        self.keys.push(node.position.key());
        let frame = self.stack.at(ply);
        (frame.moved, frame.played) = (NO_PIECE_TO, None);
        let child = Node { position, acc: node.acc, ply: ply + 1 };
        let depth = facts.depth - reduction;
        let score = -self.alpha_beta::<false>(&child, depth, -Window::null(beta - 1), false)?;
        self.ascend();
        if score < beta {
            return Ok(None);
        }
        // A mate or a table win after passing proves nothing.
        let score = if score >= TABLE_WIN_IN_MAX_PLY { beta } else { score };
        if facts.depth < 14 || self.null_move_from > 0 {
            return Ok(Some(score));
        }
        // Deep cut-offs are verified without passing in the upper part of the tree: zugzwang.
        self.null_move_from = ply + 3 * depth.max(1) as usize / 4;
        let verified = self.alpha_beta::<false>(node, depth, Window::null(beta - 1), false);
        self.null_move_from = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// If a good capture beats a raised beta in a shallow search, a full one would beat beta.
    fn prob_cut(
        &mut self,
        node: &Node<E::Acc>,
        facts: &NodeFacts,
        static_eval: Score,
        known: Option<Entry>,
        cut_node: bool,
    ) -> Result<Option<Score>, Aborted> {
        let (position, ply, depth) = (&node.position, node.ply, facts.depth);
        let Some(raised) = pruning::prob_cut_beta(&self.params, facts) else { return Ok(None) };
        let hopeless = known.is_some_and(|entry| {
            entry.depth >= depth - 3 && from_table(entry.score, ply) < raised && entry.bound != Bound::Lower
        });
        if hopeless {
            return Ok(None);
        }
        let hash_move = known.and_then(|entry| entry.best.unpack(position));
        // The frame still has the threats of an earlier node.
        let path = Path { threats: Threats::NONE, ..self.stack.path(ply) };
        let mut picker = MovePicker::new(Wanted::Noisy, hash_move, None, raised - static_eval);
        while let Some(m) = picker.next(&self.knowledge(position, &path)) {
            if !movegen::see_at_least(position, m, raised - static_eval) {
                continue;
            }
            let child = self.descend(node, m);
            let window = -Window::null(raised - 1);
            let mut score = -self.quiescence::<false>(&child, window)?;
            if score >= raised {
                score = -self.alpha_beta::<false>(&child, depth - 4, window, !cut_node)?;
            }
            self.ascend();
            if score >= raised {
                let raw = known.map_or(NO_EVAL, |entry| entry.eval);
                self.remember(position.key(), ply, m.into(), score, raw, depth - 3, Bound::Lower, false);
                return Ok(Some(score));
            }
        }
        Ok(None)
    }

    /// Step 8: may this move be skipped? `(quiet, safe, base, history)` are what the node knows of it. The moves after it
    /// are not: a check among them is not futile.
    fn prune_move(
        &self,
        node: &Node<E::Acc>,
        m: Move,
        facts: &NodeFacts,
        static_eval: Score,
        (quiet, safe, base, history): (bool, bool, i32, i32),
    ) -> bool {
        let (p, in_check) = (&self.params, node.position.in_check());
        let reduced_depth = facts.depth - base / 1024;
        if quiet {
            let check = || movegen::gives_check(&node.position, m);
            let futile = !in_check && pruning::futility(p, facts, static_eval, reduced_depth, history) && !check();
            if futile || pruning::bad_history(p, reduced_depth, history) {
                return true;
            }
        }
        let margin = || pruning::exchange_margin(p, facts, quiet, reduced_depth, history);
        !safe && margin().is_some_and(|margin| !movegen::see_at_least(&node.position, m, margin.min(0)))
    }

    /// Is the table's promise about its move firm enough to test whether the move stands alone?
    fn may_be_singular(&mut self, entry: &Entry, score: Score, depth: i32, ply: usize) -> bool {
        self.params.singular_extension
            && depth >= self.params.singular_depth
            && entry.depth >= depth - 3
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && !is_decisive(score)
            && ply < 2 * self.root_depth as usize
    }

    /// Step 9: searches all moves but `m`, shallow, against a bound somewhat below what the table promises.
    fn test_singularity<const PV: bool>(
        &mut self,
        node: &Node<E::Acc>,
        m: Move,
        depth: i32,
        table_score: Score,
        beta: Score,
        cut_node: bool,
    ) -> Result<(Singularity, Score), Aborted> {
        let ply = node.ply;
        let bound = table_score - self.params.singular_margin * depth / 16;
        self.stack.at(ply).excluded = Some(m);
        let result = self.alpha_beta::<false>(node, (depth - 1) / 2, Window::null(bound - 1), cut_node);
        self.stack.at(ply).excluded = None;
        let score = result?;
        let mut verdict = reductions::singularity(&self.params, PV, cut_node, score, bound, table_score, beta);
        if verdict == Singularity::Singular(2) && self.stack.at(ply).double_extensions > 8 {
            verdict = Singularity::Singular(1);
        }
        Ok((verdict, bound))
    }

    /// A quiet or noisy move cut off: it gains, those tried before it lose.
    fn learn(&mut self, node: &Node<E::Acc>, m: Move, depth: i32, path: &Path, quiets: &[Move], noisies: &[Move]) {
        let (p, us) = (&self.params, node.position.turn());
        let bonus = self.bonus(depth);
        let malus = (p.history_malus * depth).min(p.history_malus_max);
        if movegen::is_noisy(m) {
            self.histories.learn_noisy(us, m, bonus);
        } else {
            self.stack.at(node.ply).killer = Some(m);
            self.histories.learn_quiet(us, m, path, bonus);
            for &failed in quiets {
                self.histories.learn_quiet(us, failed, path, -malus);
            }
        }
        for &failed in noisies {
            self.histories.learn_noisy(us, failed, -malus);
        }
    }

    /// What a cut-off is worth to the history of its move.
    fn bonus(&self, depth: i32) -> i32 {
        let p = &self.params;
        (p.history_bonus * depth - p.history_bonus_offset).clamp(1, p.history_bonus_max)
    }

    /// The table cuts off: its quiet move has proven itself once more.
    fn learn_from_table(&mut self, node: &Node<E::Acc>, entry: &Entry, depth: i32) {
        let share = self.params.history_table_bonus;
        if share > 0
            && let Some(m) = entry.best.unpack(&node.position).filter(|&m| !movegen::is_noisy(m))
        {
            let path = Path { threats: Threats::of(&node.position), ..self.stack.path(node.ply) };
            let bonus = self.bonus(depth) * share / 100;
            self.histories.learn_quiet(node.position.turn(), m, &path, bonus);
        }
    }

    /// No move reached alpha: the opponent's move before was a good one.
    fn learn_of_opponent(&mut self, node: &Node<E::Acc>, depth: i32) {
        let share = self.params.history_prior_bonus;
        if share > 0
            && let Some(m) = self.stack.back(node.ply, 1).played.filter(|&m| !movegen::is_noisy(m))
        {
            let (path, bonus) = (self.stack.path(node.ply - 1), self.bonus(depth) * share / 100);
            self.histories.learn_quiet(!node.position.turn(), m, &path, bonus);
        }
    }

    /// The search found a value: how far was the evaluation off? Captures say little about it, and a bound
    /// only on its own side.
    #[allow(clippy::too_many_arguments, reason = "the outcome of a node, named at the one caller")]
    fn learn_correction(
        &mut self,
        node: &Node<E::Acc>,
        static_eval: Score,
        best: Score,
        bound: Bound,
        best_move: Option<Move>,
        depth: i32,
        path: &Path,
    ) {
        let telling = !node.position.in_check()
            && best_move.is_none_or(|m| !movegen::is_noisy(m))
            && !is_decisive(best)
            && match bound {
                Bound::Lower => best > static_eval,
                Bound::Upper => best < static_eval,
                Bound::Exact | Bound::None => true,
            };
        if telling && self.params.correction_history {
            self.histories.learn_correction(&node.position, path, depth, best - static_eval);
        }
    }
}

/// How a child is to be searched.
struct Plan {
    /// Full depth of the child, plies.
    depth: i32,
    /// Plies to take off at first; `None` for no reduced search.
    reduction: Option<i32>,
    /// The first move of its node.
    first: bool,
    /// Of the parent.
    cut_node: bool,
    /// Best score of the parent so far.
    best: Score,
}

/// The table's score where its bound makes it a better guess than the static evaluation.
pub(super) fn better_guess(static_eval: Score, known: Option<Entry>, table_score: Option<Score>) -> Score {
    match (known, table_score) {
        (Some(entry), Some(score)) if !is_decisive(score) => match entry.bound {
            Bound::Exact => score,
            Bound::Lower => static_eval.max(score),
            Bound::Upper => static_eval.min(score),
            Bound::None => static_eval,
        },
        _ => static_eval,
    }
}
