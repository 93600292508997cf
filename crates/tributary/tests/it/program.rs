//! The program, started as a person starts it.

use crate::app_harness::Client;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use testkit::{Signal, send_signal};

/// How long the program may take until it listens; a debug build on a busy machine is slow.
const START_MAX: Duration = Duration::from_secs(60);

/// A running `tributary serve` or `tributary demo`. Killed when dropped.
pub struct Running {
    child: Child,
    pub base: String,
    /// What it printed until it listened.
    pub said: Vec<String>,
}

/// The program with a clean environment, in `folder`.
pub fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tributary"));
    command.args(arguments).current_dir(folder).env_clear().stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    program(folder, arguments).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Running {
    /// Starts the program and waits until it prints its address.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut running = Self { child, base: String::new(), said: Vec::new() };
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _the_test_has_enough = send.send(line);
            }
        });
        let started = Instant::now();
        while running.base.is_empty() {
            let line = lines.recv_timeout(START_MAX.saturating_sub(started.elapsed()));
            let line = line.unwrap_or_else(|_| panic!("the program did not start: {:?}", running.said));
            let is_base = |word: &&str| {
                ["http://127.0.0.1:", "https://127.0.0.1:"].iter().any(|start| word.starts_with(start))
            };
            let address = line.split_whitespace().find(is_base);
            running.base = address.filter(|_| line.contains("Tributary")).unwrap_or_default().to_owned();
            running.said.push(line);
        }
        // The demo prints more after its address.
        while let Ok(line) = lines.recv_timeout(Duration::from_millis(200)) {
            running.said.push(line);
        }
        running
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn client(&self, authorization: Option<String>) -> Client {
        Client::new(&self.base, authorization)
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM and waits. Returns the exit code.
    pub fn terminate(mut self) -> Option<i32> {
        assert!(send_signal(self.child.id(), Signal::TERM));
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone_already = self.child.kill();
        let _gone_already = self.child.wait();
    }
}

/// systemd waits for the readiness notification, and kills a service whose watchdog messages stop.
#[cfg(target_os = "linux")]
#[test]
fn the_service_manager_is_notified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(START_MAX)).unwrap();
    let told = || {
        let mut datagram = [0; 64];
        let length = socket.recv(&mut datagram).unwrap();
        text(&datagram[..length])
    };
    let mut command = program(folder.path(), &["serve", "--port", "0"]);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "400000");
    let running = Running::start(command);
    assert_eq!([told(), told(), told()], ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]);
    assert_eq!(running.terminate(), Some(0));
    let rest: Vec<String> = std::iter::repeat_with(told).take_while(|text| text != "STOPPING=1").collect();
    assert!(rest.iter().all(|text| text == "WATCHDOG=1"), "{rest:?}");
}

#[test]
fn settings_show_value_and_origin_and_all_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tributary.toml"), "SVC_TIMEOUT = 7\nSVC_PORT = 9000\n").unwrap();
    let shown = program(folder.path(), &["settings"])
        .env("SVC_PORT", "9100")
        .env("SVC_SECRET_KEY", "hush-hush")
        .output()
        .unwrap();
    let shown = text(&shown.stdout);
    let row = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert_eq!(row("SVC_PORT").split_whitespace().collect::<Vec<_>>(), ["SVC_PORT", "9100", "environment"]);
    assert_eq!(row("SVC_TIMEOUT").split_whitespace().collect::<Vec<_>>(), ["SVC_TIMEOUT", "7", "file"]);
    assert!(row("SVC_HOST").ends_with("default"));
    assert!(!shown.contains("hush-hush"), "secrets are hidden");

    std::fs::write(folder.path().join("tributary.toml"), "SVC_TIMEOT = 7\n").unwrap();
    let wrong = program(folder.path(), &["serve"]).env("SVC_PORT", "eighty").output().unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    let said = text(&wrong.stderr);
    assert!(
        said.contains("2 error(s)") && said.contains("SVC_PORT") && said.contains("'SVC_TIMEOUT'"),
        "{said}"
    );
}

#[test]
fn people_tokens_and_providers_by_command() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let added = run(here, &["user", "add", "anna", "--admin", "--group", "research"]);
    assert!(added.status.success(), "{added:?}");
    assert!(text(&added.stdout).contains("Password: "));
    assert!(text(&run(here, &["user", "list"]).stdout).contains("research"));
    let taken = run(here, &["user", "add", "anna"]);
    assert_eq!(taken.status.code(), Some(1));
    assert!(text(&taken.stderr).contains("already taken"), "{taken:?}");

    let token = run(here, &["token", "add", "anna", "--label", "laptop", "--days", "3"]);
    assert!(text(&token.stdout).starts_with("trb_"), "{token:?}");
    let list = text(&run(here, &["token", "list"]).stdout);
    assert!(list.contains("laptop") && !list.contains(text(&token.stdout).trim()), "{list}");
    assert!(run(here, &["token", "revoke", "1"]).status.success());
    assert_eq!(run(here, &["token", "revoke", "1"]).status.code(), Some(1));
    assert_eq!(run(here, &["token", "add", "nobody"]).status.code(), Some(1));

    let good = r#"[{"name":"A","url":"https://a.example/"},{"name":"B","connector":"RequestGet"}]"#;
    std::fs::write(here.join("providers.json"), good).unwrap();
    std::fs::write(here.join("broken.json"), "{").unwrap();
    let loaded = run(here, &["load-providers", "--user", "anna", "providers.json", "broken.json"]);
    assert_eq!(loaded.status.code(), Some(1));
    assert_eq!(text(&loaded.stdout).trim(), "1 added, 0 replaced, 0 already present, 2 failed");
    let said = text(&loaded.stderr);
    assert!(said.contains("record 2 (B)") && said.contains("Did you mean 'RequestsGet'?"), "{said}");
    // A name in different case is the same name.
    std::fs::write(here.join("providers.json"), good.replace("\"A\"", "\" a\"")).unwrap();
    let again = run(here, &["load-providers", "--user", "anna", "--replace", "providers.json"]);
    assert_eq!(text(&again.stdout).trim(), "0 added, 1 replaced, 0 already present, 1 failed");
    std::fs::write(here.join("other.json"), r#"{"name":"A","url":"https://a.example/other"}"#).unwrap();
    let other = run(here, &["load-providers", "--user", "anna", "other.json"]);
    assert_eq!(other.status.code(), Some(1), "it is not the same source");
    assert!(text(&other.stderr).contains("another source has this name"), "{other:?}");

    assert!(text(&run(here, &["migrate"]).stdout).contains("up to date"));
    let last = run(here, &["user", "delete", "anna"]);
    assert_eq!(last.status.code(), Some(1));
    assert!(text(&last.stderr).contains("there must be an administrator"), "{last:?}");
    assert!(run(here, &["user", "add", "berta", "--admin"]).status.success());
    assert!(run(here, &["user", "delete", "anna"]).status.success());
    let nobody = run(here, &["search", "river"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(text(&nobody.stderr).contains("no user 'admin'"), "{nobody:?}");
}

#[test]
fn help_has_examples() {
    let folder = tempfile::tempdir().unwrap();
    let help = text(&run(folder.path(), &["--help"]).stdout);
    for command in
        ["demo", "serve", "search", "load-providers", "user", "token", "migrate", "settings", "bench"]
    {
        assert!(help.contains(command), "{command} is missing in:\n{help}");
    }
    assert!(help.contains("Examples:"));
    assert_eq!(run(folder.path(), &["serv"]).status.code(), Some(2));
    let role = run(folder.path(), &["serve", "--roles", "webb"]);
    assert!(text(&role.stderr).contains("'webb' is not a role"), "{role:?}");
}

/// A folder and its contents, with their permissions.
fn modes(path: &Path) -> Vec<(PathBuf, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = std::fs::metadata(path).unwrap();
    let mut found = vec![(path.to_owned(), metadata.permissions().mode() & 0o777)];
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            found.extend(modes(&entry.unwrap().path()));
        }
    }
    found
}

#[test]
fn the_first_start_makes_an_administrator_and_stops_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path(), &["serve", "--port", "0"]));
    let said = running.said.join("\n");
    let password = said.split("Password: ").nth(1).unwrap().lines().next().unwrap();
    let file = folder.path().join("data/initial-admin-password");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), password);
    let found = modes(&folder.path().join("data"));
    let of = |name: &str| found.iter().find(|(path, _)| path.ends_with(name)).map(|(_, mode)| *mode);
    assert_eq!([of("data"), of("secret.key"), of("tributary.db")], [Some(0o700), Some(0o600), Some(0o600)]);
    let open: Vec<_> = found.iter().filter(|(_, mode)| mode & 0o077 != 0).collect();
    assert!(open.is_empty() && found.len() > 10, "others can read {open:?}");
    assert_eq!(running.terminate(), Some(0));
    let again = Running::start(program(folder.path(), &["serve", "--port", "0"]));
    assert!(!again.said.join("\n").contains("Password"), "it is said once");
}
