//! Lists the files of a folder tree, within limits.

use super::allow::Permitted;
use domain::instant::Instant as Moment;
use std::collections::HashSet;
use std::fs::{self, DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Most files per query.
pub const FILES_MAX: usize = 20_000;
/// Most folders per query.
pub const FOLDERS_MAX: usize = 5_000;
/// Deepest level below the root folder.
pub const DEPTH_MAX: usize = 16;

/// Limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    pub files: usize,
    pub folders: usize,
    pub depth: usize,
    pub with_hidden: bool,
    pub until: Instant,
}

/// A file found by the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The resolved path.
    pub path: PathBuf,
    /// The path relative to the root folder.
    pub relative: PathBuf,
    pub size: u64,
    pub modified: Moment,
}

/// The files, newest first. What cannot be opened is skipped.
pub fn walk(permitted: &Permitted, reach: &Reach) -> Vec<FoundFile> {
    let mut walk = Walk { permitted, reach, found: Vec::new(), seen: HashSet::new() };
    let mut open = vec![(permitted.folder.clone(), PathBuf::new(), 0)];
    let mut folders = 0;
    while let Some((folder, relative, depth)) = open.pop() {
        folders += 1;
        if folders > reach.folders || walk.is_over() {
            break;
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if walk.is_over() {
                break;
            }
            if let Some((path, relative)) = walk.take(&entry, &relative)
                && depth < reach.depth
            {
                open.push((path, relative, depth + 1));
            }
        }
    }
    walk.found.sort_by(|one, other| other.modified.cmp(&one.modified).then(one.path.cmp(&other.path)));
    walk.found
}

struct Walk<'w> {
    permitted: &'w Permitted,
    reach: &'w Reach,
    found: Vec<FoundFile>,
    /// Targets of links, so that none is searched twice and cycles end.
    seen: HashSet<PathBuf>,
}

impl Walk<'_> {
    fn is_over(&self) -> bool {
        self.found.len() >= self.reach.files || Instant::now() >= self.reach.until
    }

    /// Records a file; returns a folder.
    fn take(&mut self, entry: &DirEntry, above: &Path) -> Option<(PathBuf, PathBuf)> {
        let name = entry.file_name();
        if !self.reach.with_hidden && name.as_encoded_bytes().starts_with(b".") {
            return None;
        }
        let relative = above.join(&name);
        let (path, data) = self.resolved(entry)?;
        if data.is_dir() {
            return Some((path, relative));
        }
        if data.is_file() {
            let modified = data.modified().map(Moment::from).unwrap_or_default();
            self.found.push(FoundFile { path, relative, size: data.len(), modified });
        }
        None
    }

    /// The resolved path of an entry. Links out of the allowed folder are skipped, and so are links into the root
    /// folder, which is walked anyway.
    fn resolved(&mut self, entry: &DirEntry) -> Option<(PathBuf, Metadata)> {
        let path = entry.path();
        let data = fs::symlink_metadata(&path).ok()?;
        if !data.is_symlink() {
            return self.permitted.holds(&path).then_some((path, data));
        }
        let target = path.canonicalize().ok()?;
        let is_known = target.starts_with(&self.permitted.folder) || !self.permitted.holds(&target);
        // A parent folder would lead here again.
        if is_known || self.permitted.folder.starts_with(&target) || !self.seen.insert(target.clone()) {
            return None;
        }
        let data = fs::symlink_metadata(&target).ok()?;
        Some((target, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn found(folder: &Path, change: impl FnOnce(&mut Reach)) -> usize {
        let folder = folder.canonicalize().expect("a folder");
        let permitted = Permitted { root: folder.clone(), folder, own_data: None };
        let until = Instant::now() + Duration::from_secs(20);
        let mut reach = Reach { files: 100, folders: 100, depth: 100, with_hidden: false, until };
        change(&mut reach);
        walk(&permitted, &reach).len()
    }

    #[test]
    fn a_walk_goes_as_far_as_it_may() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..4 {
            let inner = folder.path().join(format!("{number}/inner"));
            fs::create_dir_all(&inner).expect("folders");
            fs::write(inner.join("a.txt"), "a").expect("a file");
            fs::write(inner.join(".b.txt"), "b").expect("a file");
        }
        assert_eq!(found(folder.path(), |_| {}), 4);
        assert_eq!(found(folder.path(), |reach| reach.with_hidden = true), 8);
        assert_eq!(found(folder.path(), |reach| reach.files = 3), 3);
        assert_eq!(found(folder.path(), |reach| reach.depth = 2), 4);
        assert_eq!(found(folder.path(), |reach| reach.depth = 1), 0);
        // The root, a subfolder, and one below that.
        assert_eq!(found(folder.path(), |reach| reach.folders = 3), 1);
        assert_eq!(found(folder.path(), |reach| reach.until = Instant::now()), 0);
    }
}
