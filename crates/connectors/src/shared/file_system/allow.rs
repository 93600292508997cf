//! Which folders may be searched: those that the machine's administrator allows, and what lies below them.

use std::path::{Component, Path, PathBuf};

/// Says whether a folder may be searched, before it is looked at: its path as it is written.
pub fn check(folder: &str, allow: &[String]) -> Result<PathBuf, String> {
    let path = plain_path(folder)?;
    if allow.is_empty() {
        return Err("No folder may be searched: SVC_FILESYSTEM_ALLOW is empty.".to_owned());
    }
    let is_inside = allow.iter().any(|root| {
        let root = Path::new(root.trim());
        root.is_absolute() && path.starts_with(root)
    });
    if !is_inside {
        return Err("The folder is not inside a folder of SVC_FILESYSTEM_ALLOW.".to_owned());
    }
    Ok(path)
}

/// A path that can be judged by its text alone.
pub fn plain_path(folder: &str) -> Result<PathBuf, String> {
    let folder = folder.trim();
    let path = Path::new(folder.strip_prefix("file://").unwrap_or(folder));
    if !path.is_absolute() {
        return Err("The absolute path of a folder is needed.".to_owned());
    }
    if path.components().any(|part| matches!(part, Component::ParentDir)) {
        return Err("The path must not hold '..'.".to_owned());
    }
    Ok(path.to_owned())
}

/// A folder that may be searched now, all links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permitted {
    pub folder: PathBuf,
    /// The allowed folder around it; links may lead to any place in it.
    pub root: PathBuf,
}

/// Why a folder cannot be searched now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is not there, or not a folder.
    Missing,
    /// It leads out of what is allowed.
    Outside,
}

impl Permitted {
    /// Resolves a folder; what it is called does not count any more, only where it leads.
    pub fn resolve(folder: &Path, allow: &[String]) -> Result<Self, Refusal> {
        let folder = folder.canonicalize().map_err(|_| Refusal::Missing)?;
        if !folder.is_dir() {
            return Err(Refusal::Missing);
        }
        let roots = allow.iter().filter_map(|root| Path::new(root.trim()).canonicalize().ok());
        let root = roots.filter(|root| folder.starts_with(root)).max_by_key(|root| root.components().count());
        root.map(|root| Self { folder, root }).ok_or(Refusal::Outside)
    }

    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_judged_by_their_text() {
        let allow = ["/srv/docs".to_owned(), "relative".to_owned()];
        let table = [
            ("/srv/docs", true),
            ("file:///srv/docs/a", true),
            (" /srv/docs/a/ ", true),
            ("/srv/docs-other", false),
            ("/srv", false),
            ("/srv/docs/../secret", false),
            ("relative/a", false),
            ("", false),
        ];
        for (folder, is_fine) in table {
            assert_eq!(check(folder, &allow).is_ok(), is_fine, "{folder}");
        }
        assert!(check("/srv/docs", &[]).expect_err("nothing").contains("empty"));
    }
}
