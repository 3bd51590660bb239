//! Tells the program which commit it is built from, if that can be known: from the repository, or from what
//! cargo put into the package. Nothing here may fail: a source archive knows neither.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    let commit = from_repository(&root).or_else(|| from_package(&root)).unwrap_or_default();
    let short: String = commit.chars().take(10).collect();
    let known = short.len() == 10 && short.chars().all(|c| c.is_ascii_hexdigit());
    println!("cargo:rustc-env=ASPIRANT_COMMIT={}", if known { &short } else { "" });
}

fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text)
}

fn from_repository(root: &Path) -> Option<String> {
    let dot = root.join(".git");
    let git = if dot.is_dir() {
        dot
    } else {
        // A second work tree: a file that names the directory.
        root.join(read(&dot)?.strip_prefix("gitdir:")?.trim())
    };
    let head = read(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return Some(head.trim().into()) };
    let common = read(&git.join("commondir")).map_or_else(|| git.clone(), |path| git.join(path.trim()));
    let loose = [&git, &common].into_iter().find_map(|dir| read(&dir.join(name)));
    let packed = || {
        let text = read(&common.join("packed-refs"))?;
        let line = text.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(str::to_owned)
    };
    loose.or_else(packed).map(|text| text.trim().to_owned())
}

fn from_package(root: &Path) -> Option<String> {
    let text = read(&root.join(".cargo_vcs_info.json"))?;
    text.split("\"sha1\"").nth(1)?.split('"').nth(1).map(str::to_owned)
}
