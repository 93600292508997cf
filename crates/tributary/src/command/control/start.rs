//! `tributary start`: starts one process per service and waits until it is ready or has exited.

use super::readiness::Readiness;
use super::state::{Services, Started, private_file};
use super::{ALL, check_name, folder};
use crate::command::CliContext;
use crate::{process, terminal};
use anyhow::Context;
use clap::Args;
use domain::ports::{Clock, SystemClock};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Maximum wait until a new process is ready.
const READY_WAIT_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Last lines shown of a process that exited early, and maximum bytes of its output to read.
const LINES_SHOWN: usize = 20;
const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// Start services in the background; by default one process with all roles.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary start
  tributary start web search beat
  tributary status")]
pub struct Start {
    /// `all`, or roles: web, search, page_fetch, interactive, maintenance, corpus, health_check, beat.
    pub services: Vec<String>,
}

impl Start {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let names = if self.services.is_empty() { vec![ALL.to_owned()] } else { self.services };
        let (state, settings) = folder(cli)?;
        let logs = PathBuf::from(&settings.data_dir).join("logs");
        std::fs::create_dir_all(&logs).with_context(|| format!("{} cannot be created", logs.display()))?;
        let _one_at_a_time = state.hold()?;
        let mut services = state.read()?;
        services.retain(|_, started| started.runs());
        reject_duplicates(&names, &services)?;
        let mut children = Vec::new();
        for name in &names {
            let output = logs.join(format!("start-{name}.out"));
            let readiness = Readiness::of(name)?;
            let child = spawn(cli, name, &output, &readiness)?;
            let started = Started {
                pid: child.id(),
                began: process::started_at(child.id()),
                started: SystemClock.now(),
                roles: name.clone(),
                output,
            };
            services.insert(name.clone(), started);
            state.write(&services)?;
            children.push(Process { name: name.clone(), child, readiness, phase: Phase::Starting });
        }
        watch(&mut children).await?;
        let ended = children.iter().filter(|process| matches!(process.phase, Phase::Ended(_)));
        let is_whole = ended.map(|process| services.remove(&process.name)).count() == 0;
        state.write(&services)?;
        for process in &children {
            report(process, &logs.join(format!("start-{}.out", process.name)));
        }
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// A started process and its phase.
struct Process {
    name: String,
    child: Child,
    readiness: Readiness,
    phase: Phase,
}

enum Phase {
    Starting,
    Ready,
    Ended(ExitStatus),
}

fn report(process: &Process, output: &Path) {
    let (name, id) = (&process.name, process.child.id());
    match process.phase {
        Phase::Ended(status) => {
            terminal::note(format!("{name} exited: {status}. Last lines of {}:", output.display()));
            last_lines(output).iter().for_each(|line| terminal::note(format!("  {line}")));
        }
        Phase::Ready => {
            let created = last_lines(output).into_iter().find(|line| line.contains("User admin was created"));
            created.into_iter().for_each(terminal::line);
            let at = address(output).map(|at| format!(" on {at}")).unwrap_or_default();
            terminal::line(format!("{name} is running{at}, process {id}."));
        }
        Phase::Starting => terminal::line(format!(
            "{name} is still starting, process {id}; see `tributary status`, and {} for its output.",
            output.display()
        )),
    }
}

/// The listen address, from the output of a service with the web role.
pub fn address(output: &Path) -> Option<String> {
    let lines = last_lines(output);
    let is_address = |word: &&str| word.starts_with("http://") || word.starts_with("https://");
    let line = lines.iter().find(|line| line.contains(" listens on http"))?;
    line.split_whitespace().find(is_address).map(str::to_owned)
}

fn reject_duplicates(names: &[String], running: &Services) -> anyhow::Result<()> {
    for (index, name) in names.iter().enumerate() {
        check_name(name)?;
        anyhow::ensure!(!names[..index].contains(name), "{name} is named twice");
        anyhow::ensure!(
            name != ALL || names.len() == 1,
            "{ALL} includes every role; do not combine it with others"
        );
        if let Some(started) = running.get(name) {
            anyhow::bail!(
                "{name} is already running, process {}; to restart it: tributary restart {name}",
                started.pid
            );
        }
        if let Some(started) = running.get(ALL) {
            anyhow::bail!("{ALL} is already running, process {}, and includes {name}", started.pid);
        }
        anyhow::ensure!(
            name != ALL || running.is_empty(),
            "already running: {}; stop them first, or name the other roles",
            running.keys().cloned().collect::<Vec<_>>().join(", ")
        );
    }
    Ok(())
}

fn spawn(cli: &CliContext, name: &str, output: &Path, readiness: &Readiness) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("cannot determine the path of this program")?;
    let mut command = Command::new(program);
    if let Some(file) = &cli.config {
        command.arg("--config").arg(file);
    }
    if let Some(folder) = &cli.data_dir {
        command.arg("--data-dir").arg(folder);
    }
    command.arg("serve");
    if name != ALL {
        command.args(["--roles", name]);
    }
    readiness.attach(&mut command);
    let out = private_file(output)?;
    command.stdin(Stdio::null()).stderr(out.try_clone()?).stdout(out);
    // Its own process group, so that Ctrl-C in this terminal does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().with_context(|| format!("{name} cannot be started"))
}

/// Waits until each process is ready or has exited, or the time limit is reached.
async fn watch(processes: &mut [Process]) -> anyhow::Result<()> {
    let until = Instant::now() + READY_WAIT_MAX;
    while Instant::now() < until && processes.iter().any(|process| matches!(process.phase, Phase::Starting)) {
        tokio::time::sleep(LOOK_EVERY).await;
        for process in processes.iter_mut() {
            if let Some(status) = process.child.try_wait()? {
                process.phase = Phase::Ended(status);
            } else if process.readiness.take_ready() {
                process.phase = Phase::Ready;
            }
        }
    }
    Ok(())
}

fn last_lines(output: &Path) -> Vec<String> {
    let bytes = std::fs::read(output).unwrap_or_default();
    let from = bytes.len().saturating_sub(OUTPUT_BYTES_MAX);
    let text = String::from_utf8_lossy(&bytes[from..]).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].iter().map(|line| (*line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(names: &[&str]) -> Services {
        let one = |name: &&str| {
            let started = Started {
                pid: 1,
                began: None,
                started: chrono::DateTime::default(),
                roles: (*name).to_owned(),
                output: PathBuf::new(),
            };
            ((*name).to_owned(), started)
        };
        names.iter().map(one).collect()
    }

    #[test]
    fn running_services_are_not_started_twice() {
        let cases: [(&[&str], &[&str], &str); 7] = [
            (&["all"], &[], ""),
            (&["web", "search"], &["beat"], ""),
            (&["web"], &["web"], "is already running"),
            (&["web"], &["all"], "includes web"),
            (&["all"], &["web"], "stop them first"),
            (&["web", "web"], &[], "twice"),
            (&["all", "web"], &[], "do not combine"),
        ];
        for (names, there, expected) in cases {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let said = reject_duplicates(&names, &running(there)).err().map(|error| error.to_string());
            assert!(said.clone().unwrap_or_default().contains(expected), "{names:?} {there:?}: {said:?}");
            assert_eq!(said.is_none(), expected.is_empty(), "{names:?} {there:?}: {said:?}");
        }
    }

    #[test]
    fn the_last_lines_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        let lines: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        let shown = last_lines(&file);
        assert_eq!((shown.len(), shown[0].as_str(), shown[19].as_str()), (20, "line 80", "line 99"));
        std::fs::write(&file, "Tributary 0.2.0 listens on http://127.0.0.1:8000\n").unwrap();
        assert_eq!(address(&file).as_deref(), Some("http://127.0.0.1:8000"));
        std::fs::write(&file, "Tributary 0.2.0 listens on https://127.0.0.1:8443\n").unwrap();
        assert_eq!(address(&file).as_deref(), Some("https://127.0.0.1:8443"));
    }
}
