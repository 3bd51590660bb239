//! The picture of a search, free of the game it was made for: what text, SVG and page are written from.

use crate::game_tree::catalog::{Algorithm, Id};
use crate::game_tree::trace::{Event, Trace};
use crate::game_tree::{Counts, Mode, OPEN, Outcome};
use crate::score::{Bound, Score, moves_to_mate};

/// Longer paths are shortened in sentences, in bytes.
const LONGEST_NAME: usize = 60;

/// How nodes are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// By the names in a tree text; nodes without a name by the numbers from the root, `2.1`.
    Tree,
    /// By the moves from the root.
    Moves,
}

/// One node, as it is when the search has ended. Values are for MAX.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub ply: u32,
    /// What stands beside the node: a name or a move.
    pub label: String,
    /// What it is called in a sentence.
    pub full_name: String,
    /// FEN, or nothing.
    pub describe: String,
    /// When it was first visited, counted from 1; `None` if it never was.
    pub order: Option<usize>,
    /// The window of the last visit.
    pub window: Option<(Score, Score)>,
    /// The value of the last visit.
    pub value: Option<(Score, Bound)>,
    pub leaf: bool,
    /// The bound that cut, and the node that held it.
    pub cut: Option<(Score, Option<usize>)>,
    /// On the principal variation?
    pub on_line: bool,
}

impl Drawn {
    pub const fn mode(&self) -> Mode {
        Mode::at(self.ply)
    }
}

/// A step of the search with the sentence that tells it.
#[derive(Clone, Debug)]
pub struct Step {
    pub event: Event,
    pub sentence: String,
}

/// See the module's essay.
#[derive(Clone, Debug)]
pub struct Picture {
    pub algorithm: &'static Algorithm,
    pub depth: u32,
    pub value: Score,
    pub best: String,
    pub line: Vec<String>,
    pub counts: Counts,
    pub nodes: Vec<Drawn>,
    pub steps: Vec<Step>,
    /// Were nodes or steps left out of the record?
    pub truncated: bool,
    pub chess: bool,
}

/// A value as people write it; in chess a mate as `#3` (in three moves, for MAX) or `-#3`.
pub fn score_text(value: Score, chess: bool) -> String {
    let mate = if chess { moves_to_mate(value) } else { None };
    match (value, mate) {
        (value, _) if value >= OPEN - 1 => "+∞".to_owned(),
        (value, _) if value <= 1 - OPEN => "-∞".to_owned(),
        (_, Some(moves)) if moves > 0 => format!("#{moves}"),
        (_, Some(moves)) => format!("-#{}", -moves),
        (value, None) => value.to_string(),
    }
}

/// A window as people write it.
pub fn window_text((alpha, beta): (Score, Score), chess: bool) -> String {
    format!("({}, {})", score_text(alpha, chess), score_text(beta, chess))
}

/// A value with what it says about the true one: `= 5`, `≤ 4`, `≥ 6`.
pub fn bound_text((value, bound): (Score, Bound), chess: bool) -> String {
    let sign = match bound {
        Bound::Lower => "≥",
        Bound::Upper => "≤",
        _ => "=",
    };
    format!("{sign} {}", score_text(value, chess))
}

/// A value and what is known of it, in a sentence.
fn told(value: Score, bound: Bound, chess: bool) -> String {
    let value = score_text(value, chess);
    match bound {
        Bound::Lower => format!("at least {value}"),
        Bound::Upper => format!("at most {value}"),
        _ => value,
    }
}

impl Picture {
    /// Makes the picture of a recorded search.
    pub fn new<M: Copy + PartialEq>(
        trace: &Trace<M>,
        outcome: &Outcome<M>,
        algorithm: &'static Algorithm,
        depth: u32,
        naming: Naming,
        root_name: &str,
    ) -> Self {
        let mut nodes: Vec<Drawn> = Vec::with_capacity(trace.nodes.len());
        for node in &trace.nodes {
            let parent = node.parent.map(|parent| parent as usize);
            let label = if parent.is_none() { root_name.to_owned() } else { node.name.clone() };
            let above = parent.filter(|&parent| parent != 0).map(|parent| nodes[parent].full_name.as_str());
            let numbered = label.starts_with(|c: char| c.is_ascii_digit());
            // The name of a node ten thousand plies deep is not its whole path.
            let above = above.map(|above| if above.len() > LONGEST_NAME { "…" } else { above });
            let full_name = match (naming, above) {
                (Naming::Moves, Some(above)) => format!("{above} {label}"),
                (Naming::Tree, Some(above)) if numbered => format!("{above}.{label}"),
                _ => label.clone(),
            };
            nodes.push(Drawn {
                parent,
                children: node.children.iter().map(|&child| child as usize).collect(),
                ply: node.ply,
                label,
                full_name,
                describe: node.describe.clone(),
                order: None,
                window: None,
                value: None,
                leaf: false,
                cut: None,
                on_line: false,
            });
        }
        let mut line = Vec::new();
        let mut at = 0;
        nodes[0].on_line = true;
        for mv in &outcome.principal_variation {
            let next = trace.child(at as u32, *mv);
            if next == Trace::<M>::BEYOND {
                break;
            }
            at = next as usize;
            nodes[at].on_line = true;
            line.push(nodes[at].label.clone());
        }
        let mut picture = Self {
            algorithm,
            depth,
            value: outcome.value,
            best: line.first().cloned().unwrap_or_else(|| "-".to_owned()),
            line,
            counts: outcome.counts,
            nodes,
            steps: Vec::with_capacity(trace.events.len()),
            truncated: trace.truncated,
            chess: naming == Naming::Moves,
        };
        let mut visited = 0;
        for event in &trace.events {
            let sentence = picture.happen(event, &mut visited);
            picture.steps.push(Step { event: event.clone(), sentence });
        }
        // When the search has ended its bounds have met, though the last pass proved only one of them.
        picture.nodes[0].value = Some((outcome.value, Bound::Exact));
        picture
    }

    /// Lets an event happen to the nodes, and tells it in a sentence.
    fn happen(&mut self, event: &Event, visited: &mut usize) -> String {
        match *event {
            Event::Pass { number: 1 } => "The search begins.".to_owned(),
            Event::Pass { number } => format!("Pass {number} begins at the root."),
            Event::Enter { node, alpha, beta } => {
                let again = self.nodes[node as usize].order.is_some();
                let node = &mut self.nodes[node as usize];
                if node.order.is_none() {
                    *visited += 1;
                    node.order = Some(*visited);
                }
                node.window = Some((alpha, beta));
                node.value = None;
                node.cut = None;
                let verb = if again { "Visit again" } else { "Visit" };
                let kind = self.algorithm.kind(node.mode());
                format!(
                    "{verb} {} ({kind}) with the window {}.",
                    node.full_name,
                    window_text((alpha, beta), self.chess)
                )
            }
            Event::Leaf { node, value } => {
                let node = &mut self.nodes[node as usize];
                node.leaf = true;
                node.value = Some((value, Bound::Exact));
                format!("Leaf {} is worth {}.", node.full_name, score_text(value, self.chess))
            }
            Event::Tentative { node, value } => {
                let name = &self.nodes[node as usize].full_name;
                format!("The tentative value of {name} is now {}.", score_text(value, self.chess))
            }
            Event::Cut { node, bound, by } => self.cut(node as usize, bound, by.map(|by| by as usize)),
            Event::Leave { node, value, bound } => {
                let node = &mut self.nodes[node as usize];
                node.value = Some((value, bound));
                format!("{} is final: {}.", node.full_name, told(value, bound, self.chess))
            }
            Event::Hit { node, value, bound } => {
                let node = &mut self.nodes[node as usize];
                node.value = Some((value, bound));
                format!("{} is known from memory: {}.", node.full_name, told(value, bound, self.chess))
            }
            Event::ReSearch { node } => {
                format!("{} is searched again: the test was not enough.", self.nodes[node as usize].full_name)
            }
            Event::Open { node, merit, solved } => {
                let node = &mut self.nodes[node as usize];
                if solved {
                    let bound = match self.algorithm.id {
                        _ if node.leaf || node.parent.is_none() => Bound::Exact,
                        Id::DualStar => Bound::Lower,
                        _ => Bound::Upper,
                    };
                    node.value = Some((merit, bound));
                    if node.leaf {
                        return format!(
                            "OPEN: {} is solved, with merit {}.",
                            node.full_name,
                            score_text(merit, self.chess)
                        );
                    }
                }
                let state = if solved { "solved" } else { "live" };
                format!(
                    "OPEN: the best state is {}, {state}, with merit {}.",
                    node.full_name,
                    score_text(merit, self.chess)
                )
            }
        }
    }

    fn cut(&mut self, index: usize, bound: Score, by: Option<usize>) -> String {
        self.nodes[index].cut = Some((bound, by));
        let node = &self.nodes[index];
        let left: Vec<&str> = node
            .children
            .iter()
            .filter(|&&child| self.nodes[child].order.is_none())
            .map(|&child| self.nodes[child].label.as_str())
            .collect();
        let rest = match left.len() {
            0 => "Nothing was left to visit.".to_owned(),
            1..=6 => format!("Not visited: {}.", left.join(", ")),
            more => format!("Not visited: {} and {} more.", left[..4].join(", "), more - 4),
        };
        let side = if node.mode() == Mode::Max { "≥" } else { "≤" };
        let holder = match by {
            Some(by) => format!("the value that {} already has", self.nodes[by].full_name),
            None => "the bound of the window".to_owned(),
        };
        format!("{} is cut: its value is {side} {}, {holder}. {rest}", node.full_name, score_text(bound, self.chess))
    }

    /// The mark of a cut: `cut: 6 ≥ 2 of B`.
    pub fn cut_text(&self, node: &Drawn) -> Option<String> {
        let (bound, by) = node.cut?;
        let side = if node.mode() == Mode::Max { "≥" } else { "≤" };
        let value = node.value.map_or_else(String::new, |(value, _)| score_text(value, self.chess));
        let holder = by.map_or_else(|| "the window".to_owned(), |by| self.nodes[by].label.clone());
        Some(format!("{value} {side} {} of {holder}", score_text(bound, self.chess)))
    }

    /// Two lines above the picture.
    pub fn headline(&self) -> (String, String) {
        let counts = &self.counts;
        let passes = if counts.passes > 1 { format!(", {} passes", counts.passes) } else { String::new() };
        let again =
            if counts.re_searches > 0 { format!(", {} re-searches", counts.re_searches) } else { String::new() };
        (
            format!(
                "{}, depth {}: value {}, best {}",
                self.algorithm.name,
                self.depth,
                score_text(self.value, self.chess),
                self.best
            ),
            format!(
                "{} leaves evaluated, {} nodes visited, {} cut-offs ({} alpha, {} beta; {} deep){passes}{again}",
                counts.leaves,
                counts.nodes,
                counts.cuts(),
                counts.alpha_cuts,
                counts.beta_cuts,
                counts.deep_cuts
            ),
        )
    }
}

impl Algorithm {
    /// Does it keep a list of states instead of windows?
    pub(super) const fn is_best_first(&self) -> bool {
        matches!(self.id, Id::SssStar | Id::DualStar)
    }

    /// What a node is called by this algorithm's literature.
    pub(super) fn kind(&self, mode: Mode) -> &'static str {
        let and_or = matches!(self.id, Id::AndOrShallow | Id::AndOrDeep);
        match (mode, and_or) {
            (Mode::Max, false) => "MAX",
            (Mode::Min, false) => "MIN",
            (Mode::Max, true) => "OR",
            (Mode::Min, true) => "AND",
        }
    }
}
