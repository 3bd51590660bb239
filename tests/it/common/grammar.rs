//! Strict parser for the lines an engine may print: single spaces, integers, fixed order of fields.

use std::fmt;
use std::str::FromStr;

/// One line of output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    Id(String),
    Option(String),
    UciOk,
    ReadyOk,
    InfoString(String),
    CurrentMove {
        depth: u32,
        m: String,
        number: u32,
    },
    Info(Info),
    BestMove {
        best: Option<String>,
        ponder: Option<String>,
    },
    /// A line of `go perft`: `e2e4: 600`.
    Divide(String, u64),
    Blank,
    /// The total of `go perft`: `Nodes searched: N`.
    NodesSearched(u64),
    /// Anything else, where free text is allowed.
    Text(String),
}

/// A complete `info depth …` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    pub depth: u32,
    pub seldepth: u32,
    pub multi_pv: usize,
    pub score: Score,
    pub bound: Option<Bound>,
    pub wdl: Option<[u32; 3]>,
    pub nodes: u64,
    pub nps: u64,
    pub hashfull: u32,
    pub tbhits: u64,
    pub time: u64,
    pub pv: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Lower,
    Upper,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    Cp(i32),
    Mate(i32),
}

impl Score {
    /// Sort key: a mate ranks above any number of centipawns.
    pub fn rank(self) -> i32 {
        match self {
            Self::Cp(cp) => cp,
            Self::Mate(n) if n > 0 => 1_000_000 - n,
            Self::Mate(n) => -1_000_000 - n,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::InfoString(text) | Self::Id(text) | Self::Option(text) => f.write_str(text),
            Self::Divide(m, count) => write!(f, "{m}: {count}"),
            Self::NodesSearched(count) => write!(f, "Nodes searched: {count}"),
            Self::Blank => Ok(()),
            other => write!(f, "{other:?}"),
        }
    }
}

struct Words<'a>(std::iter::Peekable<std::str::Split<'a, char>>);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        self.0.next().ok_or_else(|| "unexpected end of line".to_owned())
    }

    fn word(&mut self, expected: &str) -> Result<(), String> {
        let found = self.next()?;
        if found == expected { Ok(()) } else { Err(format!("expected '{expected}', found '{found}'")) }
    }

    fn number<T: FromStr>(&mut self) -> Result<T, String> {
        let text = self.next()?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!("'{text}' is not an integer"));
        }
        text.parse().map_err(|_| format!("'{text}' is out of range"))
    }

    fn keyed<T: FromStr>(&mut self, key: &str) -> Result<T, String> {
        self.word(key)?;
        self.number().map_err(|e| format!("{key}: {e}"))
    }

    fn peek(&mut self) -> Option<&'a str> {
        self.0.peek().copied()
    }

    fn chess_move(&mut self) -> Result<String, String> {
        let text = self.next()?;
        if is_move(text) { Ok(text.into()) } else { Err(format!("'{text}' is not a move")) }
    }

    fn end(&mut self) -> Result<(), String> {
        self.0.next().map_or(Ok(()), |word| Err(format!("unexpected '{word}'")))
    }
}

/// Returns whether the text has the form `e2e4` or `e7e8q`, in lower case.
pub fn is_move(text: &str) -> bool {
    let square = |file: u8, rank: u8| (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    match text.as_bytes() {
        [a, b, c, d] => square(*a, *b) && square(*c, *d),
        [a, b, c, d, e] => square(*a, *b) && square(*c, *d) && b"nbrq".contains(e),
        _ => false,
    }
}

/// Parses a line; the error describes the first mismatch.
pub fn read(line: &str) -> Result<Line, String> {
    if line.chars().any(char::is_control) {
        return Err("a control character".into());
    }
    if line.is_empty() {
        return Ok(Line::Blank);
    }
    if let Some(text) = line.strip_prefix("info string ") {
        return if text.trim().is_empty() { Err("empty text".into()) } else { Ok(Line::InfoString(text.into())) };
    }
    let mut words = Words(line.split(' ').peekable());
    let read = match words.next()? {
        "id" => id(line, &mut words)?,
        "option" => return Ok(Line::Option(line.into())),
        "uciok" => Line::UciOk,
        "readyok" => Line::ReadyOk,
        "info" => info(&mut words)?,
        "bestmove" => best_move(&mut words)?,
        "Nodes" => {
            words.word("searched:")?;
            Line::NodesSearched(words.number()?)
        }
        first => match first.strip_suffix(':') {
            Some(m) if is_move(m) => Line::Divide(m.into(), words.number()?),
            _ => return Err("unknown message".into()),
        },
    };
    words.end()?;
    Ok(read)
}

fn id(line: &str, words: &mut Words) -> Result<Line, String> {
    let key = words.next()?;
    let rest: Vec<&str> = words.0.by_ref().collect();
    if !["name", "author"].contains(&key) || rest.is_empty() || rest.contains(&"") {
        return Err("expected 'id name' or 'id author' with a value".into());
    }
    Ok(Line::Id(line.into()))
}

fn best_move(words: &mut Words) -> Result<Line, String> {
    if words.peek() == Some("(none)") {
        words.next()?;
        return Ok(Line::BestMove { best: None, ponder: None });
    }
    let best = Some(words.chess_move()?);
    let ponder = match words.peek() {
        Some("ponder") => {
            words.next()?;
            Some(words.chess_move()?)
        }
        _ => None,
    };
    Ok(Line::BestMove { best, ponder })
}

fn info(words: &mut Words) -> Result<Line, String> {
    let depth = words.keyed("depth")?;
    if words.peek() == Some("currmove") {
        words.next()?;
        return Ok(Line::CurrentMove { depth, m: words.chess_move()?, number: words.keyed("currmovenumber")? });
    }
    let seldepth = words.keyed("seldepth")?;
    let multi_pv = words.keyed("multipv")?;
    words.word("score")?;
    let score = match words.next()? {
        "cp" => Score::Cp(words.number()?),
        "mate" => Score::Mate(words.number()?),
        other => return Err(format!("score '{other}'")),
    };
    let bound = match words.peek() {
        Some("lowerbound") => Some(Bound::Lower),
        Some("upperbound") => Some(Bound::Upper),
        _ => None,
    };
    if bound.is_some() {
        words.next()?;
    }
    let mut wdl = None;
    if words.peek() == Some("wdl") {
        let permille = [words.keyed("wdl")?, words.number()?, words.number()?];
        if bound.is_some() || permille.iter().sum::<u32>() != 1000 {
            return Err(format!("wdl {permille:?} with bound {bound:?}"));
        }
        wdl = Some(permille);
    }
    let (nodes, nps, hashfull) = (words.keyed("nodes")?, words.keyed("nps")?, words.keyed("hashfull")?);
    let (tbhits, time) = (words.keyed("tbhits")?, words.keyed("time")?);
    let mut pv = Vec::new();
    if words.peek() == Some("pv") {
        words.next()?;
        pv.push(words.chess_move()?);
        while words.peek().is_some() {
            pv.push(words.chess_move()?);
        }
    }
    let info = Info { depth, seldepth, multi_pv, score, bound, wdl, nodes, nps, hashfull, tbhits, time, pv };
    if hashfull > 1000 || multi_pv == 0 || seldepth < info.pv.len() as u32 || (depth == 0) != info.pv.is_empty() {
        return Err(format!("inconsistent fields: {info:?}"));
    }
    if let Score::Cp(cp) = score
        && cp.abs() > 32_000
    {
        return Err(format!("score {cp} cp is out of range"));
    }
    Ok(Line::Info(info))
}
