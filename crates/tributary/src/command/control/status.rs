//! `tributary status` and `tributary watch`: a table of background services.

use super::state::{Services, Started};
use super::{ALL, check_name, describe_unlisted, folder, runs_unlisted, start};
use crate::command::{CliContext, exit_codes, health};
use crate::{process, terminal};
use clap::Args;
use domain::instant::Instant;
use domain::ports::{Clock, SystemClock};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use url::Url;

/// Show the status of background services.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary status
  tributary status web search

Exit codes: 0 all services are running, 1 only some are, 3 none is.")]
pub struct Status {
    /// `all` or roles [default: the services that were started]
    services: Vec<String>,
}

/// Show the status of background services continuously, until Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary watch
  tributary watch --every 1 --count 10

Press Ctrl-C to stop.")]
pub struct Watch {
    /// `all` or roles [default: the services that were started]
    services: Vec<String>,
    /// Seconds between updates.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
    /// Stop after this many updates.
    #[arg(long, value_name = "NUMBER")]
    count: Option<u64>,
}

impl Status {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let overview = look(cli, &self.services).await?;
        overview.lines.iter().for_each(terminal::line);
        Ok(match overview.running {
            0 => exit_codes::none_runs(),
            all if all == overview.services => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}

impl Watch {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let mut looks = 0;
        loop {
            let overview = look(cli, &self.services).await?;
            if std::io::stdout().is_terminal() {
                terminal::line("\x1b[2J\x1b[H");
            }
            overview.lines.iter().for_each(terminal::line);
            looks += 1;
            if self.count.is_some_and(|count| looks >= count) {
                return Ok(ExitCode::SUCCESS);
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(self.every)) => {}
                stopped = tokio::signal::ctrl_c() => {
                    stopped?;
                    return Ok(ExitCode::SUCCESS);
                }
            }
        }
    }
}

struct Overview {
    /// The table.
    lines: Vec<String>,
    services: usize,
    /// How many of the services are running.
    running: usize,
}

async fn look(cli: &CliContext, wanted: &[String]) -> anyhow::Result<Overview> {
    wanted.iter().try_for_each(|name| check_name(name))?;
    let (state, settings) = folder(cli)?;
    let services = state.read()?;
    let names: Vec<String> =
        if wanted.is_empty() { services.keys().cloned().collect() } else { wanted.to_vec() };
    let data_dir = Path::new(&settings.data_dir);
    if names.is_empty() && runs_unlisted(data_dir) {
        let line = format!(
            "A service is running on {} that was not started by `tributary start`; check it with `tributary health`",
            describe_unlisted(data_dir)
        );
        return Ok(Overview { lines: vec![line], services: 1, running: 1 });
    }
    if names.is_empty() {
        let line = "No services were started; run: tributary start".to_owned();
        return Ok(Overview { lines: vec![line], services: 0, running: 0 });
    }
    let now = SystemClock.now();
    let lines = vec![row(["service", "process", "uptime", "memory", "health"])];
    let mut overview = Overview { lines, services: names.len(), running: 0 };
    for name in &names {
        let running = running(&services, name);
        overview.running += usize::from(running.is_some());
        overview.lines.push(match running {
            None => row([name, "-", "-", "-", "not running"]),
            Some(started) => {
                let memory =
                    process::memory_mib(started.pid).map_or("-".to_owned(), |mib| format!("{mib} MiB"));
                let health = health_of(started).await;
                row([name, &started.pid.to_string(), &uptime(started.started, now), &memory, &health])
            }
        });
    }
    Ok(overview)
}

fn running<'a>(services: &'a Services, name: &str) -> Option<&'a Started> {
    services.get(name).filter(|started| started.runs())
}

/// The readiness of the web role; other roles have no HTTP endpoint here.
async fn health_of(started: &Started) -> String {
    if started.roles != ALL && started.roles != "web" {
        return "running".to_owned();
    }
    let address = start::address(&started.output);
    let url = address.as_deref().and_then(|at| Url::parse(&format!("{at}/svc/health/ready/")).ok());
    let Some(url) = url else { return "starting".to_owned() };
    match health::ask(&url).await {
        Ok(answer) if answer.status == 200 => "ready".to_owned(),
        Ok(answer) => format!("not ready: {}", answer.status),
        Err(_) => "no response".to_owned(),
    }
}

fn row(cells: [&str; 5]) -> String {
    let [service, process, uptime, memory, health] = cells;
    format!("{service:14} {process:>8} {uptime:>10} {memory:>10}  {health}")
}

fn uptime(since: Instant, now: Instant) -> String {
    let seconds = (now - since).num_seconds().max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, ..) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uptime_is_short() {
        let since = chrono::DateTime::default();
        for (seconds, expected) in
            [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (90_000, "1 d 1 h")]
        {
            assert_eq!(uptime(since, since + chrono::TimeDelta::seconds(seconds)), expected);
        }
    }
}
