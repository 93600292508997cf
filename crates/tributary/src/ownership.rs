//! Whose files the data folder holds. Root may run a command for a service that has a user of its own.

use anyhow::Context;
use std::path::Path;

/// Leaves everything in a folder to the folder's owner. A service that cannot open its own files does not start.
#[cfg(unix)]
pub fn leave_to_owner(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let about = folder.metadata().with_context(|| format!("{} cannot be read", folder.display()))?;
    leave(folder, (about.uid(), about.gid())).with_context(|| {
        format!(
            "what was written into {} could not be left to its owner; run this as root, or as the user of the service",
            folder.display()
        )
    })
}

#[cfg(unix)]
fn leave(folder: &Path, owner: (u32, u32)) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, lchown};
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        // Links are left where they point to.
        let about = path.symlink_metadata()?;
        if about.uid() != owner.0 {
            lchown(&path, Some(owner.0), Some(owner.1))?;
        }
        if about.is_dir() {
            leave(&path, owner)?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn leave_to_owner(_folder: &Path) -> anyhow::Result<()> {
    Ok(())
}
