//! `tributary start`, `stop`, `restart`, `status` and `watch`: services in the background, for hosts without systemd.

mod process;
mod readiness;
mod start;
mod state;
mod status;
mod stop;

pub use start::Start;
pub use status::{Status, Watch};
pub use stop::Stop;

use super::Place;
use crate::service::{Role, SERVE_LOCK};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The service with every role, in one process.
pub const ALL: &str = "all";
/// What to do about a service that is in the way.
pub const HOW_TO_STOP: &str =
    "stop it where it was started: `tributary stop`, Ctrl-C, or `systemctl stop tributary`";

/// Stop services, then start them again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary restart
  tributary restart search")]
pub struct Restart {
    /// `all` or roles; none: those that were started.
    services: Vec<String>,
}

impl Restart {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let mut services = self.services;
        if services.is_empty() {
            services = folder(place)?.0.read()?.into_keys().collect();
        }
        Stop { services: services.clone() }.run(place).await?;
        Start { services }.run(place).await
    }
}

/// The state file of the data folder, and the settings.
fn folder(place: &Place) -> anyhow::Result<(state::StateFile, domain::settings::Settings)> {
    let settings = place.read(&[])?.settings;
    let state = state::StateFile::of(&PathBuf::from(&settings.data_dir));
    Ok((state, settings))
}

/// Whether a service runs on the folder that was not started by `tributary start`: in a terminal, or by systemd.
fn runs_unlisted(data_dir: &Path) -> bool {
    let held = std::fs::File::open(data_dir.join(SERVE_LOCK)).map(|file| file.try_lock());
    matches!(held, Ok(Err(std::fs::TryLockError::WouldBlock)))
}

/// Whether a word names a service.
fn check_name(name: &str) -> anyhow::Result<()> {
    if name != ALL {
        Role::parse(name).map_err(|error| anyhow::anyhow!("{error}, or {ALL}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_all_or_roles() {
        for (name, is_known) in
            [("all", true), ("web", true), ("beat", true), ("page_fetch", true), ("webb", false), ("", false)]
        {
            assert_eq!(check_name(name).is_ok(), is_known, "{name}");
        }
    }
}
