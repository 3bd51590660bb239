//! The reference algorithms, one file each.

pub mod alpha_beta;
pub mod alpha_beta_with_memory;
pub mod and_or;
pub mod aspiration;
pub mod branch_and_bound;
pub mod enhanced_transposition_cutoffs;
pub mod explicit_stack;
pub mod fail_soft;
pub mod iterative_deepening;
pub mod max_n;
pub mod minimal_configuration;
pub mod minimax;
pub mod minimax_form;
pub mod mtd;
pub mod negamax;
pub mod negascout;
pub mod proof_number_search;
pub mod pvs;
pub mod quiescence;
pub mod scout;
pub mod sss_star;
