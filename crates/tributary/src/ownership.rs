//! Whose files the data folder holds. A command that root runs leaves its files to the user of the service, who must be able
//! to open them.

use anyhow::Context;
use std::path::Path;

/// Leaves a file to the owner of another one.
#[cfg(unix)]
pub fn leave_to_owner_of(owned: &Path, file: &Path) -> anyhow::Result<()> {
    leave(file, owner_of(owned)?)
}

/// Leaves everything in a folder to the folder's owner.
#[cfg(unix)]
pub fn leave_to_owner(folder: &Path) -> anyhow::Result<()> {
    leave_all(folder, owner_of(folder)?)
}

/// User and group.
#[cfg(unix)]
fn owner_of(path: &Path) -> anyhow::Result<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().with_context(|| format!("{} cannot be read", path.display()))?;
    Ok((metadata.uid(), metadata.gid()))
}

#[cfg(unix)]
fn leave_all(folder: &Path, owner: (u32, u32)) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        leave(&path, owner)?;
        // A link is not followed.
        if path.symlink_metadata()?.is_dir() {
            leave_all(&path, owner)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn leave(path: &Path, (user, group): (u32, u32)) -> anyhow::Result<()> {
    use std::os::unix::fs::{MetadataExt, lchown};
    if path.symlink_metadata()?.uid() == user {
        return Ok(());
    }
    lchown(path, Some(user), Some(group)).with_context(|| {
        format!(
            "{} cannot be left to the user of the service, who could not open it; run this as that user or as root",
            path.display()
        )
    })
}

#[cfg(not(unix))]
pub fn leave_to_owner_of(_owned: &Path, _file: &Path) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn leave_to_owner(_folder: &Path) -> anyhow::Result<()> {
    Ok(())
}
