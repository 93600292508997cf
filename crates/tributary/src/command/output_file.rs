//! Files that a command writes its findings to.

use anyhow::Context;
use std::path::Path;

/// Makes the file if it is not there, and leaves it as it is otherwise: what cannot be written is noticed before the
/// work, not after it.
pub(super) fn ensure_writable(path: &Path) -> anyhow::Result<()> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    opened.with_context(|| {
        format!("{} cannot be written; name a file in a folder that is there", path.display())
    })?;
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
