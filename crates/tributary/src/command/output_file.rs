//! Output files of commands.

use anyhow::Context;
use std::path::Path;

/// Creates the file if it does not exist, to detect an unwritable path before the work starts.
pub(super) fn ensure_writable(path: &Path) -> anyhow::Result<()> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    opened
        .with_context(|| format!("{} cannot be written; use a file in an existing folder", path.display()))?;
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
