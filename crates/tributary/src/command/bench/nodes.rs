//! Processes of the program itself, and the CPU time of processes.

use anyhow::{Context, ensure};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// How long a process may take until it listens.
const START_MAX: Duration = Duration::from_secs(60);
/// What Linux reports in, on every machine it runs on.
const TICKS_PER_SECOND: u64 = 100;

/// A running `tributary serve`. Killed when dropped.
pub(super) struct Node {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Node {
    /// Starts it with these settings and no others, in a data folder of its own.
    pub(super) fn start(
        folder: &Path,
        roles: Option<&str>,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let program = std::env::current_exe().context("the program does not find itself")?;
        let mut command = Command::new(program);
        command.args(["serve", "--port", "0"]).env_clear().current_dir(folder).kill_on_drop(true);
        if let Some(roles) = roles {
            command.args(["--roles", roles]);
        }
        command.env("SVC_DATA_DIR", folder).envs(settings.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("a process of the program cannot be started")?;
        let said = BufReader::new(child.stdout.take().context("its output is piped")?).lines();
        Ok(Self { child, said })
    }

    /// Where it listens, as it says itself.
    pub(super) async fn address(&mut self) -> anyhow::Result<String> {
        let said = async {
            while let Some(line) = self.said.next_line().await? {
                if let Some((_, address)) = line.split_once("listens on ") {
                    return Ok(address.trim().to_owned());
                }
            }
            anyhow::bail!("the web process ended before it listened")
        };
        tokio::time::timeout(START_MAX, said).await.context("the web process does not listen")?
    }

    pub(super) fn cpu(&self) -> anyhow::Result<Duration> {
        let pid = self.child.id().context("a process of the program has ended")?;
        let cpu = cpu_of(pid);
        ensure!(!cpu.is_zero(), "the system does not tell the CPU time of a process");
        Ok(cpu)
    }
}

/// CPU time of a process so far; zero where the system does not tell.
pub(super) fn cpu_of(pid: u32) -> Duration {
    times(pid).map_or(Duration::ZERO, |times| times.own)
}

/// CPU time of processes so far, with that of their children, dead or alive.
pub(super) fn cpu_of_families(heads: &[u32]) -> Duration {
    if heads.is_empty() {
        return Duration::ZERO;
    }
    let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let times = times(pid)?;
        let counts = heads.contains(&pid) || heads.contains(&times.parent);
        counts.then_some(times.own + times.dead_children)
    })
    .sum()
}

struct Times {
    parent: u32,
    own: Duration,
    dead_children: Duration,
}

fn times(pid: u32) -> Option<Times> {
    parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// `/proc/<pid>/stat`: the name is in brackets and may hold anything, the rest are fields parted by spaces.
fn parse(stat: &str) -> Option<Times> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    let time = |field: usize| {
        Some(Duration::from_millis((ticks(field)? + ticks(field + 1)?) * 1000 / TICKS_PER_SECOND))
    };
    Some(Times { parent: fields.get(1)?.parse().ok()?, own: time(11)?, dead_children: time(13)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_whatever_the_name_is() {
        let stat = "7 (a) b (c) S 3 7 7 0 -1 4194560 1 2 3 4 150 50 20 10 20 0 1 0 99";
        let times = parse(stat).unwrap();
        assert_eq!(times.parent, 3);
        assert_eq!((times.own.as_millis(), times.dead_children.as_millis()), (2000, 300));
        assert!(parse("7 (a) S 3").is_none() && parse("").is_none());
    }
}
