//! Canary secrets are planted wherever a secret can be. Then everything that leaves the service is read: answers,
//! pages, events, metrics, logs, commands, the backup and the files of the database. None may hold a canary.
//!
//! Showing is the contract in three places, which are not read here: the answer that makes a token and the one of
//! `login` show the token once, and the `Set-Cookie` of signing in carries the session. `http_request_headers` are
//! shown to administrators, who edit them, and are stored as they are; nobody else sees them.

use crate::browser::{Browser, SESSION};
use crate::demo::basic;
use crate::house::{Client, items};
use crate::program::{Running, program};
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;
use testkit::source::{Behaviour, Source};
use tributary::backup::Backup;

const ADMIN: &str = "canary-admin-password";
const ROSA: &str = "canary-rosa-password";
/// A value of `http_request_headers`.
const HEADER: &str = "for-editors-alone";
const ENVIRONMENT: [(&str, &str); 6] = [
    ("SVC_ADMIN_PASSWORD", ADMIN),
    ("SVC_SECRET_KEY", "canary-secret-key"),
    ("SVC_LOG_LEVEL", "trace"),
    ("SVC_LOG_FORMAT", "json"),
    ("SVC_TIMEOUT", "10"),
    ("SVC_THROTTLE_LOGIN", "1000/minute"),
];
const CREDENTIALS: [&str; 8] = [
    "key=canary-pair",
    "bearer=canary-bearer",
    "X-Api-Key=canary-api-key",
    "HTTPBasicAuth('u','canary-basic')",
    "HTTPDigestAuth('u','canary-digest')",
    "HTTPProxyAuth('u','canary-proxy')",
    "canary-user:canary-plain",
    "canarypadded==",
];
/// What a source may know of the secrets, and says aloud.
const ECHO: &str = "canary-pair canary-bearer canary-api-key canary-basic canary-digest canary-plain";
const EVENTS_MAX: Duration = Duration::from_secs(2);

/// The texts that nobody may see, and where one was seen.
struct Watch {
    secrets: Vec<String>,
    hits: Vec<String>,
    read: usize,
}

impl Watch {
    fn new() -> Self {
        let base64 = ["u:canary-basic", "u:canary-proxy", "canary-user:canary-plain"].map(|pair| {
            let (user, password) = pair.split_once(':').unwrap();
            basic(user, password).replace("Basic ", "")
        });
        Self { secrets: [vec!["canary".to_owned()], base64.to_vec()].concat(), hits: Vec::new(), read: 0 }
    }

    /// Reads what somebody could see.
    fn look(&mut self, place: &str, seen: &[u8]) {
        self.read += 1;
        let text = String::from_utf8_lossy(seen);
        for secret in &self.secrets {
            if let Some(found) = text.find(secret.as_str()) {
                let around: String = text[found..].chars().take(60).collect();
                let before: String = text[..found].chars().rev().take(90).collect();
                let before: String = before.chars().rev().collect();
                self.hits.push(format!("{place}: {before}[{around}]"));
            }
        }
    }

    fn look_at_files(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => self.look_at_files(&path),
                false => self.look(&path.display().to_string(), &fs::read(&path).unwrap_or_default()),
            }
        }
    }

    /// The answer's status, after its head and all of its body were read; of events, what comes soon.
    async fn ask(&mut self, who: &str, path: &str, request: reqwest::RequestBuilder) -> u16 {
        let mut answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let mut seen = format!("{:?}\n", answer.headers()).into_bytes();
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout(EVENTS_MAX, answer.chunk()).await {
            seen.extend_from_slice(&chunk);
        }
        self.look(&format!("{who} {path} {status}"), &seen);
        if who != "admin" && String::from_utf8_lossy(&seen).contains(HEADER) {
            self.hits.push(format!("{who} {path} {status} shows http_request_headers"));
        }
        status
    }

    async fn get(&mut self, who: &str, client: &Client, path: &str) -> u16 {
        self.ask(who, path, client.request(Method::GET, path)).await
    }

    async fn send(&mut self, who: &str, client: &Client, path: &str, body: Value) -> u16 {
        let request = client.request(Method::POST, path).header("Content-Type", "application/json");
        self.ask(who, path, request.body(body.to_string())).await
    }

    fn command(&mut self, folder: &Path, arguments: &[&str], more: &[(&str, &str)]) {
        let mut command = program(folder, arguments);
        command.envs(ENVIRONMENT).envs(more.iter().copied());
        let output = command.output().unwrap();
        assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{arguments:?} says nothing");
        self.look(&format!("{arguments:?}"), &[output.stdout, output.stderr].concat());
    }
}

/// One answer for each way in which a source can tell what it was given.
fn answers() -> Vec<Behaviour> {
    let status = |code: u16, name: &str, value: &str| Behaviour::Status {
        code,
        headers: vec![(name.to_owned(), value.to_owned())],
        body: ECHO.into(),
    };
    let challenge = "Digest realm=\"canary-digest\", nonce=\"canary\", qop=\"auth\", algorithm=MD5";
    vec![
        Behaviour::Json(items("river", 2)),
        status(500, "x-note", ECHO),
        status(401, "www-authenticate", challenge),
        status(429, "retry-after", ECHO),
        Behaviour::redirect("http://169.254.169.254/?stolen=canary-bearer", 302),
        Behaviour::redirect("ftp://canary-pair@x.example/canary-basic", 302),
        Behaviour::text("application/json", format!("{{broken {ECHO}")),
        Behaviour::text("text/html", format!("<html>{ECHO}</html>")),
        Behaviour::Json(json!({"error": ECHO})),
        Behaviour::Json(json!({"total": ECHO, "items": ECHO})),
    ]
}

fn drafts(source: &Source) -> Vec<Value> {
    let mut drafts = Vec::new();
    for (number, answer) in answers().into_iter().enumerate() {
        let path = format!("/{number}");
        source.reply_at(&path, answer);
        for (form, credentials) in CREDENTIALS.iter().enumerate() {
            let key = if form == 0 { "&k={key}" } else { "" };
            drafts.push(json!({
                "name": format!("P{number}{form}"),
                "url": source.url_at(&path),
                "credentials": credentials,
                "query_template": format!("{{url}}?q={{query_string}}{key}"),
                "response_mappings": "FOUND=total,RESULTS=items",
                "result_mappings": "title=title,body=body,url=url",
                "http_request_headers": {"X-Note": HEADER},
            }));
        }
    }
    drafts.push(json!({"name": "Gone", "url": "http://127.0.0.1:1/", "credentials": "key=canary-gone",
        "query_template": "{url}?q={query_string}&k={key}"}));
    drafts
}

/// Every GET of the API's own document, with ids that are there, and the pages.
async fn paths(admin: &Client, providers: &[i64]) -> Vec<String> {
    let document = admin.get("/svc/api/schema/").await.body;
    let mut paths = Vec::new();
    let documented = document["paths"].as_object().unwrap();
    for path in documented.iter().filter(|(_, item)| item.get("get").is_some()).map(|(path, _)| path) {
        let ids: Vec<String> = match path {
            _ if path.contains("/schedules/") => vec!["expire".to_owned()],
            _ if path.contains("/searchproviders/") => providers.iter().map(i64::to_string).collect(),
            _ => (1..=3).map(|id| id.to_string()).collect(),
        };
        match path.contains('{') {
            false => paths.push(path.clone()),
            true if path.contains("{file}") => paths.push(path.replace("{file}", "swagger-ui.css")),
            true => paths.extend(ids.iter().map(|id| path.replace("{id}", id))),
        }
    }
    assert!(paths.len() > 250, "{}", paths.len());
    let dry = providers.iter().map(|id| format!("/svc/searchproviders/{id}/test/?dry_run=true"));
    paths.extend(dry);
    let more = [
        "/",
        "/?search_id=1",
        "/login/",
        "/svc/query_transform_form/",
        "/svc/results/?search_id=1",
        "/svc/results/?search_id=1&page=9",
        "/svc/results/?search_id=x",
        "/svc/search/?qs=river",
        "/svc/gone/",
    ];
    paths.extend(more.map(str::to_owned));
    paths
}

/// Requests that are refused, with a secret in them or in a wrong place.
async fn refused(watch: &mut Watch, running: &Running, admin: &Client, source: &Source) {
    let headers = ["Token canary-token", "canary-scheme", &basic("admin", "canary-wrong"), "Bearer canary"];
    for header in headers {
        let status = watch.get("nobody", &running.client(Some(header.to_owned())), "/svc/search/").await;
        assert_eq!(status, 401);
    }
    let wrong = [
        ("/svc/login/", json!({"username": "rosa", "password": "canary-wrong"})),
        ("/svc/login/", json!({"username": "rosa", "password": ["canary-list"]})),
        ("/svc/users/", json!({"username": "rosa", "password": "canary-second"})),
        ("/svc/users/", json!({"username": "x y", "password": "canary-third"})),
        (
            "/svc/searchproviders/",
            json!({"name": "Bad", "url": "x", "credentials": "HTTPBasicAuth('u,'canary"}),
        ),
        ("/svc/searchproviders/", json!({"name": "Bad", "url": "x", "credentials": {"key": "canary"}})),
        ("/svc/searchproviders/", json!({"name": "Bad", "url": "http://u:canary@x.example/"})),
    ];
    for (path, body) in wrong {
        let status = watch.send("admin", admin, path, body).await;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
    for draft in drafts(source) {
        for path in ["/svc/searchproviders/test/", "/svc/searchproviders/test/?dry_run=true"] {
            assert_eq!(watch.send("admin", admin, path, draft.clone()).await, 200, "{draft}");
        }
    }
}

/// A token of this user; its making is one of the places that show it.
async fn token(client: &Client, watch: &mut Watch) -> String {
    let made = client.post("/svc/tokens/", &json!({"label": "laptop"})).await;
    let token = made.body["token"].as_str().unwrap().to_owned();
    watch.secrets.push(token.clone());
    token
}

#[tokio::test(flavor = "multi_thread")]
async fn no_canary_is_seen_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut watch = Watch::new();
    let source = Source::start().await;
    let mut command = program(here, &["serve", "--port", "0"]);
    command.envs(ENVIRONMENT).stderr(fs::File::create(here.join("stderr")).unwrap());
    let running = Running::start(command);
    watch.look("standard output", running.said.join("\n").as_bytes());
    let of_admin = token(&running.client(Some(basic("admin", ADMIN))), &mut watch).await;
    let admin = running.client(Some(format!("Token {of_admin}")));
    let mut providers = Vec::new();
    for draft in drafts(&source) {
        let made = admin.post("/svc/searchproviders/", &draft).await;
        assert_eq!(made.status, 201, "{draft} {made:?}");
        watch.look("a provider that is made", made.body.to_string().as_bytes());
        providers.push(made.body["id"].as_i64().unwrap());
    }
    for (name, password) in [("rosa", ROSA), ("otto", "canary-otto-password")] {
        let person = json!({"username": name, "password": password});
        assert_eq!(watch.send("admin", &admin, "/svc/users/", person).await, 201);
    }
    let of_rosa = token(&running.client(Some(basic("rosa", ROSA))), &mut watch).await;
    let rosa = running.client(Some(format!("Token {of_rosa}")));
    let of_otto = token(&running.client(Some(basic("otto", "canary-otto-password"))), &mut watch).await;
    let otto = running.client(Some(format!("Token {of_otto}")));
    let login = admin.post("/svc/login/", &json!({"username": "rosa", "password": ROSA})).await;
    watch.secrets.push(login.body["token"].as_str().unwrap().to_owned());
    let mut browser = Browser::signed_in(&running.base, "rosa", ROSA).await;
    watch.secrets.push(browser.cookies[SESSION].clone());
    for path in ["/", "/svc/users/me/"] {
        let shown = browser.get(path).await;
        watch.look(path, format!("{:?} {}", shown.headers, shown.body).as_bytes());
    }

    let search = rosa.post("/svc/search/", &json!({"query_string": "river"})).await;
    let id = search.body["id"].as_i64().unwrap();
    watch.get("rosa, while it runs,", &rosa, &format!("/svc/search/{id}/events/")).await;
    assert_eq!(rosa.ready(id).await["status"], "PARTIAL_RESULTS_READY");
    let sent = format!("{:?}", source.requests());
    let mut control = Watch::new();
    control.look("what the source was sent", sent.as_bytes());
    assert!(control.hits.len() >= 3, "the watch sees what is there: {:?}", control.hits);
    for used in ["canary-pair", "canary-bearer", "canary-api-key", HEADER] {
        assert!(sent.contains(used), "{used} was really sent");
    }
    let anybody = running.client(None);
    let (paths, mut shown) = (paths(&admin, &providers).await, 0);
    for path in &paths {
        for (who, client) in [("admin", &admin), ("rosa", &rosa), ("otto", &otto), ("nobody", &anybody)] {
            // One who asks the sources is enough; the others see the same.
            let asks = path.ends_with("/test/") && who != "rosa";
            if !asks && watch.get(who, client, path).await == 200 {
                shown += 1;
            }
        }
    }
    assert!(shown > 700, "{shown}");
    refused(&mut watch, &running, &admin, &source).await;
    after_the_talk(watch, here, running);
}

/// Commands, the backup, and all files: while the service runs, and after it has ended.
fn after_the_talk(mut watch: Watch, here: &Path, running: Running) {
    let commands: [&[&str]; 6] = [
        &["settings"],
        &["doctor", "--offline"],
        &["status"],
        &["user", "list"],
        &["token", "list"],
        &["logs", "--no-follow", "--lines", "100000"],
    ];
    for arguments in commands {
        watch.command(here, arguments, &[]);
    }
    let elsewhere = [
        ("SVC_DATABASE_URL", "postgres://svc:canary-database@127.0.0.1:1/none"),
        ("SVC_QUEUE_URL", "nats://svc:canary-queue@127.0.0.1:1"),
    ];
    for name in ["settings", "doctor", "serve", "migrate"] {
        watch.command(here, &[name, "--data-dir", "b"], &elsewhere);
    }
    watch.command(here, &["doctor", "--data-dir", "c"], &elsewhere[1..]);
    watch.command(here, &["backup", "monday"], &[]);
    let backup = Backup::open(&here.join("monday")).unwrap();
    for part in &backup.manifest.parts {
        watch.look(&format!("backup, {}", part.name), &backup.content(part).unwrap());
    }
    let database =
        ["tributary.db", "tributary.db-wal"].map(|name| fs::read(here.join("data").join(name)).unwrap());
    let is_readable = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(HEADER);
    assert!(database.iter().any(is_readable), "records that are no secret can be read there");
    watch.look_at_files(here);
    assert_eq!(running.terminate(), Some(0));
    watch.look_at_files(here);
    eprintln!("{} texts were read for {} secrets", watch.read, watch.secrets.len());
    watch.hits.sort();
    watch.hits.dedup();
    assert!(watch.hits.is_empty(), "{} hits:\n{}", watch.hits.len(), watch.hits.join("\n"));
}
