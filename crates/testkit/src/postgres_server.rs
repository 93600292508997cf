//! A PostgreSQL server per test, which may be stopped, started with the programs in the folder of
//! `SVC_TEST_POSTGRES_BIN`.

use crate::pause;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// PostgreSQL refuses to run as root; this user exists on every machine.
const TESTER: &str = "nobody";

/// Stopped when dropped.
pub struct PostgresServer {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    is_root: bool,
}

impl PostgresServer {
    /// Creates an empty server without starting it; skips the `suite` if that is impossible.
    pub fn prepare(suite: &str) -> Option<Self> {
        let programs = crate::given("SVC_TEST_POSTGRES_BIN", suite)?;
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a port").port();
        let folder = tempfile::tempdir().expect("a folder");
        let server = Self { programs: programs.into(), folder, port, is_root: is_root() };
        if server.is_root && !succeeds(Command::new("chown").arg(TESTER).arg(server.folder.path())) {
            crate::skip(suite, &format!("there is no user {TESTER} for PostgreSQL"));
            return None;
        }
        let data = server.data();
        let made = succeeds(server.program("initdb").arg("-D").arg(data).args([
            "-A",
            "trust",
            "-U",
            "postgres",
            "--no-sync",
        ]));
        assert!(made, "initdb failed");
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts it, or restarts it with its data, and waits until it responds.
    pub fn start(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off",
            self.port
        );
        let log = self.data().join("server.log");
        let mut start = self.program("pg_ctl");
        start.arg("-D").arg(self.data()).args(["-w", "-t", "60", "-o", &options, "-l"]).arg(log).arg("start");
        assert!(succeeds(&mut start), "PostgreSQL did not start");
    }

    /// `fast` disconnects its clients; `immediate` crashes.
    pub fn stop(&self, mode: &str) {
        assert!(self.is_stopped(mode), "PostgreSQL did not stop");
    }

    /// Suspends all its processes: connections are open, and nothing responds.
    pub fn pause(&self) {
        self.for_each_process(pause::pause);
    }

    /// Resumes the processes.
    pub fn resume(&self) {
        self.for_each_process(pause::resume);
    }

    /// The parent process first. Its children may end at any time.
    fn for_each_process(&self, act: fn(&str) -> bool) {
        let told = std::fs::read_to_string(self.data().join("postmaster.pid")).expect("it was started");
        let main = told.lines().next().expect("its process");
        let _is_there = act(main);
        for child in children(main) {
            let _is_there = act(&child);
        }
    }

    fn is_stopped(&self, mode: &str) -> bool {
        succeeds(self.program("pg_ctl").arg("-D").arg(self.data()).args(["-w", "-m", mode, "stop"]))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if self.is_root { Command::new("runuser") } else { Command::new(&program) };
        if self.is_root {
            command.args(["-u", TESTER, "--"]).arg(program);
        }
        command.current_dir(Path::new("/"));
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists() {
            self.resume();
        }
        let _stopped_already = self.is_stopped("immediate");
    }
}

/// The children of this process.
fn children(id: &str) -> Vec<String> {
    let told = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("Linux tells");
    told.split_whitespace().map(str::to_owned).collect()
}

/// The server outlives `pg_ctl` and would keep its pipes open, so nothing is read from them.
fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
