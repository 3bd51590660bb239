//! Engines with a search of their own: the guarantees of `go`, whatever the search does.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use aspirant::config::Config;
use aspirant::engine::{Engine, EngineBuilder};
use aspirant::search::limits::Limits;
use aspirant::search::report::{Reporter, SearchResult, Silent, Variation};
use aspirant::search::{Allocated, Search, SearchRequest, SearchSettings};
use aspirant::uci::Session;
use shakmaty::Move;

use crate::common::Dir;
use crate::common::books::{E2E4, START, book};
use crate::common::evaluator::FnEvaluator;

/// Generous, because tests run beside each other.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A search that consists of this function.
struct FnSearch(fn(&SearchRequest, Box<dyn Reporter>) -> SearchResult);

impl Search for FnSearch {
    fn search(&mut self, request: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchResult {
        self.0(request, reporter)
    }
}

fn builder(search: fn(&SearchRequest, Box<dyn Reporter>) -> SearchResult) -> EngineBuilder {
    Engine::builder().name("Test").search(move || FnSearch(search))
}

fn line(m: Move, depth: i32) -> SearchResult {
    SearchResult::new(vec![Variation::new(vec![m], 20, depth)])
}

fn never_return() -> ! {
    loop {
        std::thread::park();
    }
}

fn hang(_: &SearchRequest, _: Box<dyn Reporter>) -> SearchResult {
    never_return()
}

/// Counts nodes until it must stop. Depth 1 takes 1000 of them, each further depth as many as those before it.
fn count_nodes(request: &SearchRequest, mut reporter: Box<dyn Reporter>) -> SearchResult {
    let mut result = SearchResult::default();
    for nodes in 1.. {
        if request.should_stop(nodes) {
            break;
        }
        if nodes % 1000 == 0 && (nodes / 1000).is_power_of_two() {
            result = line(request.root_moves[0], (nodes / 1000).ilog2() as i32 + 1);
            result.nodes = nodes;
            reporter.progress(&result);
            if request.soft_limit_reached(&result) {
                break;
            }
        }
    }
    result
}

/// A session and its output.
struct Client {
    session: Session,
    lines: Receiver<String>,
}

impl Client {
    fn new(builder: EngineBuilder) -> Self {
        let (sender, lines) = channel();
        Self {
            session: Session::new(builder.build().unwrap(), move |line: &str| drop(sender.send(line.into()))),
            lines,
        }
    }

    fn send(&mut self, line: &str) {
        assert!(self.session.handle_line(line), "{line}");
    }

    /// Returns the lines up to the next one with this beginning, which is included.
    #[track_caller]
    fn lines_to(&self, beginning: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        while found.last().is_none_or(|line| !line.starts_with(beginning)) {
            found.push(self.lines.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("no {beginning}: {found:#?}")));
        }
        found
    }

    /// Returns the output of a `go`, which ends with `bestmove`, and its time.
    #[track_caller]
    fn go(&mut self, go: &str) -> (Vec<String>, Duration) {
        let start = Instant::now();
        self.send(go);
        let lines = self.lines_to("bestmove ");
        (lines, start.elapsed())
    }

    /// Ends the session, which must not take longer than some seconds, and returns the rest of the output.
    #[track_caller]
    fn finish(self) -> Vec<String> {
        let (done, finished) = channel();
        let session = self.session;
        std::thread::spawn(move || {
            session.finish();
            done.send(())
        });
        finished.recv_timeout(TIMEOUT).expect("the session does not end");
        self.lines.iter().collect()
    }
}

fn best_moves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove ")).count()
}

#[test]
fn panic_in_a_search_gives_one_bestmove_each_time() {
    let mut client = Client::new(builder(|request, mut reporter| {
        reporter.progress(&line(request.root_moves[7], 3));
        panic!("a defect of the search")
    }));
    for go in ["go movetime 10000", "go wtime 60000 btime 60000", "go depth 30"] {
        let (lines, _) = client.go(go);
        assert_eq!(lines.last().unwrap(), &format!("bestmove {}", reported_move(&lines)), "{go}: {lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("info string internal error")), "{go}: {lines:#?}");
    }
    assert_eq!(best_moves(&client.finish()), 0);
}

/// Returns the move of the last report.
fn reported_move(lines: &[String]) -> &str {
    lines.iter().rev().find_map(|line| Some(line.split_once(" pv ")?.1)).expect("a report")
}

#[test]
fn search_that_never_returns_is_answered_and_the_session_ends() {
    let mut client = Client::new(builder(hang));
    let (lines, _) = client.go("go movetime 100");
    assert!(lines.iter().any(|line| line.contains("did not end in time")), "{lines:#?}");
    // From then on, every `go` is answered at once, and what needs the thread fails with a message.
    for (position, go) in [
        ("position startpos moves e2e4", "go movetime 3600000"),
        ("position startpos moves e2e4 e7e5", "go wtime 3600000 btime 3600000"),
        ("position startpos", "go depth 5"),
    ] {
        client.send("ucinewgame");
        client.send("isready");
        client.lines_to("readyok");
        client.send(position);
        let (lines, _) = client.go(go);
        assert!(lines.iter().any(|line| line.contains("has not returned")), "{go}: {lines:#?}");
    }
    client.send("setoption name Hash value 5");
    client.lines_to("info string internal error; option 'Hash' has no effect");
    client.send("go infinite");
    assert!(client.lines.recv_timeout(Duration::from_millis(300)).is_err());
    client.send("stop");
    client.lines_to("bestmove ");
    assert_eq!(best_moves(&client.finish()), 0);
}

#[test]
fn hanging_search_is_answered_after_stop_and_at_the_end() {
    for commands in [["go infinite", "stop"], ["go depth 5", "stop"], ["go depth 5", "go depth 6"]] {
        let mut client = Client::new(builder(hang));
        commands.iter().for_each(|command| client.send(command));
        let expected = commands.iter().filter(|command| command.starts_with("go")).count();
        for _ in 0..expected {
            client.lines_to("bestmove ");
        }
        assert_eq!(best_moves(&client.finish()), 0, "{commands:?}");
    }
    let mut client = Client::new(builder(hang));
    client.send("go infinite");
    assert_eq!(best_moves(&client.finish()), 1);
}

/// A search whose function of this name never returns; that of `configure` at the second call.
struct Hanging(&'static str, bool);

impl Hanging {
    fn enter(&self, function: &str) {
        if self.0 == function {
            never_return();
        }
    }
}

impl Search for Hanging {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        line(request.root_moves[0], 1)
    }

    fn new_game(&mut self) {
        self.enter("new_game");
    }

    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        if std::mem::replace(&mut self.1, true) {
            self.enter("configure");
        }
        Allocated { hash: settings.hash, threads: settings.threads }
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        self.enter("drop");
    }
}

#[test]
fn no_function_of_a_search_blocks_the_session_for_ever() {
    // Each of them takes the ten seconds of the limit.
    std::thread::scope(|scope| {
        for (function, command) in
            [("new_game", "ucinewgame"), ("configure", "setoption name Threads value 2"), ("drop", "isready")]
        {
            scope.spawn(move || {
                let mut client = Client::new(Engine::builder().search(move || Hanging(function, false)));
                client.send(command);
                for go in ["go movetime 3600000", "go depth 5"] {
                    let (lines, _) = client.go(go);
                    let is_skipped = lines.iter().any(|line| line.contains("has not returned"));
                    assert_eq!(is_skipped, function != "drop", "{function}, {go}: {lines:#?}");
                }
                client.finish();
            });
        }
        scope.spawn(|| {
            let error = Engine::builder().search(|| -> Hanging { never_return() }).build().unwrap_err();
            assert!(error.to_string().contains("the search was not made within 10 s"), "{error}");
        });
    });
    let error = Engine::builder().search(|| -> Hanging { panic!("a defect of the search") }).build().unwrap_err();
    assert!(error.to_string().contains("the search panicked when it was made"), "{error}");
}

#[test]
fn evaluator_that_never_returns_blocks_no_command() {
    let mut client = Client::new(Engine::builder().evaluator(FnEvaluator(|_| never_return())));
    client.send("eval");
    client.lines_to("info string internal error; the evaluator has not returned within 10 s");
    client.send("genfens 1 seed 1 book None");
    client.send("stop");
    client.send("isready");
    client.lines_to("readyok");
    let (lines, _) = client.go("go movetime 100");
    assert!(lines.iter().any(|line| line.contains("did not end in time")), "{lines:#?}");
    client.finish();
}

#[test]
fn search_that_returns_late_is_called_again() {
    let mut client = Client::new(builder(|request, _| {
        if request.limits.move_time == Some(1) {
            std::thread::sleep(Duration::from_secs(1));
        }
        line(request.root_moves[7], 9)
    }));
    let (lines, _) = client.go("go movetime 1");
    assert!(lines.iter().any(|line| line.contains("did not end in time")), "{lines:#?}");
    client.session.engine().wait();
    let (lines, _) = client.go("go movetime 60000");
    assert!(lines[0].starts_with("info depth 9 "), "{lines:#?}");
}

#[test]
fn illegal_best_move_is_replaced_with_a_message() {
    let mut client = Client::new(builder(|request, _| {
        let mut game = request.game.clone();
        game.play(request.root_moves[0]);
        let illegal = shakmaty::Position::legal_moves(game.position.chess())[0];
        line(illegal, 3)
    }));
    let (lines, _) = client.go("go depth 3");
    assert!(lines.iter().any(|line| line.contains("returned an illegal move")), "{lines:#?}");
    assert_ne!(lines.last().unwrap(), "bestmove (none)");
}

#[test]
fn every_limit_ends_a_search_through_the_request() {
    let mut client = Client::new(builder(count_nodes));
    for (go, milliseconds) in [
        ("go depth 3", 0),
        ("go nodes 12345", 0),
        ("go movetime 100", 80),
        ("go wtime 1000 btime 1000", 0),
        ("go wtime 1 btime 1", 0),
        ("go movetime 50 depth 3", 0),
    ] {
        let (lines, time) = client.go(go);
        assert!(time >= Duration::from_millis(milliseconds) && time < Duration::from_secs(20), "{go}: {time:?}");
        assert!(lines.iter().all(|line| !line.starts_with("info string")), "{go}: {lines:#?}");
    }
    let (lines, _) = client.go("go depth 3");
    assert!(lines[lines.len() - 2].starts_with("info depth 3 ") && lines.len() == 4, "{lines:#?}");
    let (lines, _) = client.go("go nodes 12345");
    assert!(lines[lines.len() - 2].contains(" nodes 8000 "), "{lines:#?}");
    // Pondering and infinite searches go on.
    for (go, end) in [("go infinite", "stop"), ("go ponder wtime 1000 btime 1000", "ponderhit")] {
        client.send(go);
        std::thread::sleep(Duration::from_millis(200));
        client.send("isready");
        assert_eq!(best_moves(&client.lines_to("readyok")), 0, "{go}");
        client.send(end);
        client.lines_to("bestmove ");
    }
}

#[test]
fn slow_search_does_not_exceed_its_time() {
    let mut client = Client::new(builder(|request, _| {
        let mut nodes = 0;
        while !request.should_stop(nodes) {
            nodes += 1;
            std::thread::sleep(Duration::from_millis(2));
        }
        SearchResult::default()
    }));
    let (lines, _) = client.go("go movetime 100");
    assert!(lines.iter().all(|line| !line.contains("did not end in time")), "{lines:#?}");
}

#[test]
fn stop_ends_an_inline_search() {
    let (engine, stopped) = channel();
    let stopper = std::thread::spawn(move || {
        let handle: aspirant::engine::StopHandle = stopped.recv().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        handle.stop();
    });
    let mut inline = builder(count_nodes).inline().build().unwrap();
    engine.send(inline.stop_handle()).unwrap();
    inline.go(Limits { infinite: true, ..Limits::default() }, Box::new(Silent));
    stopper.join().unwrap();
    let result = inline.search(Limits::nodes(5000));
    assert_eq!((result.nodes, result.depth), (5000, 3));
}

#[test]
fn eval_is_absent_without_an_evaluator() {
    for (builder, expected) in [
        (builder(count_nodes), "info string eval: this engine has no static evaluation"),
        (builder(count_nodes).evaluator(FnEvaluator(|_| 33)), "Static evaluation: +0.33 (white's view)"),
    ] {
        let mut client = Client::new(builder);
        client.send("eval");
        client.lines_to(expected);
    }
}

#[test]
fn book_and_bench_work_with_any_search() {
    let dir = Dir::new();
    let book = dir.file("book.bin", book(&[(START, E2E4, 1)]));
    let mut config = Config::default();
    config.options.set("OwnBook", "true").unwrap();
    config.options.set("Book File", book.to_str().unwrap()).unwrap();
    let mut client = Client::new(builder(count_nodes).config(config).bench_depth(2));
    assert_eq!(client.go("go movetime 1000").0.last().unwrap(), "bestmove e2e4");
    client.send("bench");
    // The search is not called for the positions without a legal move.
    let lines = client.lines_to("Position 50/50");
    assert!(lines.iter().filter(|line| line.contains(" 2000 |")).count() > 40, "{lines:#?}");
    client.lines_to("");
}

/// Records the settings.
struct Configured(std::sync::mpsc::Sender<(usize, usize)>);

impl Search for Configured {
    fn search(&mut self, request: &SearchRequest, _reporter: Box<dyn Reporter>) -> SearchResult {
        line(request.root_moves[0], 1)
    }

    fn configure(&mut self, settings: &SearchSettings) -> Allocated {
        let _ = self.0.send((settings.hash, settings.threads));
        Allocated { hash: settings.hash.min(20), threads: settings.threads }
    }
}

#[test]
fn options_configure_the_search_before_it_starts_and_later() {
    let (sender, settings) = channel();
    let mut client = Client::new(Engine::builder().search(move || Configured(sender.clone())));
    client.send("setoption name Threads value 3");
    client.send("setoption name Hash value 8");
    let settings: Vec<_> = settings.try_iter().collect();
    assert_eq!((settings[0], settings[1], *settings.last().unwrap()), ((16, 1), (16, 3), (8, 3)));
    client.send("setoption name Hash value 32");
    client.lines_to("info string could allocate only 20 of 32 MB");
}

#[test]
fn options_of_limited_strength_are_absent() {
    let engine = builder(count_nodes).build().unwrap();
    let names: Vec<&str> = engine.option_specs().map(|spec| spec.name).collect();
    for absent in ["UCI_LimitStrength", "UCI_Elo", "Skill Level", "Skill Seed"] {
        assert!(!names.contains(&absent), "{absent}");
    }
    assert!(names.contains(&"Hash"));
}
