//! Version, commit, target and enabled processor features of this build.
#![doc(hidden)]

use std::sync::LazyLock;

/// Returns the version of the package, for example "1.0.0".
#[must_use]
pub const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the commit the program was built from, shortened to 10 digits; empty if unknown.
#[must_use]
pub const fn commit() -> &'static str {
    env!("ASPIRANT_COMMIT")
}

/// Returns version, commit, target and enabled processor features in one line.
#[must_use]
pub fn version_line() -> &'static str {
    static LINE: LazyLock<String> = LazyLock::new(|| {
        const FEATURES: [(&str, bool); 7] = [
            ("avx512", cfg!(target_feature = "avx512f")),
            ("avx2", cfg!(target_feature = "avx2")),
            ("bmi2", cfg!(target_feature = "bmi2")),
            ("popcnt", cfg!(target_feature = "popcnt")),
            ("neon", cfg!(target_feature = "neon")),
            ("tune", cfg!(feature = "tune")),
            ("debug", cfg!(debug_assertions)),
        ];
        let details = [commit(), std::env::consts::ARCH, std::env::consts::OS].into_iter();
        let features = FEATURES.into_iter().filter(|(_, enabled)| *enabled).map(|(name, _)| name);
        let details: Vec<&str> = details.chain(features).filter(|word| !word.is_empty()).collect();
        format!("{} ({})", version(), details.join(" "))
    });
    &LINE
}
