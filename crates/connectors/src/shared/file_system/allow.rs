//! Which folders may be searched: those that the administrator of the machine allows, and their subfolders.

use crate::shared::own_data;
use domain::settings::PluginSettings;
use std::path::{Component, Path, PathBuf};
use syntax::error::SyntaxError;

/// Checks whether a folder may be searched, by its path alone.
pub fn check(folder: &str, allow: &[String]) -> Result<PathBuf, SyntaxError> {
    let path = plain_path(folder)?;
    if allow.is_empty() {
        return Err("No folder may be searched: SVC_FILESYSTEM_ALLOW is empty.".into());
    }
    let is_inside = allow.iter().any(|root| {
        let root = Path::new(root.trim());
        root.is_absolute() && path.starts_with(root)
    });
    if !is_inside {
        return Err("The folder is not inside a folder in SVC_FILESYSTEM_ALLOW.".into());
    }
    Ok(path)
}

/// A path that can be checked as text.
pub fn plain_path(folder: &str) -> Result<PathBuf, SyntaxError> {
    let folder = folder.trim();
    let path = Path::new(folder.strip_prefix("file://").unwrap_or(folder));
    if !path.is_absolute() {
        return Err("The absolute path of a folder is needed.".into());
    }
    if path.components().any(|part| matches!(part, Component::ParentDir)) {
        return Err("The path must not contain '..'.".into());
    }
    Ok(path.to_owned())
}

/// A folder that may be searched, with all links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permitted {
    pub folder: PathBuf,
    /// The allowed folder that contains it; links may point anywhere inside it.
    pub root: PathBuf,
    /// The service's own data folder, which is always skipped.
    pub own_data: Option<PathBuf>,
}

/// Why a folder cannot be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It does not exist or is not a folder.
    Missing,
    /// It is outside of the allowed folders.
    Outside,
    /// It is inside the service's own data folder.
    OwnData,
}

impl Permitted {
    /// Resolves a folder; from here on only the resolved path counts.
    pub fn resolve(folder: &Path, settings: &PluginSettings) -> Result<Self, Refusal> {
        let folder = folder.canonicalize().map_err(|_| Refusal::Missing)?;
        if !folder.is_dir() {
            return Err(Refusal::Missing);
        }
        let own_data = own_data::folder(settings);
        if own_data.as_ref().is_some_and(|own| folder.starts_with(own)) {
            return Err(Refusal::OwnData);
        }
        let allow = &settings.filesystem_allow;
        let roots = allow.iter().filter_map(|root| Path::new(root.trim()).canonicalize().ok());
        let root = roots.filter(|root| folder.starts_with(root)).max_by_key(|root| root.components().count());
        root.map(|root| Self { folder, root, own_data }).ok_or(Refusal::Outside)
    }

    /// True for a resolved path that may be read.
    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.root) && !self.own_data.as_ref().is_some_and(|own| path.starts_with(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_data_folder_is_no_source() {
        let around = tempfile::tempdir().expect("a folder");
        let data = around.path().join("data");
        std::fs::create_dir_all(data.join("logs")).expect("a folder");
        let settings = PluginSettings {
            filesystem_allow: vec![around.path().display().to_string()],
            data_dir: data.display().to_string(),
            ..PluginSettings::default()
        };
        assert_eq!(Permitted::resolve(&data, &settings), Err(Refusal::OwnData));
        assert_eq!(Permitted::resolve(&data.join("logs"), &settings), Err(Refusal::OwnData));
        let permitted = Permitted::resolve(around.path(), &settings).expect("allowed");
        assert!(permitted.holds(&permitted.root.join("notes.txt")));
        assert!(!permitted.holds(&permitted.root.join("data/secret.key")));
    }

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
        assert!(check("/srv/docs", &[]).expect_err("nothing").message().contains("empty"));
    }
}
