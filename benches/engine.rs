//! Benchmarks of hot functions: `cargo bench`. Compare results only within one run.

use aspirant::board::movegen::{self, GenType, PackedMove};
use aspirant::board::position::{Position, parse_fen};
use aspirant::board::see;
use aspirant::engine::DefaultEvaluator;
use aspirant::eval::{Evaluator, evaluate};
use aspirant::search::memory::transposition::{TranspositionTable, TtEntry};
use aspirant::tools::{bench, perft};
use divan::{Bencher, black_box};
use shakmaty::{Move, Position as _};
use std::sync::atomic::AtomicBool;

fn main() {
    divan::main();
}

/// Bench positions with at least one legal move.
fn positions() -> Vec<Position> {
    let all = bench::POSITIONS.iter().filter_map(|fen| parse_fen(fen).ok());
    all.filter(|position| !position.chess().legal_moves().is_empty()).collect()
}

fn moves() -> Vec<(Position, Move)> {
    let all = positions().into_iter();
    all.flat_map(|position| position.chess().legal_moves().into_iter().map(move |m| (position.clone(), m))).collect()
}

mod generation {
    use super::*;

    #[divan::bench]
    fn shakmaty_legal_moves(bencher: Bencher) {
        let positions = positions();
        bencher.counter(positions.len()).bench_local(|| {
            positions.iter().map(|position| black_box(position.chess().legal_moves()).len()).sum::<usize>()
        });
    }

    #[divan::bench(args = [GenType::Noisy, GenType::Quiet])]
    fn by_type(bencher: Bencher, gen_type: GenType) {
        let positions = positions();
        bencher.counter(positions.len()).bench_local(|| {
            let mut count = 0usize;
            for position in &positions {
                movegen::generate(position, gen_type, |m| {
                    black_box(m);
                    count += 1;
                });
            }
            count
        });
    }

    #[divan::bench]
    fn unpack_tt_move(bencher: Bencher) {
        let moves: Vec<_> = moves().into_iter().map(|(position, m)| (position, PackedMove::from(m))).collect();
        bencher
            .counter(moves.len())
            .bench_local(|| moves.iter().filter(|(position, packed)| packed.unpack(position).is_some()).count());
    }
}

mod make_move {
    use super::*;

    #[divan::bench]
    fn shakmaty_clone_and_play(bencher: Bencher) {
        let moves = moves();
        bencher.counter(moves.len()).bench_local(|| {
            for (position, m) in &moves {
                let mut child = position.chess().clone();
                child.play_unchecked(*m);
                black_box(child);
            }
        });
    }

    #[divan::bench]
    fn position_with_keys_and_checkers(bencher: Bencher) {
        let moves = moves();
        bencher.counter(moves.len()).bench_local(|| {
            for (position, m) in &moves {
                black_box(position.play(*m));
            }
        });
    }

    #[divan::bench]
    fn null_move(bencher: Bencher) {
        let positions = positions();
        bencher.counter(positions.len()).bench_local(|| {
            positions.iter().filter(|position| black_box(position.after_null_move()).is_some()).count()
        });
    }
}

mod evaluation {
    use super::*;

    #[divan::bench]
    fn from_scratch(bencher: Bencher) {
        let positions = positions();
        let mut evaluator = DefaultEvaluator::default();
        bencher
            .counter(positions.len())
            .bench_local(|| positions.iter().map(|position| evaluate(&mut evaluator, position)).sum::<i32>());
    }

    #[divan::bench]
    fn accumulator_and_score(bencher: Bencher) {
        let mut evaluator = DefaultEvaluator::default();
        let moves: Vec<_> = moves().into_iter().map(|(p, m)| (evaluator.refresh(&p), p, m)).collect();
        let mut score = |(acc, position, m): &(_, Position, Move)| {
            let acc = evaluator.apply(acc, position, *m);
            evaluator.score(&acc, position)
        };
        bencher.counter(moves.len()).bench_local(|| moves.iter().map(&mut score).sum::<i32>());
    }

    #[divan::bench]
    fn see(bencher: Bencher) {
        let captures: Vec<_> = moves().into_iter().filter(|(_, m)| m.is_capture()).collect();
        bencher
            .counter(captures.len())
            .bench_local(|| captures.iter().filter(|(position, m)| see::see_at_least(position, *m, 0)).count());
    }

    #[divan::bench]
    fn gives_check(bencher: Bencher) {
        let moves = moves();
        bencher
            .counter(moves.len())
            .bench_local(|| moves.iter().filter(|(position, m)| movegen::gives_check(position, *m)).count());
    }
}

#[divan::bench]
fn tt_store_and_probe(bencher: Bencher) {
    let tt = TranspositionTable::new(16);
    let entry =
        TtEntry { best: PackedMove(77), score: 12, eval: 7, depth: 5, bound: aspirant::score::Bound::Exact, pv: false };
    let mut key = 1u64;
    bencher.counter(1usize).bench_local(|| {
        key = key.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        tt.store(key, entry);
        tt.probe(key)
    });
}

#[divan::bench(args = [false, true], sample_count = 5)]
fn perft_6(bencher: Bencher, shakmaty: bool) {
    let position = Position::default();
    bencher.counter(119_060_324usize).bench_local(|| match shakmaty {
        true => shakmaty::perft(position.chess(), 6),
        false => perft::perft(&position, 6, 1, &AtomicBool::new(false)).unwrap_or(0),
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn search_depth_9() -> u64 {
    let request = bench::BenchRequest { depth: 9, ..bench::BenchRequest::default() };
    bench::run(&request, &AtomicBool::new(false), &mut |_| {}).map_or(0, |total| total.nodes)
}
