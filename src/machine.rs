//! What the machine can still give.

/// Left to everybody else, MB; on a small machine a quarter of what is free.
const RESERVE: usize = 512;

/// Memory that can be had without pushing others out, MB; `None` where the system does not say.
#[must_use]
pub fn available_megabytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}

/// How large a table may be, MB, if `asked` was asked for and `held` will be given back first. A system that lends more
/// memory than it has would grant any size and end the program when the table is filled.
#[must_use]
pub fn table_megabytes(asked: usize, held: usize, available: Option<usize>) -> usize {
    let Some(available) = available else { return asked };
    let most = (available + held).saturating_sub(RESERVE.min(available / 4));
    asked.min(most.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_leaves_something_to_others() {
        assert_eq!(table_megabytes(16, 0, None), 16);
        assert_eq!(table_megabytes(16, 0, Some(8000)), 16);
        assert_eq!(table_megabytes(1 << 20, 0, Some(8000)), 8000 - RESERVE);
        assert_eq!(table_megabytes(1 << 20, 1000, Some(8000)), 9000 - RESERVE);
        assert_eq!(table_megabytes(64, 0, Some(40)), 30);
        assert_eq!(table_megabytes(64, 0, Some(0)), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_what_it_has() {
        assert!(available_megabytes().is_some_and(|megabytes| megabytes > 0));
    }
}
