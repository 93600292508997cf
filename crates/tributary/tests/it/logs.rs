//! Log files: each part of the service writes its own, none contains a secret, and `tributary logs` reads them.

use crate::app_harness::{Client, items};
use crate::program::{Running, program, run, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;
use testkit::source::{Behavior, Source};
use testkit::{Signal, send_signal};

const PASSWORD: &str = "a password for tests";
const FILES: [&str; 9] = [
    "django.log",
    "tasks-beats.log",
    "tasks-corpus-worker.log",
    "tasks-healthcheck-worker.log",
    "tasks-interactive-worker.log",
    "tasks-maintenance-worker.log",
    "tasks-pagefetch-worker.log",
    "tasks-search-orchestrator-worker.log",
    "tasks-search-worker.log",
];

fn log(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("data/logs").join(name)).unwrap()
}

/// The line that contains all of these texts.
fn line<'a>(log: &'a str, parts: &[&str]) -> &'a str {
    let has_all = |line: &&str| parts.iter().all(|part| line.contains(part));
    log.lines().find(has_all).unwrap_or_else(|| panic!("no line with {parts:?} in:\n{log}"))
}

fn provider(name: &str, source: &Source) -> Value {
    json!({"name": name, "url": source.url(), "query_template": "{url}?q={query_string}",
        "response_mappings": "FOUND=total,RESULTS=items", "result_mappings": "title=title,body=body,url=url"})
}

/// Starts searches in every way, signs in, and fails to sign in.
async fn use_service(client: &Client) {
    let created = client.request(Method::POST, "/svc/search/").header("X-Request-Id", "made-by-post");
    let created = created.header("Content-Type", "application/json").body(r#"{"query_string": "river"}"#);
    assert_eq!(created.send().await.unwrap().status(), 201);
    client.ready(1).await;
    assert_eq!(client.get("/svc/results/?search_id=1").await.status, 200);
    assert_eq!(client.get("/svc/search/?q=river").await.status, 302);
    assert_eq!(client.get("/svc/search/?qs=river").await.status, 200);
    assert_eq!(client.get("/svc/search/?rerun=1").await.status, 302);
    assert_eq!(client.get("/svc/search/?update=1").await.status, 302);
    let login = |password: &str| json!({"username": "admin", "password": password});
    assert_eq!(client.post("/svc/login/", &login(PASSWORD)).await.status, 200);
    assert_eq!(client.post("/svc/login/", &login("wrong")).await.status, 401);
    let _another = client.post("/svc/login/", &login("wrong")).await;
    assert_eq!(client.post("/svc/login/", &login("wrong")).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_part_writes_its_own_file_and_the_command_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 4)));
    let mut command = program(here, &["serve", "--port", "0"]);
    command
        .env("SVC_ADMIN_PASSWORD", PASSWORD)
        .env("SVC_EXPIRE_EVERY", "1")
        .env("SVC_THROTTLE_LOGIN", "2/minute");
    let running = Running::start(command);
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    assert_eq!(client.post("/svc/searchproviders/", &provider("One", &source)).await.status, 201);
    let broken = json!({"name": "Two", "url": "http://127.0.0.1:1/", "active": true, "default": false});
    assert_eq!(client.post("/svc/searchproviders/", &broken).await.status, 201);
    use_service(&client).await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(running.terminate(), Some(0));

    let mut there: Vec<String> = fs::read_dir(here.join("data/logs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    there.sort();
    assert_eq!(there, FILES);
    let api = log(here, "django.log");
    line(&api, &["INFO", "listens on http://127.0.0.1:"]);
    line(&api, &["INFO", "request.id=made-by-post", "search_post: search 1 of user 1", "search.id=1"]);
    line(&api, &["INFO", "request.id=made-by-post", "client.address=127.0.0.1", "answered 201"]);
    for way in ["search_q: search 2", "search_qs: search 3", "rerun: search 1", "update: search 1"] {
        line(&api, &["INFO", way]);
    }
    line(&api, &["INFO", "results: 4 of search 1 are shown", "user.id=1"]);
    line(&api, &["INFO", "login: admin signed in"]);
    line(&api, &["WARN", "client.address=127.0.0.1", "login failed: wrong password for admin"]);
    line(&api, &["Throttled", "/svc/login/", "429"]);
    line(&api, &["INFO", "stopped"]);
    assert!(!api.contains("queue="), "work of queues is logged elsewhere:\n{api}");
    let whole = log(here, "tasks-search-orchestrator-worker.log");
    line(
        &whole,
        &["INFO", "search.id=1", "search 1 of user 1 ended", "_READY with 4 results in", "user.id=1"],
    );
    line(&whole, &["request.id=made-by-post", "search 1 of user 1 ended"]);
    let work = log(here, "tasks-search-worker.log");
    line(&work, &["INFO", "search.id=1", "One returned 4 of 4 results"]);
    line(&work, &["INFO", "search.id=1", "request.id=made-by-post", "One returned 4 of 4 results"]);
    line(&work, &["INFO", "task run_search ended"]);
    line(&log(here, "tasks-beats.log"), &["INFO", "expire"]);
    line(&log(here, "tasks-beats.log"), &["INFO", "There is no license"]);
    line(&log(here, "tasks-maintenance-worker.log"), &["INFO", "task expire ended"]);
    line(&log(here, "tasks-corpus-worker.log"), &["INFO", "serves the queue"]);
    read_by_command(here);
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_scrapes_and_resting_sources_do_not_fill_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply(Behavior::status(503));
    let mut command = program(folder.path(), &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD);
    let running = Running::start(command);
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    assert_eq!(client.post("/svc/searchproviders/", &provider("Shaky", &source)).await.status, 201);
    // Five failures open its circuit breaker; four searches skip it.
    for _ in 0..9 {
        assert_eq!(client.get("/svc/search/?qs=river").await.status, 200);
    }
    for path in ["/svc/health/live/", "/svc/health/ready/", "/svc/metrics/tasks/", "/metrics/"] {
        assert_eq!(client.get(path).await.status, 200, "{path}");
    }
    assert_eq!(client.get("/svc/health/nothing/").await.status, 404);
    assert_eq!(running.terminate(), Some(0));
    let work = log(folder.path(), "tasks-search-worker.log");
    let failures =
        |code: &str| work.lines().filter(|line| line.contains(&format!("error=\"{code}\""))).count();
    assert_eq!((failures("unavailable"), failures("suspended")), (5, 1), "{work}");
    let api = log(folder.path(), "django.log");
    line(&api, &["INFO", "answered 404"]);
    for route in ["/svc/health/", "/metrics/", "/svc/metrics/"] {
        assert!(!api.lines().any(|line| line.contains(&format!("GET {route}"))), "{route}: {api}");
    }
}

fn read_by_command(here: &Path) {
    let shown = |arguments: &[&str]| -> Vec<String> {
        let output = run(here, &[&["logs", "--no-follow"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).lines().map(str::to_owned).collect()
    };
    let of_search = shown(&["--search", "1", "--lines", "1000"]);
    assert!(of_search.iter().all(|line| line.contains("search.id=1") && !line.contains('\x1b')));
    let names: std::collections::BTreeSet<&str> =
        of_search.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["django", "search", "search-orchestrator"]);
    let times: Vec<&str> = of_search.iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
    // Three searches were started and one was viewed; three runs, each with a line of its provider, of the cache and of
    // its own.
    assert_eq!(times.len(), 4 + 3 + 3 + 3, "{of_search:#?}");
    assert!(times.is_sorted(), "{times:?}");
    assert!(shown(&["--request", "made-by-post"]).len() >= 2);
    assert_eq!(shown(&["--lines", "3"]).len(), 3);
    assert!(shown(&["--file", "beats", "tasks-maintenance-worker.log", "--grep", "EXPIRE"]).len() >= 2);
    assert!(shown(&["--level", "warn", "--lines", "1000"]).iter().all(|line| line.contains(" WARN ")));
    let unknown = run(here, &["logs", "--file", "swirl"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("no log file 'swirl'; use django"), "{unknown:?}");
}

#[test]
fn new_lines_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("data/logs");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("django.log"), "2026-01-01T00:00:01.000000Z  INFO old: line\n").unwrap();
    let mut child = program(folder.path(), &["logs"]).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _the_test_has_enough = send.send(line);
        }
    });
    let next = || lines.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(next().ends_with("INFO old: line"));
    let write = |name: &str, line: &str| {
        let file = fs::File::options().append(true).create(true).open(logs.join(name));
        writeln!(file.unwrap(), "{line}").unwrap();
    };
    write("django.log", "2026-01-01T00:00:02.000000Z  WARN new: text");
    assert!(next().ends_with("WARN new: text"));
    let json = r#"{"timestamp":"2026-01-01T00:00:03.000000Z","level":"ERROR","fields":{"message":"json"},"target":"new"}"#;
    write("tasks-beats.log", json);
    assert_eq!(next(), "beats               2026-01-01T00:00:03.000000Z ERROR new: json");
    fs::rename(logs.join("django.log"), logs.join("django.log.1")).unwrap();
    write("django.log", "2026-01-01T00:00:04.000000Z  INFO after: rotation");
    assert!(next().ends_with("INFO after: rotation"));
    assert!(send_signal(child.id(), Signal::TERM));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// All log files together.
fn all_logs(here: &Path) -> String {
    let logs = fs::read_dir(here.join("data/logs")).unwrap();
    logs.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

/// Every line is JSON, and none contains one of these secrets.
fn assert_no_secret(logs: &str, secrets: &[&str]) {
    assert!(logs.lines().count() > 60, "too few lines to prove anything:\n{logs}");
    for line in logs.lines() {
        let read: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(read["timestamp"].is_string() && read["level"].is_string(), "{line}");
    }
    for secret in secrets {
        let hit = logs.lines().find(|line| line.contains(secret));
        assert_eq!(hit, None, "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_log_contains_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut command = program(here, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", "canary-admin").env("SVC_SECRET_KEY", "canary-secret-key");
    command
        .env("SVC_LOG_LEVEL", "trace")
        .env("SVC_LOG_FORMAT", "json")
        .env("SVC_LOG_DEBUG", "outbound,server");
    command.env("SVC_TIMEOUT", "5").stderr(Stdio::piped());
    let running = Running::start(command);
    let client = running.client(Some(crate::demo::basic("admin", "canary-admin")));
    let source = Source::start().await;
    let answers = [
        Behavior::Json(items("river", 2)),
        Behavior::status(500),
        Behavior::status(401),
        Behavior::redirect("http://169.254.169.254/?stolen=1", 302),
        Behavior::text("application/json", "{broken"),
    ];
    let credentials = [
        "bearer=canary-bearer",
        "key=canary-key",
        "X-Api-Key=canary-header",
        "HTTPBasicAuth('u','canary-basic')",
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        source.reply_at(&format!("/{number}"), answer);
        for (kind, credentials) in credentials.iter().enumerate() {
            let url = source.url_at(&format!("/{number}"));
            let template = if credentials.starts_with("key=") {
                "{url}?q={query_string}&k={key}"
            } else {
                "{url}?q={query_string}"
            };
            let spec = json!({"name": format!("P{number}{kind}"), "url": url, "credentials": credentials,
                "query_template": template, "response_mappings": "FOUND=total,RESULTS=items"});
            let created = client.post("/svc/searchproviders/", &spec).await;
            assert_eq!(created.status, 201, "{created:?}");
        }
    }
    let gone = json!({"name": "Gone", "url": "http://127.0.0.1:1/",
        "query_template": "{url}?q={query_string}&k={key}", "credentials": "key=canary-gone"});
    assert_eq!(client.post("/svc/searchproviders/", &gone).await.status, 201);
    let search = client.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "PARTIAL_RESULTS_READY", "{search}");
    let sent = format!("{:?}", source.requests());
    assert!(sent.contains("canary-bearer") && sent.contains("canary-key"), "the secrets were really used");

    let user = json!({"username": "rosa", "password": "canary-password"});
    assert_eq!(client.post("/svc/users/", &user).await.status, 201);
    let token = client.post("/svc/tokens/", &json!({"label": "one"})).await;
    let token = token.body["token"].as_str().unwrap().to_owned();
    let with_token = running.client(Some(format!("Token {token}")));
    assert_eq!(with_token.get("/svc/search/").await.status, 200);
    let login = |name: &str, password: &str| json!({"username": name, "password": password});
    let signed_in = client.post("/svc/login/", &login("rosa", "canary-password")).await;
    let of_login = signed_in.body["token"].as_str().unwrap().to_owned();
    assert_eq!(client.post("/svc/login/", &login("rosa", "canary-wrong")).await.status, 401);
    assert_eq!(client.post("/svc/login/", &login("canary-in-the-wrong-field", "x")).await.status, 401);
    for header in ["Token canary-token", "canary-scheme", "Basic Y2FuYXJ5OmNhbmFyeQ=="] {
        assert_eq!(running.client(Some(header.to_owned())).get("/svc/search/").await.status, 401);
    }
    assert_eq!(running.terminate(), Some(0));
    assert_no_secret(&all_logs(here), &["canary", "Y2FuYXJ5", &token, &of_login]);
}

#[test]
fn a_database_that_is_not_there_is_named_without_its_password() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path(), &["serve", "--port", "0"]);
    command.env("SVC_DATABASE_URL", "postgres://svc:canary-database@127.0.0.1:1/none");
    let failed = command.output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    let logs = all_logs(folder.path());
    line(&logs, &["ERROR", "the service cannot start"]);
    let said = text(&failed.stderr);
    assert!(said.starts_with("tributary: ") && !said.contains("ERROR"), "said once: {said}");
    assert!(!logs.contains("canary") && !said.contains("canary"), "{said}\n{logs}");
}
