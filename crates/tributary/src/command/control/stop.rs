//! `tributary stop`: asks, waits, and only then ends by force.

use super::state::Services;
use super::{HOW_TO_STOP, check_name, folder, process, runs_unlisted};
use crate::command::Place;
use crate::terminal;
use clap::Args;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How much longer than its own grace a service may take.
const MORE: Duration = Duration::from_secs(5);
/// How long the system may take to end a process by force.
const KILL_WAIT: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Stop services: running work is finished first, for at most SVC_STOP_GRACE and 5 seconds.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary stop
  tributary stop search

Running work is finished first, for at most SVC_STOP_GRACE and 5 seconds. What does not end by then is ended by force;
its tasks go on at the next start.")]
pub struct Stop {
    /// `all` or roles; none: all that were started.
    pub services: Vec<String>,
}

impl Stop {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let (state, settings) = folder(place)?;
        self.services.iter().try_for_each(|name| check_name(name))?;
        if !Path::new(&settings.data_dir).is_dir() {
            terminal::line("No service runs.");
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
                "the service on {} was not started by `tributary start`; {HOW_TO_STOP}",
                folder.display()
            );
            terminal::line("No service runs.");
        }
        let grace = settings.drain.0 + settings.stop_grace.0 + MORE;
        let has_stopped = stop_all(&meant, grace).await;
        services.retain(|_, started| started.runs());
        state.write(&services)?;
        Ok(if has_stopped { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// All are asked at once, so that the longest decides how long it takes.
async fn stop_all(services: &Services, grace: Duration) -> bool {
    services.values().for_each(|started| process::terminate(started.pid));
    let until = Instant::now() + grace;
    let mut all_stopped = true;
    for (name, started) in services {
        while started.runs() && Instant::now() < until {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        if !started.runs() {
            terminal::line(format!("{name} has stopped."));
            continue;
        }
        process::kill(started.pid);
        let killed = Instant::now();
        while started.runs() && killed.elapsed() < KILL_WAIT {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        match started.runs() {
            false => terminal::line(format!(
                "{name} did not stop within {} seconds and was killed; its tasks go on at the next start.",
                grace.as_secs()
            )),
            true => {
                all_stopped = false;
                terminal::note(format!("{name}, process {}, cannot be stopped by this user.", started.pid));
            }
        }
    }
    all_stopped
}
