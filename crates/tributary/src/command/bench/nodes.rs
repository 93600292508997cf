//! Child processes that run the service, plain or under callgrind.

use super::context_switches::ContextSwitches;
use super::process_stats::{Memory, cpu_of, memory_of};
use super::profile::Profile;
use anyhow::{Context, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// Time limit until a process listens.
const START_MAX: Duration = Duration::from_secs(60);
/// Time limit until a process under callgrind listens.
const SLOW_START_MAX: Duration = Duration::from_secs(300);
/// Time limit for a killed process to exit.
const END_MAX: Duration = Duration::from_secs(30);
/// Time limit for valgrind to respond.
const CONTROL_MAX: Duration = Duration::from_secs(60);

/// A running `tributary serve`. Killed when dropped.
pub(super) struct Node {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
    start_max: Duration,
}

impl Node {
    /// Starts a process with only these settings, in its own data folder.
    pub(super) fn start(
        program: &Path,
        folder: &Path,
        roles: Option<&str>,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Self> {
        Self::spawn(Command::new(program), folder, roles, settings, START_MAX)
    }

    /// Starts a process under callgrind.
    pub(super) fn start_under_callgrind(
        program: &Path,
        folder: &Path,
        roles: Option<&str>,
        settings: &[(&str, String)],
        callgrind: &Callgrind,
    ) -> anyhow::Result<Self> {
        let mut command = Command::new("valgrind");
        command.args(callgrind.arguments()).arg(program);
        Self::spawn(command, folder, roles, settings, SLOW_START_MAX)
    }

    fn spawn(
        mut command: Command,
        folder: &Path,
        roles: Option<&str>,
        settings: &[(&str, String)],
        start_max: Duration,
    ) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        command.args(["serve", "--port", "0"]).env_clear().current_dir(folder).kill_on_drop(true);
        if let Some(roles) = roles {
            command.args(["--roles", roles]);
        }
        // valgrind needs PATH.
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("SVC_DATA_DIR", folder).envs(settings.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start a process")?;
        let said = BufReader::new(child.stdout.take().context("the output is not piped")?).lines();
        Ok(Self { child, said, start_max })
    }

    /// The listen address, from its output.
    pub(super) async fn address(&mut self) -> anyhow::Result<String> {
        let said = async {
            while let Some(line) = self.said.next_line().await? {
                if let Some((_, address)) = line.split_once("listens on ") {
                    return Ok(address.trim().to_owned());
                }
            }
            anyhow::bail!("the web process exited before it listened")
        };
        tokio::time::timeout(self.start_max, said).await.context("the web process did not listen in time")?
    }

    /// CPU time so far; `None` if the system does not report it.
    pub(super) fn cpu(&self) -> anyhow::Result<Option<Duration>> {
        Ok(cpu_of(self.pid()?))
    }

    /// Memory use; `None` if the system does not report it.
    pub(super) fn memory(&self) -> anyhow::Result<Option<Memory>> {
        Ok(memory_of(self.pid()?))
    }

    /// Starts to count context switches; `None` if the system does not report them.
    pub(super) fn context_switches(&self) -> anyhow::Result<Option<ContextSwitches>> {
        Ok(ContextSwitches::start(self.pid()?))
    }

    fn pid(&self) -> anyhow::Result<u32> {
        self.child.id().context("a process has exited")
    }

    /// Kills the process and waits until it has exited.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        let ended = tokio::time::timeout(END_MAX, self.child.kill()).await;
        ended.context("a process did not exit in time")?.context("cannot kill a process")
    }
}

/// Counts the user-space instructions and the function calls of a process.
pub(super) struct Callgrind {
    counts: PathBuf,
    pipe: PathBuf,
}

impl Callgrind {
    /// Uses this folder for its files. Fails if valgrind is not installed.
    pub(super) async fn new(folder: &Path) -> anyhow::Result<Self> {
        run_to_success(Command::new("valgrind").arg("--version"))
            .await
            .context("cannot start valgrind, which counts instructions; install it or omit --instructions")?;
        Ok(Self { counts: folder.join("callgrind.out"), pipe: folder.join("vgdb") })
    }

    fn arguments(&self) -> [OsString; 3] {
        [
            "--tool=callgrind".into(),
            option("--callgrind-out-file=", &self.counts),
            option("--vgdb-prefix=", &self.pipe),
        ]
    }

    /// Resets the counters.
    pub(super) async fn reset(&self, node: &Node) -> anyhow::Result<()> {
        self.control(node, "zero").await
    }

    /// The counts since the reset. Call once.
    pub(super) async fn count(&self, node: &Node) -> anyhow::Result<Profile> {
        self.control(node, "dump").await?;
        let file = self.counts.with_extension("out.1");
        let text = std::fs::read_to_string(&file).context("callgrind wrote no counts")?;
        Profile::parse(&text)
    }

    async fn control(&self, node: &Node, command: &str) -> anyhow::Result<()> {
        let pid = node.pid()?;
        let mut vgdb = Command::new("vgdb");
        vgdb.arg(option("--vgdb-prefix=", &self.pipe)).args([&format!("--pid={pid}"), command]);
        run_to_success(&mut vgdb).await.context("valgrind does not respond to vgdb")
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut text = OsString::from(name);
    text.push(path);
    text
}

async fn run_to_success(command: &mut Command) -> anyhow::Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let status = tokio::time::timeout(CONTROL_MAX, command.status()).await??;
    ensure!(status.success(), "exited with {status}");
    Ok(())
}
