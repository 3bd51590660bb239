//! The command `annotate`.

use aspirant::board::pgn::{PgnGame, games};

use crate::common::{Dir, run_in, text};

/// Annotates this PGN; returns the games that are written and what is printed on stderr.
#[track_caller]
fn annotate(pgn: impl AsRef<[u8]>, is_success: bool) -> (Vec<PgnGame>, String) {
    let dir = Dir::new();
    dir.file("games.pgn", pgn);
    let output = run_in(&dir, &["annotate", "games.pgn", "--nodes", "20k", "--hash", "1"]);
    assert_eq!(output.status.success(), is_success, "{output:?}");
    let written = text(&output.stdout);
    assert!(written.lines().all(|line| line.starts_with('[') || line.chars().count() <= 80), "{written}");
    (games(&written).collect::<Result<_, _>>().unwrap(), text(&output.stderr))
}

#[test]
fn moves_get_evaluations_glyphs_and_better_variations() {
    let pgn = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";
    let (games, report) = annotate(pgn, true);
    let moves = &games[0].moves;
    assert!(moves[..6].iter().all(|m| m.comments[0].starts_with("[%eval ")), "{moves:?}");
    assert!(moves[6].comments.is_empty(), "a checkmate has no evaluation: {moves:?}");
    // White's point of view.
    assert_eq!(moves[5].comments, ["[%eval #1]"]);
    assert_eq!(moves[5].glyphs, ["$4"]);
    assert!(moves[5].variations()[0].starts_with("3... ") && moves[5].variations().len() == 1, "{moves:?}");
    assert!(moves[0].glyphs.is_empty() && moves[0].variations().is_empty(), "{moves:?}");
    assert!(games[0].tag("Annotator").is_some_and(|name| name.starts_with("Aspirant ")));
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines[0], "Game 1: A - B  1-0");
    assert!(lines[1].starts_with("  A  ") && lines[1].contains("0 blunders"), "{report}");
    assert!(lines[2].starts_with("  B  ") && lines[2].contains("1 blunder, average loss "), "{report}");
}

#[test]
fn annotations_of_the_file_are_kept() {
    let pgn = "[Event \"Caf\u{e9}\"]\n\n{intro} 1. e4! {[%clk 0:01:00] [%eval 9.00] best} $14 ( 1. d4 d5 (1... Nf6 \
        {Indian}) 2. c4 $1 ) e5 2. Nf3 {a} {b} *\n";
    let latin1: Vec<u8> = pgn.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for pgn in [pgn.as_bytes(), &latin1] {
        let (games, _) = annotate(pgn, true);
        let game = &games[0];
        assert_eq!((game.tag("Event"), &game.comments), (Some("Caf\u{e9}"), &vec!["intro".to_owned()]));
        let first = &game.moves[0];
        assert_eq!((first.text.as_str(), &first.glyphs), ("e4", &vec!["$14".to_owned()]));
        assert_eq!(first.variations(), ["1. d4 d5 (1... Nf6 {Indian}) 2. c4 $1"]);
        assert!(first.comments[0].starts_with("[%eval ") && !first.comments[0].contains("9.00"), "{first:?}");
        assert!(first.comments[0].ends_with("[%clk 0:01:00] best"), "{first:?}");
        assert!(game.moves[2].comments[0].ends_with(" a") && game.moves[2].comments[1] == "b", "{game:?}");
    }
}

#[test]
fn what_cannot_be_annotated_is_reported_and_kept() {
    let pgn = "1. e4 e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[FEN \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"]\n\n1. Kd4 *\n\n1. d4 {open";
    let (games, report) = annotate(pgn, false);
    let words: Vec<&str> = games.iter().flat_map(|game| &game.moves).map(|m| m.text.as_str()).collect();
    assert_eq!(words, ["e4", "e4", "e4", "Kd4"]);
    assert!(games[0].moves[0].comments[0].starts_with("[%eval ") && games[0].moves[1].comments.is_empty());
    assert_eq!(games[2].moves[0].comments, ["[%eval 0.00]"]);
    for part in [
        "Game 1: White - Black  *",
        "  'e4' (number 2) is not possible",
        "game 2 is not annotated: the rules of the variant 'Atomic' are unknown",
        "Game 3: White - Black  *",
        "games.pgn: line 11: the comment that begins with { is not closed; the games before are annotated",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn a_file_without_games_is_an_error() {
    for (text, error) in [("", "no game found"), ("4k3/8/8/8/8/8/8/4K3 w - - id 1;", "not a PGN: '4k3/8")] {
        let (games, report) = annotate(text, false);
        assert!(games.is_empty() && report.contains(error), "{report}");
    }
}

#[test]
fn the_file_that_is_read_is_not_overwritten() {
    let dir = Dir::new();
    dir.file("game.pgn", "1. e4 *\n");
    let output = run_in(&dir, &["annotate", "game.pgn", "--nodes", "1", "--out", "./game.pgn"]);
    assert!(text(&output.stderr).contains("the file that is read") && !output.status.success(), "{output:?}");
    assert_eq!(std::fs::read_to_string(dir.path().join("game.pgn")).unwrap(), "1. e4 *\n");
    assert!(run_in(&dir, &["annotate", "game.pgn", "--nodes", "1", "--out", "new.pgn"]).status.success());
    assert!(std::fs::read_to_string(dir.path().join("new.pgn")).unwrap().contains("1. e4 {[%eval "));
}
