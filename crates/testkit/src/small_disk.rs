//! A small disk that can be filled up.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Unmounted when dropped.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// Skips if this process may not mount.
    pub fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder.path());
        if mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        crate::skip("the full disk", "a tmpfs cannot be mounted here (only root may)");
        None
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Uses the last byte.
    pub fn fill(&self) {
        let mut ballast = File::options().create(true).append(true).open(self.ballast()).expect("a file");
        for size in [1 << 16, 1 << 10, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Frees what `fill` used.
    pub fn empty(&self) {
        std::fs::remove_file(self.ballast()).expect("it was filled");
    }

    fn ballast(&self) -> PathBuf {
        self.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _the_folder_remains = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
