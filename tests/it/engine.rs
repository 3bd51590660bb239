//! The engine as a library: one best move per search, stop handles, dropping it, typed option errors.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use aspirant::board::game::Game;
use aspirant::board::position::parse_fen;
use aspirant::book::BookError;
use aspirant::config::Config;
use aspirant::config::options::OptionError;
use aspirant::engine::{BuildError, Engine, ExtraOption, SetOptionError};
use aspirant::score::{Bound, EVAL_LIMIT, Score};
use aspirant::search::limits::Limits;
use aspirant::search::report::{Reporter, SearchResult};
use aspirant::tools::bench;
use aspirant::uci::Session;

use crate::common::Dir;
use crate::common::books::{E2E4, START, book};
use crate::common::evaluator::{FnEvaluator, PANICKING};

/// Generous, because tests run beside each other; the engine itself needs milliseconds.
const TIMEOUT: Duration = Duration::from_secs(20);

struct Recorder(Sender<SearchResult>);

impl Reporter for Recorder {
    fn finished(&mut self, result: &SearchResult) {
        let _ = self.0.send(result.clone());
    }
}

fn recorder() -> (Box<Recorder>, Receiver<SearchResult>) {
    let (sender, answers) = channel();
    (Box::new(Recorder(sender)), answers)
}

/// Runs `task` on a thread of its own and fails if it does not return in time.
#[track_caller]
fn within_timeout<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, result) = channel();
    std::thread::spawn(move || sender.send(task()));
    result.recv_timeout(TIMEOUT).expect("the call does not return")
}

#[test]
fn dropping_an_engine_stops_its_search_and_reports_one_best_move() {
    for limits in [Limits::infinite(), Limits { ponder: true, ..Limits::move_time(50) }, Limits::default()] {
        let mut engine = Engine::new(Config::default()).unwrap();
        let (reporter, answers) = recorder();
        engine.go(limits.clone(), reporter);
        std::thread::sleep(Duration::from_millis(30));
        within_timeout(move || drop(engine));
        assert!(answers.try_recv().is_ok_and(|answer| answer.best_move().is_some()), "{limits:?}");
        assert!(answers.try_recv().is_err(), "{limits:?}: a second best move");
    }
}

#[test]
fn book_move_is_answered_when_the_evaluator_panics() {
    let dir = Dir::new();
    let book = dir.file("book.bin", book(&[(START, E2E4, 1)]));
    let mut config = Config::default();
    config.options.set("OwnBook", "true").unwrap();
    config.options.set("Book File", book.to_str().unwrap()).unwrap();
    let mut engine = Engine::builder().config(config).evaluator(PANICKING).build().unwrap();
    for _ in 0..2 {
        let (reporter, answers) = recorder();
        engine.go(Limits::move_time(1000), reporter);
        engine.wait();
        let answer = answers.try_recv().expect("a best move");
        assert_eq!(answer.best_move().map(|m| m.to_string()).as_deref(), Some("e2-e4"));
        assert!(answers.try_recv().is_err(), "a second best move");
    }
}

#[test]
fn stop_handle_obtained_before_a_search_stops_it() {
    let mut engine = Engine::new(Config::default()).unwrap();
    let handle = engine.stop_handle();
    for _ in 0..3 {
        let (searching, is_finished) = channel();
        let stopper = std::thread::spawn({
            let handle = handle.clone();
            // Repeated, because a stop before the search begins has no effect.
            move || {
                while is_finished.recv_timeout(Duration::from_millis(20)).is_err() {
                    handle.stop();
                }
            }
        });
        let answer;
        (engine, answer) = within_timeout(move || {
            let answer = engine.search(Limits::infinite());
            (engine, answer)
        });
        assert!(answer.best_move().is_some());
        searching.send(()).unwrap();
        stopper.join().unwrap();
    }
}

#[test]
fn stop_between_searches_does_not_end_the_next_search() {
    let mut engine = Engine::new(Config::default()).unwrap();
    let handle = engine.stop_handle();
    handle.stop();
    for _ in 0..3 {
        let (reporter, answers) = recorder();
        engine.go(Limits::infinite(), reporter);
        assert!(answers.recv_timeout(Duration::from_millis(100)).is_err(), "the search ended without a stop");
        handle.stop();
        assert!(answers.recv_timeout(TIMEOUT).is_ok_and(|answer| answer.best_move().is_some()));
        engine.wait();
        handle.stop();
    }
}

#[test]
fn set_option_returns_an_error_for_a_book_that_cannot_be_opened() {
    let mut engine = Engine::new(Config::default()).unwrap();
    let result = engine.set_option("Book File", "no/such/book.bin");
    assert!(matches!(result, Err(SetOptionError::Book(BookError::Read { .. }))), "{result:?}");
    assert_eq!(engine.options().book_file(), "no/such/book.bin", "the option is set nevertheless");
    assert!(engine.search(Limits::depth(2)).best_move().is_some());
}

#[test]
fn set_option_distinguishes_errors_from_notices() {
    let mut engine = Engine::new(Config::default()).unwrap();
    let result = engine.set_option("SyzygyPath", "no/such/folder");
    assert!(matches!(result, Err(SetOptionError::Tablebases(_))), "{result:?}");
    let result = engine.set_option("Hash", "0");
    assert!(matches!(result, Err(SetOptionError::Option(OptionError::Value { name: "Hash", .. }))), "{result:?}");
    assert_eq!(engine.options().hash(), Config::default().options.hash(), "nothing is changed");
    assert_eq!(engine.set_option("Hash", "2").unwrap(), None);
}

#[test]
fn builder_rejects_invalid_extra_options() {
    for (option, part) in [
        (ExtraOption::check("Hash", true), "already in use"),
        (ExtraOption::check("max depth", true), "must not contain the words"),
        (ExtraOption::text("", ""), "separated by single spaces"),
        (ExtraOption::text("Line", "a\nuciok"), "must not contain control characters"),
        (ExtraOption::spin("Weight", 7, 0..=3), "outside of the range"),
        (ExtraOption::combo("Style", "Solid", &["Wild"]), "not one of the values"),
        (ExtraOption::combo("Style", "Solid", &["Solid", "a var b"]), "must not contain the words"),
    ] {
        let error = Engine::builder().option(option).build().err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }
    let twice = Engine::builder().option(ExtraOption::button("A")).option(ExtraOption::button("a")).build();
    assert!(matches!(twice, Err(BuildError::Option { name: "a", .. })));
}

#[test]
fn extra_options_are_set_during_a_search_and_may_be_restricted() {
    let mut config = Config::default();
    config.restricted = true;
    let (sender, pressed) = channel();
    let button = ExtraOption::button("Press").on_change(move |_| Ok(sender.send(())?));
    let builder = Engine::builder().config(config).option(ExtraOption::file("Net", "a.net")).option(button);
    let mut engine = builder.build().unwrap();
    let (reporter, answers) = recorder();
    engine.go(Limits::infinite(), reporter);
    engine.set_option("press", "").unwrap();
    assert!(answers.try_recv().is_ok_and(|answer| answer.best_move().is_some()), "the search is stopped first");
    assert!(pressed.try_recv().is_ok() && pressed.try_recv().is_err());
    let error = engine.set_option("Net", "b.net");
    assert!(matches!(error, Err(SetOptionError::Option(OptionError::Restricted { name: "Net" }))), "{error:?}");
    assert_eq!(engine.extra_option("NET").and_then(|value| value.as_text()), Some("a.net"));
}

#[test]
fn option_keeps_its_value_if_its_function_panics() {
    let option = ExtraOption::spin("Weight", 3, 0..=9).on_change(|_| panic!("a defect of the engine"));
    let engine = Engine::builder().option(option).build().unwrap();
    let mut session = Session::new(engine, |_: &str| ());
    assert!(session.handle_line("setoption name Weight value 5"));
    assert_eq!(session.engine().extra_option("Weight").and_then(|value| value.as_integer()), Some(3));
    session.finish();
}

fn answers_of(engine: Engine, commands: &[&str]) -> Vec<String> {
    let (sender, lines) = channel();
    let mut session = Session::new(engine, move |line: &str| drop(sender.send(line.to_owned())));
    for line in commands {
        assert!(session.handle_line(line), "{line}");
    }
    session.finish();
    lines.iter().collect()
}

#[test]
fn rejected_value_is_reported_and_changes_nothing() {
    let option = ExtraOption::combo("Style", "Solid", &["Solid", "Wild"]);
    let option = option.on_change(|value| match value.as_text() {
        Some("Wild") => Err("not available".into()),
        _ => Ok(()),
    });
    let mut engine = Engine::builder().option(option).build().unwrap();
    assert!(matches!(engine.set_option("Style", "wild"), Err(SetOptionError::Rejected { option: "Style", .. })));
    assert_eq!(engine.extra_option("Style").and_then(|value| value.as_text()), Some("Solid"));
    let lines = answers_of(engine, &["uci", "setoption name Style value WILD"]);
    for expected in [
        "option name Style type combo default Solid var Solid var Wild",
        "info string option 'Style': 'Wild' is rejected: not available; the former value is kept",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:#?}");
    }
}

#[test]
fn options_that_do_not_apply_are_absent_and_their_names_are_free() {
    let mut config = Config::default();
    config.options.set_threads(2).unwrap();
    let builder = Engine::builder().evaluator(FnEvaluator(|_| 0)).without_option("ponder").without_option("Threads");
    let engine = builder.config(config).option(ExtraOption::spin("UCI_Elo", 1500, 1000..=2000)).build().unwrap();
    let lines = answers_of(
        engine,
        &[
            "uci",
            "setoption name Ponder value true",
            "setoption name UCI_LimitStrength value true",
            "setoption name UCI_Elo value 1600",
            "isready",
        ],
    );
    assert!(
        lines.contains(&"info string option 'Threads' is ignored: this engine does not have it".into()),
        "{lines:#?}"
    );
    let is_offered = |name: &str| lines.iter().any(|line| line.starts_with(&format!("option name {name} ")));
    assert!(!is_offered("Ponder") && !is_offered("UCI_LimitStrength") && is_offered("Hash"), "{lines:#?}");
    let elo: Vec<_> = lines.iter().filter(|line| line.contains("UCI_Elo")).collect();
    assert_eq!(elo, ["option name UCI_Elo type spin default 1500 min 1000 max 2000"]);
    let unknown = lines.iter().filter(|line| line.contains("unknown option")).count();
    assert_eq!(unknown, 2, "{lines:#?}");
    let error = Engine::builder().without_option("Nonsense").build().unwrap_err().to_string();
    assert_eq!(error, "option 'Nonsense': no built-in option has this name");
}

#[test]
fn typed_setters_change_several_options_or_none() {
    let mut engine = Engine::builder().build().unwrap();
    engine.update_options(|options| options.set_hash(2)?.set_threads(2)?.set_multi_pv(3)).unwrap();
    assert_eq!((engine.options().hash(), engine.options().threads(), engine.options().multi_pv()), (2, 2, 3));
    let error = engine.update_options(|options| options.set_hash(4)?.set_threads(0));
    assert!(matches!(error, Err(SetOptionError::Option(OptionError::Value { name: "Threads", .. }))), "{error:?}");
    assert_eq!(engine.options().hash(), 2);
}

#[test]
fn search_result_describes_the_last_iteration() {
    let mut engine = Engine::builder().build().unwrap();
    let result = engine.search(Limits::depth(6));
    assert_eq!((result.depth, result.variations.len(), result.variations[0].depth), (6, 1, 6));
    assert!(result.best_move().is_some() && result.nodes > 100 && result.score().abs() < 200, "{result:?}");
}

#[test]
fn extreme_evaluations_are_clamped_and_never_reported_as_mates() {
    let (sender, lines) = channel();
    let extreme = FnEvaluator(|position| if position.key().is_multiple_of(2) { Score::MAX } else { Score::MIN });
    let engine = Engine::builder().evaluator(extreme).build().unwrap();
    let mut session = Session::new(engine, move |line: &str| drop(sender.send(line.to_owned())));
    for line in ["eval", "go depth 6"] {
        assert!(session.handle_line(line), "{line}");
    }
    session.finish();
    let lines: Vec<String> = lines.iter().collect();
    let scores: Vec<i32> = lines
        .iter()
        .filter_map(|line| line.split_once(" score ")?.1.strip_prefix("cp ")?.split(' ').next()?.parse().ok())
        .collect();
    assert!(lines.iter().all(|line| !line.contains("score mate")), "{lines:#?}");
    assert!(!scores.is_empty() && scores.iter().all(|score| score.abs() <= EVAL_LIMIT), "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 1, "{lines:#?}");
}

#[test]
fn panic_in_an_evaluator_gives_one_bestmove_and_the_session_continues() {
    let engine = Engine::builder().evaluator(PANICKING).build().unwrap();
    let (sender, lines) = channel();
    let mut session = Session::new(engine, move |line: &str| drop(sender.send(line.to_owned())));
    for line in ["position startpos moves e2e4", "go movetime 100", "eval", "isready"] {
        assert!(session.handle_line(line), "{line}");
    }
    session.finish();
    let lines: Vec<String> = lines.iter().collect();
    let best_moves: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert_eq!(best_moves.len(), 1, "{lines:#?}");
    assert_eq!(best_moves[0].len(), 4, "{lines:#?}");
    assert!(lines.iter().any(|line| line == "readyok"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info string internal error")), "{lines:#?}");
}

#[test]
fn panic_in_an_evaluator_is_reported_by_search_and_bench() {
    let mut engine = Engine::builder().evaluator(PANICKING).build().unwrap();
    let result = engine.search(Limits::depth(3));
    assert!(result.best_move().is_some(), "{result:?}");
    assert!(result.messages.iter().any(|text| text.contains("internal error")), "{result:?}");
    let engine = Engine::builder().evaluator(PANICKING).build().unwrap();
    let result = bench::run_engine(engine, 3, &AtomicBool::new(false), &mut |_| {});
    assert!(result.as_ref().is_err_and(|error| error.to_string().starts_with("bench: ")), "{result:?}");
}

#[test]
fn identity_does_not_depend_on_the_order_of_the_builder() {
    let engine = Engine::builder().version("2").name("Example").build().unwrap();
    assert_eq!(engine.identity().name_and_version(), "Example 2");
    assert_eq!(engine.identity().author, "the Example authors");
    for builder in [Engine::builder(), Engine::builder().name(" ")] {
        assert_eq!(builder.build().unwrap().identity().name, "Aspirant");
    }
}

#[test]
fn uci_on_stdin_rejects_an_inline_engine() {
    let engine = Engine::builder().inline().build().unwrap();
    assert!(aspirant::uci::run(engine).is_err());
}

/// Sends each result so far and `false`, then the final one and `true`.
struct Progress(Sender<(bool, SearchResult)>);

impl Reporter for Progress {
    fn progress(&mut self, result: &SearchResult) {
        let _ = self.0.send((false, result.clone()));
    }

    fn finished(&mut self, result: &SearchResult) {
        let _ = self.0.send((true, result.clone()));
    }
}

fn results(engine: &mut Engine, limits: Limits) -> Vec<(bool, SearchResult)> {
    let (sender, results) = channel();
    engine.go(limits, Box::new(Progress(sender)));
    results.iter().collect()
}

#[test]
fn every_iteration_is_reported_with_all_variations() {
    let mut engine = Engine::new(Config::default()).unwrap();
    engine.update_options(|options| options.set_multi_pv(3)).unwrap();
    let results = results(&mut engine, Limits::depth(6));
    let depths: Vec<i32> = results.iter().map(|(_, result)| result.depth).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 6, 6]);
    assert!(results.iter().map(|(is_final, _)| *is_final).eq([false, false, false, false, false, false, true]));
    for (_, result) in &results {
        assert_eq!(result.variations.len(), 3);
        assert!(result.variations.is_sorted_by_key(|variation| -variation.score), "{result:?}");
    }
}

#[test]
fn last_report_gives_the_final_result() {
    let mut config = Config::default();
    config.options.set_hash(1).unwrap();
    config.options.set("UCI_AnalyseMode", "true").unwrap();
    let mut engine = Engine::new(config).unwrap();
    // At the first node limit, a move that has failed high has just failed low.
    for (multi_pv, nodes) in [(1, 125_422), (1, 19_122), (1, 869), (3, 5_003), (3, 20_011), (3, 40_009)] {
        engine.update_options(|options| options.set_multi_pv(multi_pv)).unwrap();
        engine.new_game();
        engine.set_game(Game::new(parse_fen("R7/2p2k2/4p3/1P5p/1p5P/5K2/3R2P1/1N6 b - - 0 32").unwrap()));
        let results = results(&mut engine, Limits::nodes(nodes));
        let [.., (false, last), (true, result)] = results.as_slice() else { panic!("{results:?}") };
        assert_eq!(last.variations, result.variations, "MultiPV {multi_pv}, {nodes} nodes");
        assert_eq!(result.variations.len(), multi_pv);
        assert_ne!(result.variations[0].bound, Bound::Upper);
    }
}
