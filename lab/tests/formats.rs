//! Games and positions are read back by the packages `viriformat` and `bulletformat`, which have a board of their own.

use std::path::{Path, PathBuf};

use aspirant::board::game::Game;
use aspirant::board::position::{Position, parse_fen};
use aspirant::shakmaty::{CastlingMode, Move, Position as _};
use aspirant_lab::convert::{self, ConvertArgs, PositionFormat};
use aspirant_lab::game_file::{
    DatagenSettings, GameFileReader, GameFileWriter, GameRecord, GameResult, PositionFilter,
};
use bulletformat::ChessBoard;
use viriformat::dataformat::{Filter, Game as ViriGame, WDL};

/// Castling positions of Chess960, one of them with rooks outside of those that castle, and positions before promotions
/// and en passant captures.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 9",
    "bqnbrkr1/pppppppp/5n2/8/8/5N2/PPPPPPPP/BQNBRKR1 w GEge - 2 2",
    "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 b GBgb - 0 5",
    "rr1k3r/8/8/8/8/8/8/RR1K3R w HBhb - 0 20",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 30",
    "4k3/2p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 40",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 41",
];

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Games of random moves with random scores.
fn random_games() -> Vec<GameRecord> {
    let mut random = fastrand::Rng::with_seed(11);
    let results = [GameResult::Loss, GameResult::Draw, GameResult::Win];
    let game = |index: usize| {
        let start = parse_fen(STARTS[index % STARTS.len()]).unwrap();
        let (mut game, mut moves) = (Game::new(start.clone()), Vec::new());
        while game.outcome().is_none() && moves.len() < 120 {
            // Rare kinds of moves are preferred.
            let legal = game.position.chess().legal_moves();
            let is_rare = |m: &&Move| m.is_castle() || m.is_en_passant() || m.is_promotion();
            let rare: Vec<Move> = legal.iter().filter(is_rare).copied().collect();
            let m = *random.choice(&rare).or_else(|| random.choice(legal.as_slice())).unwrap();
            moves.push((m, random.i16(-3000..3000)));
            game.play(m);
        }
        GameRecord { start, result: results[index % 3], moves }
    };
    (0..40).map(game).collect()
}

fn write(path: &Path, games: &[GameRecord]) {
    let settings = DatagenSettings { engine: "Random".into(), checksum: String::new(), nodes: 1, seed: 1 };
    let mut writer = GameFileWriter::open(path, &settings).unwrap();
    games.iter().for_each(|game| writer.append(game).unwrap());
}

fn read_independently(path: &Path) -> Vec<ViriGame> {
    let bytes = std::fs::read(path).unwrap();
    let mut rest = bytes.as_slice();
    let next = || (!rest.is_empty()).then(|| ViriGame::deserialise_from(&mut rest, Vec::new()).unwrap());
    std::iter::from_fn(next).collect()
}

#[test]
fn random_games_are_read_back() {
    let path = folder("viriformat").join("games.vf");
    let games = random_games();
    write(&path, &games);
    let viri_games = read_independently(&path);
    assert_eq!(viri_games.len(), games.len());
    let mut reader = GameFileReader::open(&path).unwrap();
    let mut kinds = [0; 4];
    for (game, viri) in games.iter().zip(&viri_games) {
        assert_eq!(reader.next_game().unwrap().unwrap().to_bytes(), game.to_bytes());
        let result = match viri.outcome() {
            WDL::Win => GameResult::Win,
            WDL::Draw => GameResult::Draw,
            WDL::Loss => GameResult::Loss,
        };
        assert_eq!(result, game.result);
        let mut positions = Vec::new();
        viri.visit_positions(|board, score| positions.push((board.to_string(), score)));
        let mut position: Position = game.start.clone();
        for ((&(m, score), viri_move), (fen, viri_score)) in game.moves.iter().zip(viri.moves()).zip(&positions) {
            assert_eq!(viri_move.display(true).to_string(), m.to_uci(CastlingMode::Chess960).to_string());
            // Castling rights are written in another notation, and en passant squares without a legal capture, too.
            let fields = |fen: &str| {
                let fields: Vec<&str> = fen.split(' ').collect();
                [fields[0], fields[1], fields[4], fields[5]].map(str::to_owned)
            };
            assert_eq!(fields(fen), fields(&position.fen()));
            assert_eq!(*viri_score, i32::from(score));
            for (count, is_kind) in
                kinds.iter_mut().zip([m.is_castle(), m.is_en_passant(), m.is_promotion(), m.is_capture()])
            {
                *count += usize::from(is_kind);
            }
            position = position.play(m);
        }
        assert_eq!((positions.len(), viri.len()), (game.moves.len(), game.moves.len()));
    }
    assert!(reader.next_game().unwrap().is_none());
    assert!(kinds.iter().all(|&count| count > 10), "castling, en passant, promotion, capture: {kinds:?}");
}

#[test]
fn converted_positions_are_those_of_an_independent_converter() {
    let dir = folder("bulletformat");
    let games = dir.join("games.vf");
    write(&games, &random_games());
    let filter = PositionFilter { min_ply: 30, max_score: Some(2000), max_halfmoves: None };
    let expected_filter =
        Filter { min_ply: 30, max_eval: 2001, filter_tactical: true, filter_check: true, ..Filter::UNRESTRICTED };
    let bytes = |board: &ChessBoard| {
        let mut out = board.occ.to_le_bytes().to_vec();
        out.extend(board.pcs);
        out.extend(board.score.to_le_bytes());
        out.extend([board.result, board.ksq, board.opp_ksq, 0, 0, 0]);
        out
    };
    let mut expected = Vec::new();
    for game in read_independently(&games) {
        let push = |board: ChessBoard| {
            expected.push(bytes(&board));
            Ok(())
        };
        game.splat_to_bulletformat(push, &expected_filter).unwrap();
    }
    let convert = |name: &str, format, seed| {
        let args = ConvertArgs { data: vec![games.clone()], out: dir.join(name), format, filter, seed };
        convert::run(&args).unwrap();
        std::fs::read(args.out).unwrap()
    };
    let bullet = convert("positions", PositionFormat::Bullet, 1);
    assert_eq!(bullet, convert("same", PositionFormat::Bullet, 1));
    assert_ne!(bullet, convert("other", PositionFormat::Bullet, 2));
    let mut records: Vec<Vec<u8>> = bullet.chunks(32).map(<[u8]>::to_vec).collect();
    assert_ne!(records, expected, "in random order");
    let text = String::from_utf8(convert("text", PositionFormat::Text, 1)).unwrap();
    let parsed: Vec<Vec<u8>> = text.lines().map(|line| bytes(&line.parse().unwrap())).collect();
    assert_eq!(parsed, records);
    records.sort();
    expected.sort();
    assert!(records.len() > 1000 && records == expected, "{} {}", records.len(), expected.len());
}
