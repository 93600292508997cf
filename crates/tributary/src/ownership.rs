//! File ownership: files created by root in the data folder are given to the user of the service.

use anyhow::Context;
use std::path::Path;

/// Gives a file to the owner of another one.
#[cfg(unix)]
pub fn chown_like(owned: &Path, file: &Path) -> anyhow::Result<()> {
    chown_to(file, owner_of(owned)?)
}

/// Gives everything in a folder to the folder's owner.
#[cfg(unix)]
pub fn chown_to_folder_owner(folder: &Path) -> anyhow::Result<()> {
    chown_all(folder, owner_of(folder)?)
}

#[cfg(unix)]
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

#[cfg(unix)]
fn owner_of(path: &Path) -> anyhow::Result<Owner> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Owner { user: metadata.uid(), group: metadata.gid() })
}

#[cfg(unix)]
fn chown_all(folder: &Path, owner: Owner) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        chown_to(&path, owner)?;
        // Does not follow links.
        if path.symlink_metadata()?.is_dir() {
            chown_all(&path, owner)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn chown_to(path: &Path, Owner { user, group }: Owner) -> anyhow::Result<()> {
    use std::os::unix::fs::{MetadataExt, lchown};
    if path.symlink_metadata()?.uid() == user {
        return Ok(());
    }
    lchown(path, Some(user), Some(group)).with_context(|| {
        format!(
            "cannot change the owner of {} to the user of the service; run this as that user or as root",
            path.display()
        )
    })
}

#[cfg(not(unix))]
pub fn chown_like(_owned: &Path, _file: &Path) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn chown_to_folder_owner(_folder: &Path) -> anyhow::Result<()> {
    Ok(())
}
