//! Which SQLite files may be opened: those below the folders that the administrator of the machine allows.

use super::own_data;
use domain::ports::OwnDatabase;
use domain::settings::{PluginSettings, SAMPLE_LIBRARY_FILE};
use std::path::{Component, Path, PathBuf};
use syntax::error::SyntaxError;

/// Why a file cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It does not exist or is not a file.
    Missing,
    /// It is outside of the allowed folders.
    Outside,
    /// It belongs to the service itself.
    OwnData,
}

/// Checks whether a file may be opened, by its path alone.
pub fn check(file: &str, settings: &PluginSettings) -> Result<PathBuf, SyntaxError> {
    let path = plain_path(file)?;
    if is_sample(&path, settings) {
        return Ok(path);
    }
    let allow = &settings.sqlite_allow;
    if allow.is_empty() {
        return Err(
            "No SQLite file may be opened: SVC_SQLITE_ALLOW is empty. Set it to the folder of the file and restart the service."
                .into());
    }
    let is_inside = allow.iter().any(|root| {
        let root = Path::new(root.trim());
        root.is_absolute() && path.starts_with(root)
    });
    if !is_inside {
        return Err("The file is not inside a folder in SVC_SQLITE_ALLOW.".into());
    }
    Ok(path)
}

/// A path that can be checked as text. A relative one is resolved against the working directory of the service.
pub fn plain_path(file: &str) -> Result<PathBuf, SyntaxError> {
    let file = file.trim();
    if file.is_empty() {
        return Err("The path of a database file is needed.".into());
    }
    if file.starts_with("file:") || file.starts_with(':') {
        return Err("Use a plain file path.".into());
    }
    if Path::new(file).components().any(|part| matches!(part, Component::ParentDir)) {
        return Err("The path must not contain '..'.".into());
    }
    std::path::absolute(file)
        .map_err(|error| SyntaxError::new("The path of a database file is needed.").caused_by(error))
}

/// The file with all links resolved; from here on only the resolved path counts.
pub fn resolve(file: &Path, settings: &PluginSettings, database: &OwnDatabase) -> Result<PathBuf, Refusal> {
    let resolved = file.canonicalize().map_err(|_| Refusal::Missing)?;
    if !resolved.is_file() {
        return Err(Refusal::Missing);
    }
    if own_data::holds_file(settings, database, &resolved) {
        return Err(Refusal::OwnData);
    }
    let roots = settings.sqlite_allow.iter().filter_map(|root| Path::new(root.trim()).canonicalize().ok());
    let is_inside = roots.into_iter().any(|root| resolved.starts_with(root));
    if is_inside || is_sample(&resolved, settings) { Ok(resolved) } else { Err(Refusal::Outside) }
}

/// The sample library that the demo writes into its data folder.
fn is_sample(path: &Path, settings: &PluginSettings) -> bool {
    let written = std::path::absolute(&settings.data_dir).ok();
    let folders = own_data::folder(settings).into_iter().chain(written);
    folders.into_iter().any(|folder| path == folder.join(SAMPLE_LIBRARY_FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(allow: &[&Path], data: &Path) -> PluginSettings {
        let sqlite_allow = allow.iter().map(|root| root.display().to_string()).collect();
        PluginSettings { sqlite_allow, data_dir: data.display().to_string(), ..PluginSettings::default() }
    }

    #[test]
    fn paths_are_judged_by_their_text() {
        let settings = settings(&[Path::new("/srv/lists"), Path::new("relative")], Path::new("/var/none"));
        let table = [
            ("/srv/lists/a.db", true),
            (" /srv/lists/a/b.db ", true),
            ("/srv/lists-other/a.db", false),
            ("/srv/lists/../a.db", false),
            ("relative/a.db", false),
            ("file:/srv/lists/a.db", false),
            ("", false),
            ("/var/none/library.db", true),
            ("/var/none/tributary.db", false),
        ];
        for (file, is_fine) in table {
            assert_eq!(check(file, &settings).is_ok(), is_fine, "{file}");
        }
        let none = PluginSettings::default();
        assert!(
            check("/srv/a.db", &none).expect_err("nothing").message().contains("SVC_SQLITE_ALLOW is empty")
        );
    }

    #[cfg(unix)]
    #[test]
    fn only_where_a_path_leads_counts() {
        let (allowed, data) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let outside = tempfile::tempdir().expect("a folder");
        let settings = settings(&[allowed.path(), data.path()], data.path());
        std::fs::write(outside.path().join("secret.db"), "").expect("a file");
        std::fs::write(allowed.path().join("a.db"), "").expect("a file");
        std::fs::write(data.path().join("tributary.db"), "").expect("a file");
        std::os::unix::fs::symlink(outside.path().join("secret.db"), allowed.path().join("out.db"))
            .expect("a link");
        std::os::unix::fs::symlink(data.path().join("tributary.db"), allowed.path().join("own.db"))
            .expect("a link");
        std::fs::hard_link(data.path().join("tributary.db"), allowed.path().join("hard.db")).expect("a link");
        let table = [
            (allowed.path().join("a.db"), None),
            (allowed.path().join("none.db"), Some(Refusal::Missing)),
            (allowed.path().to_owned(), Some(Refusal::Missing)),
            (allowed.path().join("out.db"), Some(Refusal::Outside)),
            (allowed.path().join("own.db"), Some(Refusal::OwnData)),
            (allowed.path().join("hard.db"), Some(Refusal::OwnData)),
            (data.path().join("tributary.db"), Some(Refusal::OwnData)),
        ];
        let database = OwnDatabase::in_folder(data.path());
        for (file, refusal) in table {
            assert_eq!(resolve(&file, &settings, &database).err(), refusal, "{}", file.display());
        }
    }
}
