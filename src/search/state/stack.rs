//! State of one ply: the frames of the current path and the principal variations.
//!
//! A frame is read by deeper nodes (continuation history, improving) and by siblings (killer).

use arrayvec::ArrayVec;
use shakmaty::Move;

use crate::board::movegen::Threats;
use crate::score::{MAX_PLY, Score};
use crate::search::moves::history::{ContHistContext, NO_PIECE_TO};

/// A principal variation.
pub(in crate::search) type Pv = ArrayVec<Move, MAX_PLY>;

/// Stack frame: the state of one ply of the current path.
#[derive(Clone, Default)]
pub(in crate::search) struct Frame {
    /// Corrected static evaluation; `-INFINITY` in check.
    pub(in crate::search) static_eval: Score,
    /// Whether the side to move is in check.
    pub(in crate::search) in_check: bool,
    /// Index of the move made at this ply, for continuation history
    /// ([`piece_to_index`](crate::search::moves::history::piece_to_index)).
    pub(in crate::search) conthist_index: usize,
    /// The move made at this ply; `None` for a null move.
    pub(in crate::search) current_move: Option<Move>,
    /// Number of the move made at this ply, counted from 1; set in the move loop.
    pub(in crate::search) move_number: i32,
    /// Squares attacked by the opponent; set before the move loop.
    pub(in crate::search) threats: Threats,
    /// Killer move: a quiet move that caused a cutoff at this ply in a sibling node; after a null move and in ProbCut,
    /// also in a cousin, because only the move loop of the parent clears it.
    pub(in crate::search) killer: Option<Move>,
    /// The move excluded by a singular search.
    pub(in crate::search) excluded: Option<Move>,
    /// Number of cutoffs among the nodes at this ply since the grandparent was entered; at ply 1, in this search.
    pub(in crate::search) cutoffs: u32,
    /// Number of double extensions on the path to this node.
    pub(in crate::search) double_extensions: i32,
}

/// The stack of the current path. Sentinel frames before the root make look-backs unconditional.
pub(in crate::search) struct Stack {
    frames: Vec<Frame>,
    /// The PV from each ply. Only PV nodes use them, so they are kept apart from the frames.
    pub(in crate::search) pvs: Vec<Pv>,
}

impl Stack {
    /// Number of sentinel frames; look-backs go at most this many plies.
    const BEFORE_ROOT: usize = 4;

    /// Returns an empty stack; `None` when out of memory.
    pub(in crate::search) fn try_new() -> Option<Self> {
        let empty = Frame { conthist_index: NO_PIECE_TO, ..Frame::default() };
        let frames = try_filled(empty, Self::BEFORE_ROOT + MAX_PLY + 4)?;
        Some(Self { frames, pvs: try_filled(Pv::new(), MAX_PLY + 2)? })
    }

    /// Resets the stack.
    ///
    /// The PVs are only truncated: overwriting half a megabyte would show in searches of a millisecond.
    pub(in crate::search) fn clear(&mut self) {
        self.frames.fill(Frame { conthist_index: NO_PIECE_TO, ..Frame::default() });
        self.pvs.iter_mut().for_each(Pv::clear);
    }

    pub(in crate::search) fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[Self::BEFORE_ROOT + ply]
    }

    /// Returns the frame `plies` plies before `ply`; at most [`Stack::BEFORE_ROOT`].
    pub(in crate::search) fn back(&self, ply: usize, plies: usize) -> &Frame {
        &self.frames[Self::BEFORE_ROOT + ply - plies]
    }

    /// Returns the moves that led to `ply` and the threats stored there, as indices into the histories.
    pub(in crate::search) fn conthist_context(&self, ply: usize) -> ContHistContext {
        let moves =
            [self.back(ply, 1).conthist_index, self.back(ply, 2).conthist_index, self.back(ply, 4).conthist_index];
        ContHistContext { moves, threats: self.back(ply, 0).threats }
    }

    /// Sets the PV of `ply` to `m` followed by the PV of the next ply.
    pub(in crate::search) fn extend_pv(&mut self, ply: usize, m: Move) {
        let (upto_ply, below) = self.pvs.split_at_mut(ply + 1);
        let (Some(pv), Some(child_pv)) = (upto_ply.last_mut(), below.first()) else { return };
        pv.clear();
        pv.push(m);
        let capacity = pv.remaining_capacity();
        pv.extend(child_pv.iter().copied().take(capacity));
    }

    pub(in crate::search) fn clear_pv(&mut self, ply: usize) {
        if let Some(pv) = self.pvs.get_mut(ply) {
            pv.clear();
        }
    }
}

/// Fallible `Vec::with_capacity`; returns `None` when out of memory.
pub(in crate::search) fn try_with_capacity<T>(capacity: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity).ok()?;
    Some(vec)
}

/// Fallible `vec![value; length]`; returns `None` when out of memory.
pub(in crate::search) fn try_filled<T: Clone>(value: T, length: usize) -> Option<Vec<T>> {
    let mut vec = try_with_capacity(length)?;
    vec.resize(length, value);
    Some(vec)
}
