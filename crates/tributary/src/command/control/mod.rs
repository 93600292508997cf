//! `tributary start`, `stop`, `restart`, `status` and `watch`: background services for hosts without systemd.

mod readiness;
mod start;
mod state;
mod status;
mod stop;

pub use start::Start;
pub use status::{Status, Watch};
pub use stop::Stop;

use super::CliContext;
use crate::running_service::RunningService;
use crate::service::{Role, SERVE_LOCK};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name of a service with all roles in one process.
pub const ALL: &str = "all";
/// How to stop a service that blocks a command.
pub const HOW_TO_STOP: &str =
    "stop it the way it was started: `tributary stop`, Ctrl-C, or `systemctl stop tributary`";

/// Restart background services.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary restart
  tributary restart search")]
pub struct Restart {
    /// `all` or roles [default: the services that were started]
    services: Vec<String>,
}

impl Restart {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let mut services = self.services;
        if services.is_empty() {
            services = folder(cli)?.0.read()?.into_keys().collect();
        }
        Stop { services: services.clone() }.run(cli).await?;
        Start { services }.run(cli).await
    }
}

/// The state file of the data folder and the settings.
fn folder(cli: &CliContext) -> anyhow::Result<(state::StateFile, domain::settings::Settings)> {
    let settings = cli.load_settings(&[])?.settings;
    let state = state::StateFile::of(&PathBuf::from(&settings.data_dir));
    Ok((state, settings))
}

/// Whether a service runs on the data folder that was not started by `tributary start`, e.g. in a terminal or by
/// systemd.
fn runs_unlisted(data_dir: &Path) -> bool {
    let held = std::fs::File::open(data_dir.join(SERVE_LOCK)).map(|file| file.try_lock());
    matches!(held, Ok(Err(std::fs::TryLockError::WouldBlock)))
}

/// The folder of a service that `tributary start` did not start, with its address and process if they are known.
fn describe_unlisted(data_dir: &Path) -> String {
    let folder = data_dir.display();
    match RunningService::find(data_dir) {
        Some(RunningService { pid, url, .. }) => format!("{folder} ({url}, process {pid})"),
        None => folder.to_string(),
    }
}

/// Fails if the name is neither `all` nor a role.
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
