//! What the machine can still give.

use std::path::Path;

/// Left to everybody else, MB; on a small machine a quarter of what is free.
const RESERVE: usize = 512;

/// Memory that can be had without pushing others out, MB, of the machine and within the limits of a container; `None`
/// where the system does not say.
#[must_use]
pub fn available_megabytes() -> Option<usize> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    [free_in_machine(&read), free_in_groups(&read)].into_iter().flatten().min()
}

fn free_in_machine(read: &impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let text = read(Path::new("/proc/meminfo"))?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}

/// The least that is left to the control groups (`man 7 cgroups`) this process is in, from its own up to the root.
/// `/proc/meminfo` knows nothing of them: a container sees the memory of its host there.
fn free_in_groups(read: &impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    groups.lines().filter_map(|line| free_in_hierarchy(line, read)).min()
}

/// Of one line of `/proc/self/cgroup`: `number:controllers:path`, where version 2 names no controllers.
fn free_in_hierarchy(line: &str, read: &impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, group) = (parts.next()?, parts.next()?);
    let (root, limit, used, cached) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        _ if controllers.split(',').any(|name| name == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        }
        _ => return None,
    };
    let free_in = |group: &Path| {
        let folder = Path::new(root).join(group.strip_prefix("/").unwrap_or(group));
        let number = |file: &str| read(&folder.join(file))?.trim().parse::<u64>().ok();
        let (limit, used) = (number(limit)?, number(used)?);
        // Files that were read once count as used, and give way to whoever needs the memory.
        let cached = read(&folder.join("memory.stat")).and_then(|text| {
            let words = text.lines().filter_map(|line| line.split_once(' '));
            words.filter(|(name, _)| *name == cached).find_map(|(_, bytes)| bytes.trim().parse::<u64>().ok())
        });
        Some((limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))) >> 20) as usize)
    };
    Path::new(group).ancestors().filter_map(free_in).min()
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

    #[test]
    fn a_container_has_what_the_nearest_limit_leaves() {
        const MB: u64 = 1 << 20;
        let files = |files: Vec<(&'static str, String)>| {
            move |path: &Path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| text.clone())
        };
        let number = |megabytes: u64| format!("{}\n", megabytes * MB);
        let version_2 = files(vec![
            ("/proc/self/cgroup", "0::/kube/pod\n".into()),
            ("/sys/fs/cgroup/kube/pod/memory.max", "max\n".into()),
            ("/sys/fs/cgroup/kube/pod/memory.current", number(100)),
            ("/sys/fs/cgroup/kube/memory.max", number(512)),
            ("/sys/fs/cgroup/kube/memory.current", number(300)),
            ("/sys/fs/cgroup/kube/memory.stat", format!("anon 5\ninactive_file {}\nslab 7\n", 50 * MB)),
        ]);
        assert_eq!(free_in_groups(&version_2), Some(262));
        let version_1 = files(vec![
            ("/proc/self/cgroup", "9:cpu,cpuacct:/a\n4:memory:/docker/1\n0::/\n".into()),
            // Within a container its own group is the root of what it sees.
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", number(1024)),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", number(1030)),
        ]);
        assert_eq!(free_in_groups(&version_1), Some(0));
        assert_eq!(free_in_groups(&files(vec![("/proc/self/cgroup", "0::/\nnonsense\n:::\n".into())])), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_what_it_has() {
        assert!(available_megabytes().is_some_and(|megabytes| megabytes > 0));
    }
}
