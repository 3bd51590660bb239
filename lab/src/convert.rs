//! The command `convert`: positions for trainers from files of games.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::files::replace_file_with;
use crate::formats::{PackedPosition, bullet_record, pack_position, text_line, unpack_position};
use crate::game_file::{GameFileError, PositionFilter, read_games};
use aspirant::terminal::print_line;

const AFTER_HELP: &str = "\
Only quiet positions are written: the side to move is not in check, the move played is neither a capture nor a promotion, \
and the score is not that of a mate or tablebase win. Equal games are used once. The order is random.

bullet: 32 bytes per position, without header, little-endian, from the view of the side to move: if Black is to move, the \
board is flipped vertically and the colors are swapped.
   0  occupied squares, u64, bit 0 is a1
   8  their pieces in this order, 4 bits each, low half of a byte first: pawn 0 to king 5, the opponent's 8 to 13
  24  score in centipawns, i16
  26  result, u8: 0 lost, 1 drawn, 2 won
  27  square of the own king, u8
  28  square of the opposing king, flipped vertically, u8
  29  0

text: one line per position, `FEN | score | result`, both from White's view, the result as 0.0, 0.5 or 1.0.
";

/// The arguments of `convert`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ConvertArgs {
    /// Files of games in viriformat, as datagen writes them
    #[arg(required = true, value_name = "FILE")]
    pub data: Vec<PathBuf>,
    /// File to write; must not exist
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Format of the positions
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = PositionFormat::Bullet)]
    pub format: PositionFormat,
    #[command(flatten)]
    pub filter: PositionFilter,
    /// Seed of the order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// A format of positions with their labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum PositionFormat {
    /// bulletformat, 32 bytes per position
    Bullet,
    /// `FEN | score | result`, one line per position
    Text,
}

/// The reason why games could not be converted.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum ConvertError {
    /// A game file cannot be read.
    #[error(transparent)]
    Data(#[from] GameFileError),
    /// The output file exists.
    #[error("{}: exists; choose another --out, or remove it; nothing was changed", .0.display())]
    Exists(PathBuf),
    #[error("none of the positions of {games} games is left; nothing was written")]
    NoPosition { games: u32 },
    /// The output file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The output file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// Writes the positions of the games that the filter accepts, in random order.
///
/// All positions are in memory, 32 bytes each.
///
/// # Errors
/// [`ConvertError`]; the output file does not exist then.
pub fn run(args: &ConvertArgs) -> Result<(), ConvertError> {
    if args.out.exists() {
        return Err(ConvertError::Exists(args.out.clone()));
    }
    let mut positions: Vec<PackedPosition> = Vec::new();
    let files = read_games(&args.data, |game| {
        positions.extend(game.positions(args.filter).map(|record| pack_position(&record)));
        Ok::<_, GameFileError>(ControlFlow::Continue(()))
    })?;
    let games = files.iter().map(|(_, games)| games).sum();
    if positions.is_empty() {
        return Err(ConvertError::NoPosition { games });
    }
    fastrand::Rng::with_seed(args.seed).shuffle(&mut positions);
    let written = replace_file_with(&args.out, |file| {
        positions.iter().try_for_each(|packed| match args.format {
            PositionFormat::Bullet => file.write_all(&bullet_record(packed).ok_or(io::ErrorKind::InvalidData)?),
            PositionFormat::Text => {
                file.write_all(text_line(&unpack_position(packed).map_err(io::Error::other)?).as_bytes())
            }
        })
    });
    written.map_err(|source| ConvertError::Write { path: args.out.clone(), source })?;
    print_line(&format!("{} positions of {games} games", positions.len()));
    Ok(())
}
