//! Sets `ASPIRANT_COMMIT` to the commit of the build, or to an empty string if it is unknown.
//!
//! The commit comes from the git repository, or from cargo's `.cargo_vcs_info.json` in a published package. A source
//! archive has neither, so nothing here may fail.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    let commit = from_repository(&root).or_else(|| from_package(&root)).unwrap_or_default();
    let short: String = commit.chars().take(10).collect();
    let is_valid = short.len() == 10 && short.chars().all(|c| c.is_ascii_hexdigit());
    println!("cargo:rustc-env=ASPIRANT_COMMIT={}", if is_valid { &short } else { "" });
}

fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text)
}

fn from_repository(root: &Path) -> Option<String> {
    let dot_git = root.join(".git");
    let git_dir = if dot_git.is_dir() {
        dot_git
    } else {
        // In a linked worktree, `.git` is a file with the path of the git directory.
        root.join(read(&dot_git)?.strip_prefix("gitdir:")?.trim())
    };
    let head = read(&git_dir.join("HEAD"))?;
    // Changes with every commit, even while the branch is only in packed-refs.
    let _ = read(&git_dir.join("logs/HEAD"));
    let Some(ref_name) = head.strip_prefix("ref:").map(str::trim) else { return Some(head.trim().into()) };
    let common_dir = read(&git_dir.join("commondir")).map_or_else(|| git_dir.clone(), |path| git_dir.join(path.trim()));
    let loose = [&git_dir, &common_dir].into_iter().find_map(|dir| read(&dir.join(ref_name)));
    let packed = || {
        let text = read(&common_dir.join("packed-refs"))?;
        let line = text.lines().find(|line| line.ends_with(&format!(" {ref_name}")))?;
        line.split(' ').next().map(str::to_owned)
    };
    loose.or_else(packed).map(|text| text.trim().to_owned())
}

fn from_package(root: &Path) -> Option<String> {
    let text = read(&root.join(".cargo_vcs_info.json"))?;
    text.split("\"sha1\"").nth(1)?.split('"').nth(1).map(str::to_owned)
}
