//! The evaluator: hidden sums for each ply of the search, computed when a score needs them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use aspirant::eval::piece_changes;
use aspirant::prelude::*;
use aspirant::shakmaty::{CastlingSide, File};

use crate::network::{self, Changes, Network, NetworkError, Neurons};

/// The network of the build; its settings and losses are in `network.toml`.
const BUILT_IN: &[u8] = include_bytes!("../network.bin");
const _: () = assert!(BUILT_IN.len() == network::FILE_SIZE, "network.bin does not have the layers of src/network.rs");

/// The network that all clones of an evaluator use from their next search on.
#[derive(Clone, Debug)]
pub struct Selection(Arc<Mutex<Arc<Network>>>);

impl Selection {
    /// Selects the network in a file, or the built-in one without a path.
    ///
    /// # Errors
    /// [`NetworkError`]; the selection is unchanged then.
    pub fn select(&self, path: Option<&str>) -> Result<(), NetworkError> {
        let network = match path.filter(|path| !path.is_empty()) {
            Some(path) => Network::read(Path::new(path))?,
            None => Network::from_bytes(BUILT_IN)?,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(network);
        Ok(())
    }

    fn network(&self) -> Arc<Network> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The hidden sums of one ply.
#[derive(Clone, Copy, Debug)]
struct Ply {
    /// By color of the view; valid if `is_computed`.
    sums: [Neurons; 2],
    is_computed: [bool; 2],
    /// The move that leads here and its side; `None` at the root.
    last_move: Option<(Color, Move)>,
}

impl Ply {
    const ROOT: Self = Self { sums: [Neurons::ZERO; 2], is_computed: [false; 2], last_move: None };
}

/// An evaluator with a network.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator {
    selection: Selection,
    network: Arc<Network>,
    /// By ply. What it contains beyond the current ply belongs to nodes that the search has left.
    path: Vec<Ply>,
}

impl NetworkEvaluator {
    /// Returns an evaluator with the network of the build.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn built_in() -> Result<Self, NetworkError> {
        Ok(Self::new(Network::from_bytes(BUILT_IN)?))
    }

    /// Returns an evaluator with a network.
    #[must_use]
    pub fn new(network: Network) -> Self {
        let network = Arc::new(network);
        Self { selection: Selection(Arc::new(Mutex::new(Arc::clone(&network)))), network, path: vec![Ply::ROOT] }
    }

    /// Returns the selection that this evaluator and its clones share.
    #[must_use]
    pub fn selection(&self) -> Selection {
        self.selection.clone()
    }

    /// Computes the sums of a view at a ply from the nearest ply that has them, or from the board if the view was
    /// mirrored since then.
    fn compute(&mut self, view: Color, ply: usize, position: &Position) {
        let side = view as usize;
        let mut first = ply;
        while !self.path[first].is_computed[side] {
            match self.path[first].last_move {
                Some((turn, m)) if turn != view || !mirrors_view(turn, m) => first -= 1,
                _ => {
                    self.path[ply].sums[side] = self.network.sums(view, is_mirrored(view, position), position.board());
                    self.path[ply].is_computed[side] = true;
                    return;
                }
            }
        }
        if first == ply {
            return;
        }
        let is_mirrored = is_mirrored(view, position);
        for n in first..ply {
            let (before, after) = self.path.split_at_mut(n + 1);
            let (before, after) = (&before[n], &mut after[0]);
            if let Some((turn, m)) = after.last_move {
                let mut changes = Changes::default();
                piece_changes(turn, m, |piece, square, added| {
                    changes.push(Network::input(view, is_mirrored, piece, square), added);
                });
                self.network.update(&changes, &before.sums[side], &mut after.sums[side]);
                after.is_computed[side] = true;
            }
        }
    }
}

/// Returns whether the view of a side is mirrored: its king is on files e to h.
fn is_mirrored(view: Color, position: &Position) -> bool {
    position.board().king_of(view).is_some_and(|king| king.file() >= File::E)
}

/// Returns whether a move of the side mirrors its view.
fn mirrors_view(turn: Color, m: Move) -> bool {
    let (from, to) = match m {
        Move::Normal { role: Role::King, from, to, .. } => (from, to),
        Move::Castle { king, rook } => (king, CastlingSide::from_queen_side(rook < king).king_to(turn)),
        _ => return false,
    };
    (from.file() >= File::E) != (to.file() >= File::E)
}

impl Evaluator for NetworkEvaluator {
    /// The ply.
    type Acc = usize;

    fn refresh(&mut self, _root: &Position) -> usize {
        self.network = self.selection.network();
        self.path[0] = Ply::ROOT;
        0
    }

    #[inline]
    fn apply(&mut self, &ply: &usize, before: &Position, m: Move) -> usize {
        if self.path.len() == ply + 1 {
            self.path.push(Ply::ROOT);
        }
        let next = &mut self.path[ply + 1];
        next.is_computed = [false; 2];
        next.last_move = Some((before.turn(), m));
        ply + 1
    }

    #[inline]
    fn score(&mut self, &ply: &usize, position: &Position) -> Score {
        let turn = position.turn();
        self.compute(turn, ply, position);
        self.compute(!turn, ply, position);
        let sums = [turn, !turn].map(|view| &self.path[ply].sums[view as usize]);
        self.network.output(sums, position.board().occupied().count())
    }
}
