//! Forms of the evaluation: piece-square tables with offsets that depend on the squares of the kings.
//!
//! The value of a piece is the entry of its base table plus offsets, which are stored per bucket of a king's square.
//! A king on files e to h selects the bucket of the mirrored square, and the square of the piece is mirrored with it.

use std::str::FromStr;

use super::model::{BASE_WEIGHTS, SQUARES};

/// The kings whose squares select the offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Kings {
    /// No offsets: plain piece-square tables.
    None,
    /// The king of the piece's own side.
    Own,
    /// Both kings, one table of offsets for each.
    Both,
}

impl std::fmt::Display for Kings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Own => "own",
            Self::Both => "both",
        })
    }
}

/// The bucket of each king square on files a to d, from the view of its own side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BucketMap {
    /// Buckets of a1, b1, c1, d1, a2 and so on.
    pub buckets: [u8; 32],
    pub count: usize,
}

/// Digits of a bucket map in text form.
const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

impl FromStr for BucketMap {
    type Err = String;

    /// Parses a number of buckets for which there is a standard map, or 32 digits from 0 to v.
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = match text {
            "1" => "00000000000000000000000000000000",
            "4" => "00110011222222223333333333333333",
            "8" => "01234455666666667777777777777777",
            "16" => "012345678899aabbccddccddeeffeeff",
            "32" => "0123456789abcdefghijklmnopqrstuv",
            digits => digits,
        };
        let bucket = |digit: u8| DIGITS.iter().position(|&other| other == digit).map(|bucket| bucket as u8);
        let buckets: Option<Vec<u8>> = digits.bytes().map(bucket).collect();
        let buckets: Option<[u8; 32]> = buckets.and_then(|buckets| buckets.try_into().ok());
        let Some(buckets) = buckets else {
            return Err(
                "expected 1, 4, 8, 16, 32, or 32 digits from 0 to v, one for each of a1, b1, c1, d1, a2 to d8".into()
            );
        };
        let count = buckets.iter().map(|&bucket| usize::from(bucket) + 1).max().unwrap_or(0);
        match (0..count as u8).find(|bucket| !buckets.contains(bucket)) {
            Some(missing) => Err(format!("expected consecutive buckets, but none of the squares has bucket {missing}")),
            None => Ok(Self { buckets, count }),
        }
    }
}

impl std::fmt::Display for BucketMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits: String = self.buckets.iter().map(|&bucket| char::from(DIGITS[usize::from(bucket)])).collect();
        let standard = ["1", "4", "8", "16", "32"].into_iter().find(|name| name.parse().as_ref() == Ok(self));
        f.write_str(standard.unwrap_or(&digits))
    }
}

impl BucketMap {
    /// Returns the bucket of a king square from its own view, and whether the tables are mirrored.
    #[must_use]
    pub fn bucket(&self, square: u8) -> (usize, bool) {
        let is_mirrored = square & 4 != 0;
        let folded = if is_mirrored { square ^ 7 } else { square };
        (self.buckets[usize::from(folded >> 3) * 4 + usize::from(folded & 3)].into(), is_mirrored)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    pub kings: Kings,
    /// The buckets of the king squares.
    pub map: BucketMap,
}

/// A table of offsets that applies to the pieces of one side in a position.
#[derive(Clone, Copy, Debug, Default)]
pub struct OffsetTable {
    /// Index of its first pair of weights.
    pub first: u32,
    /// Mask that mirrors the index of an entry if necessary.
    pub mirror: u32,
}

/// Maximum number of tables of offsets that apply to a piece.
pub const MAX_TABLES: usize = 2;

impl Form {
    /// Plain piece-square tables.
    #[cfg(test)]
    pub fn plain() -> Self {
        Self { kings: Kings::None, map: "1".parse().expect("a valid map") }
    }

    #[must_use]
    pub fn table_count(&self) -> usize {
        let count = self.map.count;
        match self.kings {
            Kings::None => 0,
            Kings::Own => count,
            Kings::Both => 2 * count,
        }
    }

    #[must_use]
    pub fn tables_per_piece(&self) -> usize {
        match self.kings {
            Kings::None => 0,
            Kings::Own => 1,
            Kings::Both => 2,
        }
    }

    #[must_use]
    pub fn weight_count(&self) -> usize {
        BASE_WEIGHTS + 2 * SQUARES * self.table_count()
    }

    /// Returns the offsets for White's and Black's pieces, given both kings' squares.
    ///
    /// Each square is from the view of its own side.
    #[must_use]
    pub fn tables(&self, kings: [u8; 2]) -> [[OffsetTable; MAX_TABLES]; 2] {
        let table = |index: usize, is_mirrored: bool| OffsetTable {
            first: (BASE_WEIGHTS / 2 + SQUARES * index) as u32,
            mirror: if is_mirrored { 7 } else { 0 },
        };
        let count = self.map.count;
        [(kings[0], kings[1]), (kings[1], kings[0])].map(|(own, enemy)| {
            let ((own, own_mirrored), (enemy, enemy_mirrored)) = (self.map.bucket(own), self.map.bucket(enemy));
            [table(own, own_mirrored), table(count + enemy, enemy_mirrored)]
        })
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kings {
            Kings::None => write!(f, "{}", self.kings),
            _ => write!(f, "{}, {}", self.kings, self.map),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_maps_are_parsed_and_invalid_ones_rejected() {
        for (text, count) in [("1", 1), ("4", 4), ("8", 8), ("16", 16), ("32", 32)] {
            let map: BucketMap = text.parse().unwrap();
            assert_eq!((map.count, map.to_string()), (count, text.to_owned()));
        }
        let custom = "01010101010101010101010101010101";
        assert_eq!(custom.parse::<BucketMap>().unwrap().to_string(), custom);
        for invalid in ["", "5", "0000", "0202020202020202020202020202020", "02020202020202020202020202020202"] {
            assert!(invalid.parse::<BucketMap>().is_err(), "{invalid}");
        }
    }

    #[test]
    fn mirrored_king_squares_share_a_bucket() {
        let map: BucketMap = "32".parse().unwrap();
        // b1 and g1, then e4 and d4.
        assert_eq!((map.bucket(1), map.bucket(6)), ((1, false), (1, true)));
        assert_eq!((map.bucket(28), map.bucket(27)), ((15, true), (15, false)));
    }
}
