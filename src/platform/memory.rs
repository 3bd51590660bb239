//! Available memory of the machine, and the hash size that fits into it.

use std::path::Path;

/// Memory reserved for other processes, in MB; at most a quarter of the available memory.
const RESERVE_MB: usize = 512;

/// Returns the available memory in MB, or `None` if it cannot be determined.
///
/// Limits of a container (cgroups) are included.
#[must_use]
pub fn available_memory_mb() -> Option<usize> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    [available_in_system(&read), available_in_cgroups(&read)].into_iter().flatten().min()
}

fn available_in_system(read: &impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let text = read(Path::new("/proc/meminfo"))?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes >> 10)
}

/// Returns the memory in MB that the cgroups of this process and their ancestors allow.
///
/// `/proc/meminfo` ignores these limits: in a container it shows the memory of the host. See `man 7 cgroups`.
fn available_in_cgroups(read: &impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    groups.lines().filter_map(|line| available_in_hierarchy(line, read)).min()
}

/// Parses one line of `/proc/self/cgroup`: `id:controllers:path`, where cgroup v2 has no controllers.
fn available_in_hierarchy(line: &str, read: &impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, group) = (parts.next()?, parts.next()?);
    let (root, limit, used, cached) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        _ if controllers.split(',').any(|name| name == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        }
        _ => return None,
    };
    let available_in = |group: &Path| {
        let directory = Path::new(root).join(group.strip_prefix("/").unwrap_or(group));
        let number = |file: &str| read(&directory.join(file))?.trim().parse::<u64>().ok();
        let (limit, used) = (number(limit)?, number(used)?);
        // The usage includes inactive page cache, which the kernel reclaims on demand.
        let cached = read(&directory.join("memory.stat")).and_then(|text| {
            let words = text.lines().filter_map(|line| line.split_once(' '));
            words.filter(|(name, _)| *name == cached).find_map(|(_, bytes)| bytes.trim().parse::<u64>().ok())
        });
        Some((limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))) >> 20) as usize)
    };
    Path::new(group).ancestors().filter_map(available_in).min()
}

/// Limits the requested hash size to the available memory. All sizes are in MB.
///
/// A system that overcommits memory would grant any size and kill the process once the TT is filled.
#[must_use]
pub fn clamp_hash_mb(requested: usize, available: Option<usize>) -> usize {
    let Some(available) = available else { return requested };
    let max = available.saturating_sub(RESERVE_MB.min(available / 4));
    requested.min(max.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_size_leaves_a_reserve() {
        assert_eq!(clamp_hash_mb(16, None), 16);
        assert_eq!(clamp_hash_mb(16, Some(8000)), 16);
        assert_eq!(clamp_hash_mb(1 << 20, Some(8000)), 8000 - RESERVE_MB);
        assert_eq!(clamp_hash_mb(64, Some(40)), 30);
        assert_eq!(clamp_hash_mb(64, Some(0)), 1);
    }

    #[test]
    fn cgroup_limits_apply_to_available_memory() {
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
        assert_eq!(available_in_cgroups(&version_2), Some(262));
        let version_1 = files(vec![
            ("/proc/self/cgroup", "9:cpu,cpuacct:/a\n4:memory:/docker/1\n0::/\n".into()),
            // Inside a container, its own cgroup is mounted as the root.
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", number(1024)),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", number(1030)),
        ]);
        assert_eq!(available_in_cgroups(&version_1), Some(0));
        assert_eq!(available_in_cgroups(&files(vec![("/proc/self/cgroup", "0::/\nnonsense\n:::\n".into())])), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn available_memory_is_positive_on_linux() {
        assert!(available_memory_mb().is_some_and(|megabytes| megabytes > 0));
    }
}
