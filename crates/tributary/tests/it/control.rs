//! Background services, setup, completions and `tributary doctor`, as a person uses them.

use crate::program::{program, text};
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use testkit::source::{Behavior, Source};
use testkit::{Signal, send_signal};
use tributary::command::exit_codes;

/// A data folder whose services are stopped when the test ends, even if it fails.
struct Background(TempDir);

impl Background {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(self.path(), arguments);
        command.env("SVC_PORT", "0").env("SVC_STOP_GRACE", "3");
        command
    }

    fn pid(&self, service: &str) -> u32 {
        u32::try_from(self.state()[service]["pid"].as_u64().unwrap()).unwrap()
    }

    fn state(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path().join("data/services.json")).unwrap()).unwrap()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _none_may_run = self.command(&["stop"]).output();
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn a_service_starts_is_shown_and_stops() {
    let app = Background::new();
    assert_eq!(code(&app.run(&["status"])), 3, "none was started");
    let started = app.run(&["start"]);
    let said = text(&started.stdout);
    assert!(started.status.success(), "{started:?}");
    assert!(said.contains("all is running") && said.contains("Password: "), "{said}");
    let twice = app.run(&["start"]);
    assert!(code(&twice) == 1 && text(&twice.stderr).contains("is already running"), "{twice:?}");
    let other = app.run(&["start", "web"]);
    assert!(code(&other) == 1 && text(&other.stderr).contains("includes web"), "{other:?}");

    let status = app.run(&["status"]);
    let table = text(&status.stdout);
    assert!(code(&status) == 0 && table.contains("ready") && table.contains("MiB"), "{table}");
    assert!(table.contains(&app.pid("all").to_string()), "{table}");
    let watched = app.run(&["watch", "--every", "1", "--count", "2"]);
    assert_eq!(text(&watched.stdout).matches("service ").count(), 2, "{watched:?}");

    let before = app.pid("all");
    assert!(app.run(&["restart"]).status.success());
    assert_ne!(app.pid("all"), before);
    let stopped = app.run(&["stop"]);
    assert!(stopped.status.success() && text(&stopped.stdout).contains("all stopped"), "{stopped:?}");
    assert_eq!(code(&app.run(&["status"])), 3);
    assert_eq!(code(&app.run(&["stop"])), 0, "a second stop is no error");
}

#[test]
fn roles_run_separately_and_a_dead_one_is_reported() {
    let app = Background::new();
    assert!(app.run(&["setup"]).status.success());
    let started = app.run(&["start", "search", "beat"]);
    assert!(started.status.success(), "{started:?}");
    assert_eq!(code(&app.run(&["status"])), 0);
    assert!(send_signal(app.pid("search"), Signal::KILL));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let some = app.run(&["status"]);
    assert!(code(&some) == 1 && text(&some.stdout).contains("not running"), "{some:?}");
    assert_eq!(code(&app.run(&["status", "search"])), 3);
    assert_eq!(code(&app.run(&["status", "beat"])), 0);
    assert_eq!(code(&app.run(&["status", "nonsense"])), 1);
    assert!(app.run(&["start", "search"]).status.success(), "a dead one may be started again");
    assert!(app.run(&["stop", "search"]).status.success());
    assert_eq!(code(&app.run(&["status", "beat"])), 0, "the other goes on");
}

#[test]
fn an_early_end_is_shown_with_its_reason() {
    let app = Background::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(app.run(&["setup"]).status.success());
    // On a slow machine the process may outlive the time for which `start` watches it; then `status` reports that it is
    // gone.
    let port = taken.local_addr().unwrap().port().to_string();
    let started = app.command(&["start", "web"]).env("SVC_PORT", port).output().unwrap();
    let said = text(&started.stderr);
    assert_eq!(code(&started), 1, "{started:?}");
    assert!(said.contains("web exited") && said.contains("with --port or SVC_PORT"), "{said}");
    assert_eq!(code(&app.run(&["status"])), 3);
}

#[test]
fn another_process_with_the_same_id_is_not_stopped() {
    let app = Background::new();
    assert!(app.run(&["setup"]).status.success());
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let state = serde_json::json!({"all": {
        "pid": stranger.id(), "began": 1, "started": "2024-03-05T10:20:30Z", "roles": "all", "output": "x",
    }});
    std::fs::write(app.path().join("data/services.json"), state.to_string()).unwrap();
    assert_eq!(code(&app.run(&["status"])), 3);
    assert!(app.run(&["stop"]).status.success());
    assert!(stranger.try_wait().unwrap().is_none(), "it still runs");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn setup_makes_the_administrator_once() {
    let app = Background::new();
    let wrong = app.run(&["setup", "wikipedai"]);
    assert!(code(&wrong) == 1 && text(&wrong.stderr).contains("Did you mean 'wikipedia'?"), "{wrong:?}");
    assert!(!app.path().join("data").exists(), "a wrong name makes nothing");
    let first = app.run(&["setup", "wikipedia"]);
    let said = text(&first.stdout);
    assert!(first.status.success() && said.contains("Password: ") && said.contains("Added "), "{first:?}");
    let second = text(&app.run(&["setup", "wikipedia"]).stdout);
    assert!(!second.contains("Password: ") && second.contains("already exists"), "{second}");
}

#[test]
fn completions_know_the_commands() {
    let app = Background::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = app.run(&["completions", shell]);
        let script = text(&output.stdout);
        assert!(
            output.status.success() && script.contains("restore") && script.contains("doctor"),
            "{shell}"
        );
    }
    assert_eq!(code(&app.run(&["completions", "dos"])), 2);
}

#[test]
fn exit_codes_are_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains(&exit_codes::page()),
        "docs/operations.md needs this table:\n{}",
        exit_codes::page()
    );
    let help = text(&Background::new().run(&["--help"]).stdout);
    assert!(help.contains("Exit codes:") && help.contains("no service is running"), "{help}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_examines_the_installation() {
    let app = Background::new();
    let bare = app.run(&["doctor"]);
    assert_eq!(code(&bare), 0, "nothing failed: {bare:?}");
    assert!(text(&bare.stdout).contains("run: tributary setup"), "{bare:?}");
    assert!(!app.path().join("data").exists(), "looking makes nothing");

    assert!(app.run(&["setup"]).status.success());
    let idle = text(&app.run(&["doctor"]).stdout);
    for part in ["ok    settings", "ok    data folder", "ok    disk", "ok    outbound", "ok    database"] {
        assert!(idle.contains(part), "'{part}' is not in:\n{idle}");
    }
    assert!(idle.contains("warn  queue") && idle.contains("warn  providers"), "{idle}");

    let source = Source::start().await;
    source.reply(Behavior::Json(crate::app_harness::items("tea", 2)));
    for (name, url) in [("Good", source.url().to_string()), ("Gone", "http://127.0.0.1:1/".to_owned())] {
        let spec = serde_json::json!({"name": name, "url": url, "response_mappings": "RESULTS=items"});
        let file = app.path().join(format!("{name}.json"));
        std::fs::write(&file, spec.to_string()).unwrap();
        let loaded = app.run(&["load-providers", file.to_str().unwrap()]);
        assert!(loaded.status.success(), "{loaded:?}");
    }
    let asked = app.run(&["doctor"]);
    let said = text(&asked.stdout);
    assert!(code(&asked) == 1 && said.contains("ok    provider     Good: 2 of"), "{said}");
    assert!(said.contains("fail  provider     Gone:") && said.contains("1 failure."), "{said}");
    let offline = app.run(&["doctor", "--offline"]);
    assert!(code(&offline) == 0 && text(&offline.stdout).contains("2 active; not probed"), "{offline:?}");
    // The first start adds the cache as a source, which returns nothing without a license.
    let added = app.run(&["providers", "add", domain::corpus::PROVIDER_NAME]);
    assert!(added.status.success(), "{added:?}");
    let said = text(&app.run(&["doctor"]).stdout);
    assert!(
        said.contains("ok    provider     Files - Tributary Cache: not probed; it needs a license"),
        "{said}"
    );
    assert!(said.contains("1 warning, 1 failure."), "the queue and the source that is gone: {said}");

    let mistaken = app.command(&["doctor"]).env("SVC_TIMEOUT", "soon").output().unwrap();
    assert!(code(&mistaken) == 1 && text(&mistaken.stdout).contains("fail  settings"), "{mistaken:?}");
    let away = app.command(&["doctor"]).env("SVC_DATABASE_URL", "postgres://me:hush@127.0.0.1:1/db").output();
    let away = away.unwrap();
    assert!(code(&away) == 1 && text(&away.stdout).contains("fail  database"), "{away:?}");
    assert!(!text(&away.stdout).contains("hush"), "{away:?}");
}
