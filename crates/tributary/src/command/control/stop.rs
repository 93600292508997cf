//! `tributary stop`: graceful stop, then SIGKILL after a timeout.

use super::state::Services;
use super::{check_name, describe_unlisted, folder, runs_unlisted};
use crate::command::CliContext;
use crate::{process, terminal};
use clap::Args;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Extra time beyond `SVC_DRAIN` and `SVC_STOP_GRACE`.
const EXTRA: Duration = Duration::from_secs(5);
/// Maximum wait after SIGKILL.
const KILL_WAIT: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Stop background services gracefully.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary stop
  tributary stop search

Services finish running work first, for at most SVC_DRAIN + SVC_STOP_GRACE + 5 seconds. After that they are killed, and
their tasks resume at the next start.")]
pub struct Stop {
    /// `all` or roles [default: all that were started]
    pub services: Vec<String>,
}

impl Stop {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let (state, settings) = folder(cli)?;
        self.services.iter().try_for_each(|name| check_name(name))?;
        if !Path::new(&settings.data_dir).is_dir() {
            terminal::line("No services are running.");
            return Ok(ExitCode::SUCCESS);
        }
        let _one_at_a_time = state.hold()?;
        let mut services = state.read()?;
        let is_meant = |name: &String| self.services.is_empty() || self.services.contains(name);
        let mut meant = services.clone();
        meant.retain(|name, started| is_meant(name) && started.runs());
        if meant.is_empty() {
            let folder = Path::new(&settings.data_dir);
            anyhow::ensure!(
                !services.is_empty() || !runs_unlisted(folder),
                "the service on {} was not started by `tributary start`; press Ctrl-C where it runs, or run \
                 `systemctl stop tributary`",
                describe_unlisted(folder)
            );
            terminal::line("No services are running.");
        }
        let grace = settings.drain.0 + settings.stop_grace.0 + EXTRA;
        let has_stopped = stop_all(&meant, grace).await;
        services.retain(|_, started| started.runs());
        state.write(&services)?;
        Ok(if has_stopped { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Stops all services concurrently.
async fn stop_all(services: &Services, grace: Duration) -> bool {
    services.values().for_each(|started| process::terminate(started.pid));
    let until = Instant::now() + grace;
    let mut all_stopped = true;
    for (name, started) in services {
        while started.runs() && Instant::now() < until {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        if !started.runs() {
            terminal::line(format!("{name} stopped."));
            continue;
        }
        process::kill(started.pid);
        let killed = Instant::now();
        while started.runs() && killed.elapsed() < KILL_WAIT {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        if started.runs() {
            all_stopped = false;
            terminal::note(format!("{name}, process {}, cannot be stopped by this user.", started.pid));
        } else {
            terminal::line(format!(
                "{name} did not stop within {} seconds and was killed; its tasks resume at the next start.",
                grace.as_secs()
            ));
        }
    }
    all_stopped
}
