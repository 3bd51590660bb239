//! The drawing of a search, independent of the game: the input of text, SVG and HTML output.

use crate::catalog::{Algorithm, AlgorithmId};
use crate::trace::{Trace, TraceEvent};
use crate::{Bound, GameTree, NodeKind, SearchCounters, TreeSearchOutcome, UNBOUNDED, Value};
use std::collections::BTreeMap;

/// The maximum length of a parent's name in sentences, in bytes; longer ones are abbreviated.
const MAX_NAME_BYTES: usize = 60;

/// A node at the end of the search. Values are for MAX.
#[derive(Clone, Debug)]
pub(super) struct PictureNode {
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub ply: u32,
    /// The index of the move in generation order; 0 for the root.
    pub index: u32,
    /// The text beside the node: a name or a move.
    pub label: String,
    /// The name of the node in sentences.
    pub full_name: String,
    /// The description of the position; can be empty.
    pub description: String,
    /// The rank of its first visit, from 1; `None` if it was not visited.
    pub order: Option<usize>,
    /// The window of the last visit.
    pub window: Option<(Value, Value)>,
    /// The value of the last visit.
    pub value: Option<(Value, Bound)>,
    /// Whether the node was evaluated as a leaf and none of its children was visited afterward.
    pub leaf: bool,
    /// The bound of a cutoff and the node where it was found (`None`: the initial window or memory).
    pub cut: Option<(Value, Option<usize>)>,
    /// Whether the node is on the principal variation.
    pub on_pv: bool,
    /// Whether the node was entered during the latest visit of its parent.
    pub searched: bool,
}

impl PictureNode {
    pub const fn kind(&self) -> NodeKind {
        NodeKind::at_ply(self.ply)
    }
}

/// A step of the search with a sentence that describes it.
#[derive(Clone, Debug)]
pub(super) struct PictureStep {
    pub event: TraceEvent,
    pub sentence: String,
}

/// The drawing of a search; see the module documentation.
#[derive(Clone, Debug)]
pub struct TreePicture {
    pub(super) algorithm: &'static Algorithm,
    pub(super) depth: u32,
    pub(super) value: Value,
    pub(super) best: String,
    pub(super) line: Vec<String>,
    pub(super) counters: SearchCounters,
    pub(super) nodes: Vec<PictureNode>,
    pub(super) steps: Vec<PictureStep>,
    /// Whether nodes or steps were omitted from the trace.
    pub(super) truncated: bool,
    pub(super) names: ValueNames,
}

/// The notation of values: the names given by the game, and `+∞` and `-∞`.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueNames(pub BTreeMap<Value, String>);

impl ValueNames {
    /// Collects the names of the values in a trace that differ from the decimal number.
    fn new<G: GameTree>(game: &G, events: &[TraceEvent], value: Value) -> Self {
        let values = events.iter().flat_map(|event| match *event {
            TraceEvent::Pass { .. } | TraceEvent::ReSearch { .. } => [value; 2],
            TraceEvent::Enter { alpha, beta, .. } => [alpha, beta],
            TraceEvent::Leaf { value, .. }
            | TraceEvent::Tentative { value, .. }
            | TraceEvent::Leave { value, .. }
            | TraceEvent::MemoryHit { value, .. }
            | TraceEvent::Cut { bound: value, .. }
            | TraceEvent::SelectState { merit: value, .. } => [value; 2],
        });
        let mut names: BTreeMap<Value, String> = BTreeMap::new();
        for value in values.chain([value]) {
            names.entry(value).or_insert_with(|| game.value_name(value));
        }
        names.retain(|value, name| *name != value.to_string());
        Self(names)
    }

    /// Formats a value as the game does; the bounds of an open window as `+∞` and `-∞`.
    pub fn text(&self, value: Value) -> String {
        match self.0.get(&value) {
            _ if value >= UNBOUNDED => "+∞".to_owned(),
            _ if value <= -UNBOUNDED => "-∞".to_owned(),
            Some(name) => name.clone(),
            None => value.to_string(),
        }
    }

    /// Formats a window: `(2, +∞)`.
    pub fn window(&self, (alpha, beta): (Value, Value)) -> String {
        format!("({}, {})", self.text(alpha), self.text(beta))
    }

    /// Formats a value with its bound: `= 5`, `≤ 4`, `≥ 6`.
    pub fn bound(&self, (value, bound): (Value, Bound)) -> String {
        let sign = match bound {
            Bound::Lower => "≥",
            Bound::Upper => "≤",
            Bound::Exact => "=",
        };
        format!("{sign} {}", self.text(value))
    }

    /// Formats a value with its bound for a sentence.
    fn in_words(&self, value: Value, bound: Bound) -> String {
        let value = self.text(value);
        match bound {
            Bound::Lower => format!("at least {value}"),
            Bound::Upper => format!("at most {value}"),
            Bound::Exact => value,
        }
    }
}

impl TreePicture {
    /// Builds the picture of a recorded search of `game` to `depth` plies.
    #[must_use]
    pub fn new<G: GameTree>(
        game: &G,
        trace: &Trace<G::Move>,
        outcome: &TreeSearchOutcome<G::Move>,
        algorithm: &'static Algorithm,
        depth: u32,
    ) -> Self {
        let mut nodes: Vec<PictureNode> = Vec::with_capacity(trace.nodes.len());
        for node in &trace.nodes {
            let parent = node.parent.map(|parent| parent as usize);
            let label = if parent.is_none() { game.root_name() } else { node.name.clone() };
            let full_name = match parent {
                None | Some(0) => label.clone(),
                Some(parent) => {
                    let parent = nodes[parent].full_name.as_str();
                    // Abbreviated, because the path to a deep node can be thousands of plies long.
                    game.node_name(if parent.len() > MAX_NAME_BYTES { "…" } else { parent }, &label)
                }
            };
            nodes.push(PictureNode {
                parent,
                children: node.children.iter().map(|&child| child as usize).collect(),
                ply: node.ply,
                index: node.index,
                label,
                full_name,
                description: node.description.clone(),
                order: None,
                window: None,
                value: None,
                leaf: false,
                cut: None,
                on_pv: false,
                searched: false,
            });
        }
        let mut line = Vec::new();
        let mut at = 0;
        nodes[0].on_pv = true;
        for mv in &outcome.principal_variation {
            let next = trace.child(at as u32, *mv);
            if next == Trace::<G::Move>::NOT_RECORDED {
                break;
            }
            at = next as usize;
            nodes[at].on_pv = true;
            line.push(nodes[at].label.clone());
        }
        let mut picture = Self {
            algorithm,
            depth,
            value: outcome.value,
            best: line.first().cloned().unwrap_or_else(|| "-".to_owned()),
            line,
            counters: outcome.counters,
            nodes,
            steps: Vec::with_capacity(trace.events.len()),
            truncated: trace.truncated,
            names: ValueNames::new(game, &trace.events, outcome.value),
        };
        let (mut visited, mut pass) = (0, 0);
        for event in &trace.events {
            if let TraceEvent::Pass { number } = *event {
                pass = number;
            }
            let sentence = picture.apply_event(event, &mut visited, pass);
            picture.steps.push(PictureStep { event: event.clone(), sentence });
        }
        // At the end of the search the bounds are equal, although the last pass proved only one of them.
        picture.nodes[0].value = Some((outcome.value, Bound::Exact));
        picture
    }

    /// Applies an event to the nodes and returns a sentence that describes it.
    fn apply_event(&mut self, event: &TraceEvent, visited: &mut usize, pass: u64) -> String {
        match *event {
            TraceEvent::Pass { number: 1 } => "The search begins.".to_owned(),
            TraceEvent::Pass { number } => format!("Pass {number} begins at the root."),
            TraceEvent::Enter { node, alpha, beta } => {
                let again = self.nodes[node as usize].order.is_some();
                // An earlier iteration of iterative deepening may have evaluated the parent as a leaf.
                if let Some(parent) = self.nodes[node as usize].parent {
                    self.nodes[parent].leaf = false;
                }
                for child in self.nodes[node as usize].children.clone() {
                    self.nodes[child].searched = false;
                }
                let node = &mut self.nodes[node as usize];
                if node.order.is_none() {
                    *visited += 1;
                    node.order = Some(*visited);
                }
                node.window = Some((alpha, beta));
                node.value = None;
                node.cut = None;
                node.searched = true;
                let verb = if again { "Visit again" } else { "Visit" };
                let kind = self.algorithm.node_label(node.kind());
                let window = match self.algorithm.id {
                    _ if !self.algorithm.has_windows() => String::new(),
                    AlgorithmId::AndOrShallow => {
                        format!(" with the bounds {} of its parent", self.names.window((alpha, beta)))
                    }
                    AlgorithmId::AndOrDeep => {
                        format!(" with the bounds {} of its ancestors", self.names.window((alpha, beta)))
                    }
                    _ => format!(" with the window {}", self.names.window((alpha, beta))),
                };
                format!("{verb} {} ({kind}){window}.", node.full_name)
            }
            TraceEvent::Leaf { node, value } => {
                let node = &mut self.nodes[node as usize];
                node.leaf = true;
                node.value = Some((value, Bound::Exact));
                format!("Leaf {} is worth {}.", node.full_name, self.names.text(value))
            }
            TraceEvent::Tentative { node, value } => {
                let name = &self.nodes[node as usize].full_name;
                format!("The tentative value of {name} is now {}.", self.names.text(value))
            }
            TraceEvent::Cut { node, bound, by } => self.apply_cutoff(node as usize, bound, by.map(|by| by as usize)),
            TraceEvent::Leave { node, value, bound } => {
                let node = &mut self.nodes[node as usize];
                node.value = Some((value, bound));
                let name = &node.full_name;
                let value = self.names.in_words(value, bound);
                match bound {
                    // A later iteration searches the node more deeply.
                    Bound::Exact
                        if self.algorithm.id == AlgorithmId::IterativeDeepening && pass < u64::from(self.depth) =>
                    {
                        format!("{name} is worth {value} at depth {pass}.")
                    }
                    Bound::Exact => format!("{name} is final: {value}."),
                    _ => format!("{name} is worth {value}; its search ends with this bound."),
                }
            }
            TraceEvent::MemoryHit { node, value, bound } => {
                let node = &mut self.nodes[node as usize];
                node.value = Some((value, bound));
                format!("The value of {} is found in memory: {}.", node.full_name, self.names.in_words(value, bound))
            }
            TraceEvent::ReSearch { node } => {
                format!("{} is searched again with a new window.", self.nodes[node as usize].full_name)
            }
            TraceEvent::SelectState { node, merit, solved } => {
                let node = &mut self.nodes[node as usize];
                if solved && node.leaf {
                    return format!("OPEN: {} is solved, with merit {}.", node.full_name, self.names.text(merit));
                }
                if solved {
                    // Merits only decrease in SSS*, so the value is at least the merit; in DUAL* they only increase.
                    let bound = match self.algorithm.id {
                        _ if node.parent.is_none() => Bound::Exact,
                        AlgorithmId::DualStar => Bound::Upper,
                        _ => Bound::Lower,
                    };
                    node.value = Some((merit, bound));
                }
                let state = if solved { "solved" } else { "live" };
                format!("OPEN: the best state is {}, {state}, with merit {}.", node.full_name, self.names.text(merit))
            }
        }
    }

    /// Applies a cutoff to a node and returns a sentence that describes it: the children that this visit skips.
    fn apply_cutoff(&mut self, index: usize, bound: Value, by: Option<usize>) -> String {
        self.nodes[index].cut = Some((bound, by));
        let node = &self.nodes[index];
        let skipped: Vec<&str> = node
            .children
            .iter()
            .filter(|&&child| !self.nodes[child].searched)
            .map(|&child| self.nodes[child].label.as_str())
            .collect();
        let rest = match skipped.len() {
            // The children are beyond the node limit of the trace.
            0 => String::new(),
            1..=6 => format!(" Skipped: {}.", skipped.join(", ")),
            more => format!(" Skipped: {} and {} more.", skipped[..4].join(", "), more - 4),
        };
        let side = if node.kind() == NodeKind::Max { "≥" } else { "≤" };
        let origin = match by {
            Some(by) => format!("the tentative value of {}", self.nodes[by].full_name),
            None => "a bound of the window".to_owned(),
        };
        format!("Cutoff at {}: its value is {side} {}, {origin}.{rest}", node.full_name, self.names.text(bound))
    }

    /// Formats a cutoff: `6 ≥ 2 of B`.
    pub(super) fn cut_text(&self, node: &PictureNode) -> Option<String> {
        let (bound, by) = node.cut?;
        let side = if node.kind() == NodeKind::Max { "≥" } else { "≤" };
        let value = node.value.map_or_else(String::new, |(value, _)| self.names.text(value));
        let origin = by.map_or_else(|| "the window".to_owned(), |by| self.nodes[by].label.clone());
        Some(format!("{value} {side} {} of {origin}", self.names.text(bound)))
    }

    /// Returns the two title lines.
    pub(super) fn headline(&self) -> (String, String) {
        let counters = &self.counters;
        let count = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let cutoffs = if self.algorithm.has_windows() {
            format!(
                ", {} ({} alpha, {} beta; {} deep)",
                count(counters.cutoffs(), "cutoff", "cutoffs"),
                counters.alpha_cutoffs,
                counters.beta_cutoffs,
                counters.deep_cutoffs
            )
        } else {
            String::new()
        };
        let passes = if counters.passes > 1 { format!(", {} passes", counters.passes) } else { String::new() };
        let again = if counters.re_searches > 0 {
            format!(", {}", count(counters.re_searches, "re-search", "re-searches"))
        } else {
            String::new()
        };
        (
            format!(
                "{}, depth {}: value {}, best {}",
                self.algorithm.name,
                self.depth,
                self.names.text(self.value),
                self.best
            ),
            format!(
                "{} evaluated, {} visited{cutoffs}{passes}{again}",
                count(counters.leaves, "leaf", "leaves"),
                count(counters.nodes, "node", "nodes")
            ),
        )
    }
}

impl Algorithm {
    /// Returns whether the algorithm uses an OPEN list instead of windows.
    pub(super) const fn is_best_first(&self) -> bool {
        matches!(self.id, AlgorithmId::SssStar | AlgorithmId::DualStar)
    }

    /// Returns whether the nodes have windows or bounds of ancestors, which cause cutoffs.
    pub(super) const fn has_windows(&self) -> bool {
        !self.is_best_first()
            && !matches!(self.id, AlgorithmId::Minimax | AlgorithmId::ExplicitStack | AlgorithmId::Negamax)
    }

    /// Returns the name of a node kind in the literature of this algorithm.
    pub(super) fn node_label(&self, kind: NodeKind) -> &'static str {
        let and_or = matches!(self.id, AlgorithmId::AndOrShallow | AlgorithmId::AndOrDeep);
        match (kind, and_or) {
            (NodeKind::Max, false) => "MAX",
            (NodeKind::Min, false) => "MIN",
            (NodeKind::Max, true) => "OR",
            (NodeKind::Min, true) => "AND",
        }
    }
}
