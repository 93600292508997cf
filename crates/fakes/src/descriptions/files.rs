//! The files of the descriptions.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of the descriptions; skips the test if there is none.
pub fn folder() -> Option<PathBuf> {
    testkit::given("SVC_TEST_DESCRIPTIONS", "the vendors' own descriptions").map(PathBuf::from)
}

pub fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
