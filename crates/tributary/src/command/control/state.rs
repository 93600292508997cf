//! State file `services.json`: the started services and their process ids.

use crate::process;
use anyhow::Context;
use domain::instant::Instant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A service that was started in the background.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    pub pid: u32,
    /// Start time of the process, which distinguishes it from another process with the same id.
    pub began: Option<u64>,
    pub started: Instant,
    /// `all`, or one role.
    pub roles: String,
    /// The file with its output.
    pub output: PathBuf,
}

impl Started {
    pub fn runs(&self) -> bool {
        process::is_alive(self.pid, self.began)
    }
}

pub type Services = BTreeMap<String, Started>;

pub struct StateFile {
    path: PathBuf,
    lock: PathBuf,
}

impl StateFile {
    pub fn of(data_dir: &Path) -> Self {
        Self { path: data_dir.join("services.json"), lock: data_dir.join("services.lock") }
    }

    /// Locks the state file against other commands until the returned file is dropped.
    pub fn hold(&self) -> anyhow::Result<File> {
        let file =
            File::create(&self.lock).with_context(|| format!("{} cannot be created", self.lock.display()))?;
        file.lock()?;
        Ok(file)
    }

    pub fn read(&self) -> anyhow::Result<Services> {
        let text = match std::fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Services::new()),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", self.path.display()));
            }
        };
        serde_json::from_slice(&text).with_context(|| {
            format!(
                "{} is not readable; check which services are running, then delete it",
                self.path.display()
            )
        })
    }

    /// Replaces the file atomically; only its owner may read it.
    pub fn write(&self, services: &Services) -> anyhow::Result<()> {
        let new = self.path.with_extension("json.new");
        let mut file = private_file(&new)?;
        file.write_all(&serde_json::to_vec_pretty(services)?)?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)
            .with_context(|| format!("{} cannot be written", self.path.display()))
    }
}

/// Creates an empty file that only its owner may read.
pub fn private_file(path: &Path) -> anyhow::Result<File> {
    let _an_old_one = std::fs::remove_file(path);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).with_context(|| format!("{} cannot be created", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_process_id_is_not_ours() {
        let began = process::started_at(std::process::id());
        let started = |began| Started {
            pid: std::process::id(),
            began,
            started: chrono::DateTime::default(),
            roles: "all".to_owned(),
            output: PathBuf::new(),
        };
        assert!(started(began).runs());
        assert!(!started(Some(began.unwrap_or(0) + 1)).runs());
    }

    #[test]
    fn the_file_is_private_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFile::of(folder.path());
        assert!(state.read().unwrap().is_empty());
        let one = Started {
            pid: 7,
            began: Some(9),
            started: chrono::DateTime::default(),
            roles: "web".to_owned(),
            output: PathBuf::from("x"),
        };
        state.write(&Services::from([("web".to_owned(), one)])).unwrap();
        assert_eq!(state.read().unwrap()["web"].pid, 7);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join("services.json")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(folder.path().join("services.json"), "{").unwrap();
        assert!(state.read().unwrap_err().to_string().contains("not readable"));
    }
}
