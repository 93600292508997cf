//! `tributary support-bundle`: it contains what helps, and nothing confidential, whatever the state of the
//! installation.

use crate::app_harness::items;
use crate::demo::basic;
use crate::program::{Running, program, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Output;
use testkit::source::{Behavior, Source};

const ADMIN: &str = "planted-admin-password";
const USER: &str = "quirina";
const QUERY: &str = "zinc harvest lode1871";
const TOKEN_FILE: &str = "token.txt";
/// The secrets of the settings.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("SVC_ADMIN_PASSWORD", ADMIN),
    ("SVC_SECRET_KEY", "planted-secret-key"),
    ("SVC_MCP_TOKEN", "planted-mcp-token"),
    ("SVC_TIKA_URL", "http://tika:planted-tika@tika.example:9998"),
    ("SVC_LOG_LEVEL", "trace"),
    ("SVC_OUTBOUND_ALLOW", "127.0.0.1"),
];

fn bundle(folder: &Path, more: &[&str], environment: &[(&str, &str)]) -> Output {
    let arguments = [&["support-bundle", "--output", "bundle.zip"][..], more].concat();
    program(folder, &arguments).envs(environment.iter().copied()).output().unwrap()
}

/// Every file of the bundle.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut zip = zip::ZipArchive::new(std::fs::File::open(folder.join("bundle.zip")).unwrap()).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        files.insert(entry.name().unwrap().into_owned(), text);
    }
    files
}

fn parsed(files: &BTreeMap<String, String>, name: &str) -> Value {
    serde_json::from_str(&files[name]).unwrap_or_else(|error| panic!("{name}: {error}: {}", files[name]))
}

fn remark(files: &BTreeMap<String, String>, name: &str) -> String {
    let contents = parsed(files, "contents.json");
    let listed = contents.as_array().unwrap().iter().find(|file| file["name"] == name);
    listed.unwrap_or_else(|| panic!("{name} in {contents}"))["remark"].as_str().unwrap_or_default().to_owned()
}

fn ensure_none(files: &BTreeMap<String, String>, planted: &[&str]) {
    for (name, text) in files {
        for secret in planted {
            let found = text.find(secret).map(|at| text[..at].lines().last().unwrap_or_default().to_owned());
            assert!(found.is_none(), "{name} has '{secret}' after: {found:?}");
        }
    }
}

/// A service with secrets in every possible place, a user, and a finished search.
async fn service_with_secrets(folder: &Path, source: &Source) -> Running {
    let command = || {
        let mut command = program(folder, &["serve", "--port", "0"]);
        command.envs(ENVIRONMENT);
        command
    };
    let running = Running::start(command());
    let admin = running.client(Some(basic("admin", ADMIN)));
    let provider = json!({
        "name": "Rivers", "url": source.url_at("/"), "credentials": "bearer=planted-bearer",
        "query_template": "{url}?q={query_string}&api_key=planted-parameter",
        "response_mappings": "FOUND=total,RESULTS=items", "result_mappings": "title=title,body=body,url=url",
        "http_request_headers": {"X-Api-Key": "planted-header"},
    });
    assert_eq!(admin.post("/svc/searchproviders/", &provider).await.status, 201);
    let broken = json!({"name": "Gone", "url": "http://127.0.0.1:1/", "credentials": "key=planted-gone",
        "query_template": "{url}?q={query_string}&k={key}"});
    assert_eq!(admin.post("/svc/searchproviders/", &broken).await.status, 201);
    let model = json!({"name": "Model", "model": "gpt-5", "api_key": "planted-model-key", "active": false});
    assert_eq!(admin.post("/svc/aiproviders/", &model).await.status, 201);
    let user = json!({"username": USER, "password": "planted-user-password"});
    assert_eq!(admin.post("/svc/users/", &user).await.status, 201);
    let wrong = json!({"username": USER, "password": "planted-wrong-password"});
    let anybody = running.client(None);
    assert_eq!(anybody.post("/svc/login/", &wrong).await.status, 401);
    assert_eq!(anybody.post("/svc/login/", &user).await.status, 200);
    let quirina = running.client(Some(basic(USER, "planted-user-password")));
    let search = quirina.search(&json!({"query_string": QUERY})).await;
    assert!(search["status"].as_str().unwrap().ends_with("READY"), "{search}");
    assert_eq!(quirina.request(Method::GET, "/svc/search/").send().await.unwrap().status(), 200);
    running
}

/// A token of the administrator, which is also written to a file.
async fn token(running: &Running, folder: &Path) -> String {
    let admin = running.client(Some(basic("admin", ADMIN)));
    let made = admin.post("/svc/tokens/", &json!({"label": "bundle"})).await;
    let token = made.body["token"].as_str().unwrap().to_owned();
    std::fs::write(folder.join(TOKEN_FILE), format!("{token}\n")).unwrap();
    token
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_holds_no_secret_no_query_and_no_user() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply_at("/", Behavior::Json(items("river", 2)));
    let running = service_with_secrets(folder.path(), &source).await;
    // What a program of another version may have logged.
    let log = folder.path().join("data/logs/tasks-search-worker.log");
    let line = format!(
        "2026-01-01T00:00:00.000000Z  INFO search{{search.query={QUERY}}}: federation: of {USER} sent planted-header and \
         planted-model-key to http://u:planted-login@h.example/?q=zinc%20harvest user=\"{USER}\"\n"
    );
    let json =
        json!({"level": "INFO", "fields": {"message": line.trim(), "query": QUERY}}).to_string() + "\n";
    let earlier = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, earlier + &line + &json).unwrap();
    let raw = std::fs::read_to_string(folder.path().join("data/logs/django.log")).unwrap();
    assert!(raw.contains(USER), "there is something to mask");
    let port = running.base.rsplit(':').next().unwrap().to_owned();
    let closed = bundle(folder.path(), &["--port", &port], &ENVIRONMENT);
    assert!(text(&closed.stderr).contains("only administrators can read the metrics"), "{closed:?}");
    let token = token(&running, folder.path()).await;
    let input = std::fs::File::open(folder.path().join(TOKEN_FILE)).unwrap();
    let arguments = ["support-bundle", "--output", "bundle.zip", "--force", "--port", &port, "--token-stdin"];
    let made = program(folder.path(), &arguments).envs(ENVIRONMENT).stdin(input).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let files = files(folder.path());
    ensure_none(&files, &[&token]);
    ensure_none(&files, &["planted", USER, "zinc", "harvest", "lode1871"]);
    ensure_none(
        &BTreeMap::from([("terminal".to_owned(), text(&made.stdout) + &text(&made.stderr))]),
        &["planted", USER],
    );

    let settings = parsed(&files, "settings.json");
    let row =
        |name: &str| settings["settings"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(row("SVC_MCP_TOKEN")["value"], "***");
    assert_eq!(
        (row("SVC_LOG_LEVEL")["value"].as_str(), row("SVC_LOG_LEVEL")["from"].as_str()),
        (Some("trace"), Some("environment"))
    );
    assert_eq!(row("SVC_TIKA_URL")["value"], "http://••••@tika.example:9998");
    let versions = parsed(&files, "versions.json");
    assert_eq!(versions["program"], env!("CARGO_PKG_VERSION"));
    assert!(versions["machine"]["processors"].as_u64().unwrap() > 0, "{versions}");
    assert_eq!((&versions["queue"], &versions["database"]["kind"]), (&json!("database"), &json!("SQLite")));
    let database = parsed(&files, "database.json");
    let users = database["tables"].as_array().unwrap().iter().find(|table| table["name"] == "users").unwrap();
    assert_eq!(users["rows"], 2, "{database}");
    assert!(files["metrics.txt"].contains("# TYPE tributary_"), "{}", files["metrics.txt"]);
    assert!(files["doctor.txt"].contains(" checks, "), "{}", files["doctor.txt"]);
    assert!(parsed(&files, "tasks.json")["unfinished"].is_u64(), "{}", files["tasks.json"]);
    assert_eq!(parsed(&files, "services.json")["ready_exit_code"], 0, "{}", files["services.json"]);
    let log = &files["logs/django.log"];
    assert!(log.contains("login: •••• signed in") && log.contains("wrong password for ••••"), "{log}");
    assert!(files["logs/tasks-search-worker.log"].contains("search.query=••••"), "{files:?}");
    assert_eq!(running.terminate(), Some(0));
}

#[test]
fn a_bundle_of_a_stopped_service_says_what_could_not_be_had() {
    let folder = tempfile::tempdir().unwrap();
    let environment = [("SVC_PORT", "1"), ("SVC_ADMIN_PASSWORD", ADMIN)];
    assert!(program(folder.path(), &["setup"]).envs(environment).status().unwrap().success());
    let logs = folder.path().join("data/logs");
    std::fs::create_dir_all(&logs).unwrap();
    let line = "2026-01-01T00:00:00.000000Z  INFO server: GET / answered 200\n";
    std::fs::write(logs.join("django.log"), line.repeat(3 * 1024 * 1024 / line.len())).unwrap();
    std::fs::write(logs.join("start-all.out"), "User admin was created. Password: planted-once\n").unwrap();
    let made = bundle(folder.path(), &[], &environment);
    let said = text(&made.stderr);
    assert!(made.status.success() && said.contains("Note: metrics.txt: not available"), "{made:?}");
    let files = files(folder.path());
    ensure_none(&files, &["planted"]);
    assert!(
        files["metrics.txt"].starts_with("Not available: http://127.0.0.1:1/"),
        "{}",
        files["metrics.txt"]
    );
    assert!(remark(&files, "metrics.txt").contains("Start the service"), "{files:?}");
    let services = parsed(&files, "services.json");
    assert!(services["status"][0].as_str().unwrap().contains("No services were started"), "{services}");
    assert!(files["doctor.txt"].contains("no active worker for"), "{}", files["doctor.txt"]);
    assert_eq!(parsed(&files, "tasks.json")["unfinished"], 0);
    let log = &files["logs/django.log"];
    assert!(log.len() <= 2 * 1024 * 1024 && log.len() > 1024 * 1024, "{}", log.len());
    assert_eq!(remark(&files, "logs/django.log"), "earlier lines are omitted");
    assert!(files["logs/start-all.out"].contains("Password: ••••"), "{files:?}");

    let place = folder.path().join("bundle.zip");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let before = std::fs::read(&place).unwrap();
    let refused = bundle(folder.path(), &[], &environment);
    assert!(
        refused.status.code() == Some(1) && text(&refused.stderr).contains("use --force to overwrite it"),
        "{refused:?}"
    );
    assert_eq!(std::fs::read(&place).unwrap(), before);
    assert!(bundle(folder.path(), &["--force"], &environment).status.success());
}

#[test]
fn a_bundle_without_its_database_or_with_wrong_settings_has_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("data/logs")).unwrap();
    let line =
        "2026-01-01T00:00:00.000000Z  WARN server: login failed: wrong password for zora user=\"zora\"\n";
    std::fs::write(folder.path().join("data/logs/django.log"), line).unwrap();
    let url = "postgres://svc:planted-password@127.0.0.1:1/tributary";
    let made = bundle(folder.path(), &[], &[("SVC_DATABASE_URL", url), ("SVC_PORT", "1")]);
    assert!(made.status.success(), "{made:?}");
    let read = files(folder.path());
    ensure_none(&read, &["planted", "zora"]);
    for name in ["database.json", "tasks.json"] {
        assert!(parsed(&read, name)["not_available"].is_string(), "{}", read[name]);
        assert!(remark(&read, name).starts_with("not available: "), "{name}");
        assert!(text(&made.stderr).contains(&format!("Note: {name}: not available: ")), "{made:?}");
    }
    assert!(parsed(&read, "versions.json")["database"]["not_available"].is_string());
    assert!(read["doctor.txt"].contains("fail  database"), "{}", read["doctor.txt"]);
    assert_eq!(parsed(&read, "settings.json")["settings"][0]["name"], "SVC_HOST");
    assert!(read["logs/django.log"].contains("wrong password for ••••"), "{read:?}");
    assert!(remark(&read, "logs/django.log").contains("names are masked only in known fields"));
    assert!(!folder.path().join("data/secret.key").exists(), "a bundle makes no key");

    let made = bundle(folder.path(), &["--force"], &[("SVC_PORT", "eighty")]);
    assert!(made.status.success(), "{made:?}");
    let read = files(folder.path());
    let why = parsed(&read, "settings.json")["not_available"].as_str().unwrap().to_owned();
    assert!(why.contains("SVC_PORT"), "{why}");
    assert!(read["logs/missing.txt"].contains("--data-dir"), "{read:?}");
    let made = bundle(folder.path(), &["--force", "--data-dir", "data"], &[("SVC_PORT", "eighty")]);
    assert!(made.status.success() && files(folder.path()).contains_key("logs/django.log"), "{made:?}");
}

#[test]
fn a_broken_settings_file_leaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir_all(data.join("logs")).unwrap();
    let settings = "SVC_SECRET_KEY = 'planted-key-of-file'\nSVC_ADMIN_PASSWORD = \"planted-hunter2\n";
    std::fs::write(folder.path().join("tributary.toml"), settings).unwrap();
    std::fs::write(data.join("secret.key"), "planted-key\n").unwrap();
    std::fs::write(data.join("initial-admin-password"), "planted-first\n").unwrap();
    std::fs::write(folder.path().join(TOKEN_FILE), "planted-token\n").unwrap();
    let line = "2026-01-01T00:00:00.000000Z  INFO server: planted-key-of-file planted-key planted-first planted-token \
                planted-mcp-token planted-hunter2 kept\n";
    std::fs::write(data.join("logs/django.log"), line).unwrap();
    let environment = [("SVC_MCP_TOKEN", "planted-mcp-token")];
    let input = std::fs::File::open(folder.path().join(TOKEN_FILE)).unwrap();
    let arguments = ["--data-dir", "data", "support-bundle", "--output", "bundle.zip", "--token-stdin"];
    let made = program(folder.path(), &arguments).envs(environment).stdin(input).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let read = files(folder.path());
    ensure_none(&read, &["planted"]);
    assert!(read["logs/django.log"].contains("kept"), "{read:?}");
    let why = parsed(&read, "settings.json")["not_available"].as_str().unwrap().to_owned();
    assert!(why.contains("tributary.toml") && why.contains("line 2"), "{why}");
    let served = program(folder.path(), &["serve", "--port", "0"]).output().unwrap();
    assert_eq!(served.status.code(), Some(1), "{served:?}");
    for said in [made, served] {
        let said = text(&said.stdout) + &text(&said.stderr);
        assert!(said.contains("line 2") && !said.contains("planted"), "{said}");
    }
}
