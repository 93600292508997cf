//! A small disk, to be full.

use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Gone when dropped.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// Says so when this process may not mount.
    pub fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder.path());
        if mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: the full disk, because a tmpfs cannot be mounted here (only root may)");
        None
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _the_folder_remains = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
