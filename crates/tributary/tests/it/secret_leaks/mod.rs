//! Secret leaks. Canary secrets are planted wherever a secret can be. Then everything that leaves the service is
//! inspected: responses, pages, events, metrics, logs, commands, panics, the backup and the files of the database. None
//! may contain a canary.
//!
//! Three responses show a secret by design and are not inspected: creating a token and `login` show the token once, and
//! signing in sets the session cookie. Values in `http_request_headers`, `page_fetch_config_json` and
//! `eval_credentials` that are not secret are shown to administrators, who edit them; nobody else sees them, and they
//! are encrypted at rest.

mod leak_detector;
mod panics;
mod servers;

use crate::app_harness::{Answer, Client, items};
use crate::browser::{Browser, SESSION};
use crate::demo::basic;
use crate::program::{Running, program};
use leak_detector::LeakDetector;
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use testkit::nats::NatsServer;
use testkit::source::{Behavior, Source};
use tributary::backup::Backup;

const ADMIN: &str = "canary-admin-password";
const ROSA: &str = "canary-rosa-password";
/// A value that only editors see, such as a header that is not secret; encrypted at rest like the secrets.
const FOR_EDITORS: &str = "for-editors-alone";
/// A text that everybody may see, which proves that records were read.
const FOR_ALL: &str = "open-to-all";
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
/// What a source repeats of the secrets that it may know.
const ECHO: &str = "canary-pair canary-bearer canary-api-key canary-basic canary-digest canary-plain \
    canary-vendor canary-cookie";
/// One response for each way in which a source can repeat what it received.
fn answers() -> Vec<Behavior> {
    let status = |code: u16, name: &str, value: &str| Behavior::Status {
        code,
        headers: vec![(name.to_owned(), value.to_owned())],
        body: ECHO.into(),
    };
    let challenge = "Digest realm=\"canary-digest\", nonce=\"canary\", qop=\"auth\", algorithm=MD5";
    vec![
        Behavior::Json(items("river", 2)),
        status(500, "x-note", ECHO),
        status(401, "www-authenticate", challenge),
        status(429, "retry-after", ECHO),
        Behavior::redirect("http://169.254.169.254/?stolen=canary-bearer", 302),
        Behavior::redirect("ftp://canary-pair@x.example/canary-basic", 302),
        Behavior::redirect("http://u:canary-pair@127.0.0.1:1/", 302),
        Behavior::redirect("https://u:canary-bearer@x.invalid/canary-basic", 307),
        Behavior::text("application/json", format!("{{broken {ECHO}")),
        Behavior::text("text/html", format!("<html>{ECHO}</html>")),
        Behavior::Json(json!({"error": ECHO})),
        Behavior::Json(json!({"total": ECHO, "items": ECHO})),
    ]
}

fn specs(source: &Source) -> Vec<Value> {
    let mut specs = Vec::new();
    for (number, answer) in answers().into_iter().enumerate() {
        let path = format!("/{number}");
        source.reply_at(&path, answer);
        for (form, credentials) in CREDENTIALS.iter().enumerate() {
            let key = if form == 0 { "&k={key}" } else { "" };
            specs.push(json!({
                "name": format!("P{number}{form}"),
                "url": source.url_at(&path),
                "credentials": credentials,
                "query_template": format!("{{url}}?q={{query_string}}{key}"),
                "response_mappings": "FOUND=total,RESULTS=items",
                "result_mappings": "title=title,body=body,url=url",
                "description": FOR_ALL,
                "http_request_headers": {
                    "X-Note": FOR_EDITORS, "X-Vendor-Key": "canary-vendor", "Cookie": "session=canary-cookie",
                    "X-Via": "http://u:canary-via@h.example/",
                },
                "page_fetch_config_json": {
                    "cache": "true", "headers": {"X-Note": FOR_EDITORS, "Authorization": "Bearer canary-page"},
                    "diffbot": {"token": "canary-diffbot"}, "proxy": "http://u:canary-page-proxy@h.example:3128",
                },
                "eval_credentials": FOR_EDITORS,
            }));
        }
    }
    specs.push(json!({"name": "Gone", "url": "http://127.0.0.1:1/", "credentials": "key=canary-gone",
        "query_template": "{url}?q={query_string}&k={key}"}));
    specs
}

/// Every GET of the OpenAPI document, with existing ids, and the pages.
async fn paths(admin: &Client, providers: &[i64]) -> Vec<String> {
    let document = admin.get("/svc/api/schema/").await.body;
    let mut paths = Vec::new();
    let documented = document["paths"].as_object().unwrap();
    for path in documented.iter().filter(|(_, item)| item.get("get").is_some()).map(|(path, _)| path) {
        let ids: Vec<String> = match path {
            _ if path.contains("/schedules/") => vec!["expire".to_owned()],
            _ if path.contains("/aiproviders/") => (1..=60).map(|id| id.to_string()).collect(),
            _ if path.contains("/searchproviders/") => providers.iter().map(i64::to_string).collect(),
            _ => (1..=3).map(|id| id.to_string()).collect(),
        };
        if path.contains('{') {
            paths.extend(ids.iter().map(|id| path.replace("{id}", id)));
        } else {
            paths.push(path.clone());
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
        "/svc/results/?search_id=1&explain=true&result_mixer=DateMixer",
        "/svc/results/?search_id=1&provider=1",
        "/svc/results/?search_id=1&page=9",
        "/svc/results/?search_id=x",
        "/svc/search/?qs=river",
        "/svc/gone/",
    ];
    paths.extend(more.map(str::to_owned));
    paths
}

/// Requests that are refused, with a secret in them, possibly in a wrong field.
async fn refused(detector: &mut LeakDetector, running: &Running, admin: &Client, source: &Source) {
    let headers = ["Token canary-token", "canary-scheme", &basic("admin", "canary-wrong"), "Bearer canary"];
    for header in headers {
        let status = detector.get("nobody", &running.client(Some(header.to_owned())), "/svc/search/").await;
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
        (
            "/svc/searchproviders/",
            json!({"name": "Bad", "url": "x", "http_request_headers": "X-Key: canary"}),
        ),
        (
            "/svc/searchproviders/",
            json!({"name": "Bad", "url": "x", "http_request_headers": {"X-Key": ["canary"]}}),
        ),
        (
            "/svc/searchproviders/",
            json!({"name": "Bad", "url": "x", "http_request_headers": {"X-Key": "canary\r\nX: y"}}),
        ),
        ("/svc/searchproviders/", json!({"name": "Bad", "url": "x", "page_fetch_config_json": "canary"})),
        (
            "/svc/searchproviders/",
            json!({"name": "Bad", "url": "x", "eval_credentials": "session['canary'] or exit()"}),
        ),
        ("/svc/searchproviders/", json!([{"name": "Bad", "url": "x", "http_request_headers": "canary"}])),
        (
            "/svc/searchproviders/doctor/",
            json!({"request": "curl 'https://u:canary@x.invalid/?q=tea' -H 'X-Key: canary'", "fetch": true}),
        ),
    ];
    for (path, body) in wrong {
        let status = detector.send("admin", admin, path, body).await;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
    let request = "curl 'https://x.example/?q=tea&api_key=canary' -H 'Cookie: canary' -H 'X-Auth-Token: canary' -u u:canary";
    let examined = json!({"request": request, "query": "tea", "sample": {"items": [{"title": "a", "url": "https://a.example/"}]}});
    assert_eq!(detector.send("admin", admin, "/svc/searchproviders/doctor/", examined).await, 200);
    for spec in specs(source) {
        for path in ["/svc/searchproviders/test/", "/svc/searchproviders/test/?dry_run=true"] {
            assert_eq!(detector.send("admin", admin, path, spec.clone()).await, 200, "{spec}");
        }
    }
}

/// Creates a token of this user, which is one of the responses that show a secret.
async fn token(client: &Client, detector: &mut LeakDetector) -> String {
    let made = client.post("/svc/tokens/", &json!({"label": "laptop"})).await;
    let token = made.body["token"].as_str().unwrap().to_owned();
    detector.secrets.push(token.clone());
    token
}

/// Sends every provider back as it was shown, completely and in part: masks keep the stored secrets.
async fn send_back_providers(detector: &mut LeakDetector, admin: &Client, providers: &[i64]) {
    for id in providers {
        let path = format!("/svc/searchproviders/{id}/");
        let shown = admin.get(&path).await.body;
        let put = admin.put(&path, &shown).await;
        detector.inspect("a provider that is replaced", format!("{put:?}").as_bytes());
        let patched = admin.patch(&path, &json!({"tags": ["again"]})).await;
        detector.inspect("a provider that is changed", format!("{patched:?}").as_bytes());
        assert_eq!((put.status.as_u16(), patched.status.as_u16()), (200, 200), "{put:?} {patched:?}");
        assert_eq!(patched.body["http_request_headers"], shown["http_request_headers"]);
    }
}

/// AI providers with a secret in every possible field, at services that repeat what they receive: shown, sent back and
/// tested.
async fn models(detector: &mut LeakDetector, admin: &Client, source: &Source) {
    for number in 0..answers().len() {
        for (form, model) in ["gpt-5", "anthropic/m", "cohere/m"].into_iter().enumerate() {
            let spec = json!({
                "name": format!("M{number}{form}"), "model": model, "api_key": "canary-bearer", "tags": ["rag", "reader"],
                "config": {"api_base": source.url_at(&format!("/{number}")), "AWS_SECRET_ACCESS_KEY": "canary-aws",
                    "headers": {"X-Api-Key": "canary-api-key"}, "proxy": "http://u:canary-model-proxy@h.example"},
            });
            let made = admin.post("/svc/aiproviders/", &spec).await;
            assert_eq!(made.status, 201, "{made:?}");
            let path = format!("/svc/aiproviders/{}/", made.body["id"]);
            let put = admin.put(&path, &made.body).await;
            let patched = admin.patch(&path, &json!({"active": false})).await;
            assert_eq!((put.status.as_u16(), patched.status.as_u16()), (200, 200), "{put:?} {patched:?}");
            let tried = Answer::of(admin.request(Method::POST, &format!("{path}test/"))).await;
            assert_eq!((tried.status.as_u16(), &tried.body["status"]), (200, &json!("FAIL")), "{tried:?}");
            let read = Answer::of(admin.request(Method::POST, &format!("{path}test/?role=reader"))).await;
            let shown = format!("{made:?} {put:?} {patched:?} {tried:?} {read:?}");
            detector.inspect("a model that is made, sent back, changed and tried", shown.as_bytes());
        }
    }
    let bad = json!({"name": "", "model": "m", "api_key": ["canary"], "config": "canary"});
    assert_eq!(detector.send("admin", admin, "/svc/aiproviders/", bad).await, 400);
}

/// Creates the providers and the people. Returns the ids of the providers and the clients of the people.
async fn create_records(
    detector: &mut LeakDetector,
    running: &Running,
    source: &Source,
) -> (Vec<i64>, [Client; 3]) {
    let of_admin = token(&running.client(Some(basic("admin", ADMIN))), detector).await;
    let admin = running.client(Some(format!("Token {of_admin}")));
    let mut providers = Vec::new();
    for spec in specs(source) {
        let made = admin.post("/svc/searchproviders/", &spec).await;
        assert_eq!(made.status, 201, "{spec} {made:?}");
        detector.inspect("a provider that is made", made.body.to_string().as_bytes());
        providers.push(made.body["id"].as_i64().unwrap());
    }
    send_back_providers(detector, &admin, &providers).await;
    models(detector, &admin, source).await;
    for (name, password) in [("rosa", ROSA), ("otto", "canary-otto-password")] {
        let person = json!({"username": name, "password": password});
        assert_eq!(detector.send("admin", &admin, "/svc/users/", person).await, 201);
    }
    let of_rosa = token(&running.client(Some(basic("rosa", ROSA))), detector).await;
    let rosa = running.client(Some(format!("Token {of_rosa}")));
    let of_otto = token(&running.client(Some(basic("otto", "canary-otto-password"))), detector).await;
    let otto = running.client(Some(format!("Token {of_otto}")));
    let login = admin.post("/svc/login/", &json!({"username": "rosa", "password": ROSA})).await;
    detector.secrets.push(login.body["token"].as_str().unwrap().to_owned());
    let mut browser = Browser::signed_in(&running.base, "rosa", ROSA).await;
    detector.secrets.push(browser.cookies[SESSION].clone());
    for path in ["/", "/svc/users/me/"] {
        let shown = browser.get(path).await;
        detector.inspect(path, format!("{:?} {}", shown.headers, shown.body).as_bytes());
    }
    (providers, [admin, rosa, otto])
}

/// Searches while a client follows the events: the sources get the secrets and repeat them.
async fn search_and_inspect(detector: &mut LeakDetector, rosa: &Client, source: &Source) {
    let search = rosa.post("/svc/search/", &json!({"query_string": "river"})).await;
    let id = search.body["id"].as_i64().unwrap();
    detector.get("rosa, while it runs,", rosa, &format!("/svc/search/{id}/events/")).await;
    assert_eq!(rosa.ready(id).await["status"], "PARTIAL_RESULTS_READY");
    let sent = format!("{:?}", source.requests());
    let mut control = LeakDetector::new(&[]);
    control.inspect("what the source was sent", sent.as_bytes());
    assert!(control.hits.len() >= 3, "the watch sees what is there: {:?}", control.hits);
    for used in
        ["canary-pair", "canary-bearer", "canary-api-key", "canary-vendor", "canary-cookie", FOR_EDITORS]
    {
        assert!(sent.contains(used), "{used} was really sent");
    }
    let mixed = rosa.get(&format!("/svc/results/?search_id={id}")).await.body;
    let asked = mixed["info"]["P00"]["query_to_provider"].as_str().unwrap_or_default();
    assert!(asked.contains("k=••••"), "the URL is shown without its key: {}", mixed["info"]["P00"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_leaks_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut detector = LeakDetector::new(&ENVIRONMENT);
    let nats = NatsServer::prepare("canaries in the address of the queue");
    let mut nats = nats.map(|nats| nats.with(&["--user", "svc", "--pass", "canary-queue"]));
    if let Some(nats) = &mut nats {
        nats.start();
        let address = nats.url().replace("://", "://svc:canary-queue@");
        detector.environment.push(("SVC_QUEUE_URL".to_owned(), address));
    }
    let source = Source::start().await;
    let mut command = program(here, &["serve", "--port", "0"]);
    command.envs(detector.environment.iter().cloned()).stderr(fs::File::create(here.join("stderr")).unwrap());
    let running = Running::start(command);
    let limits = fs::read_to_string(format!("/proc/{}/limits", running.pid())).unwrap();
    let dump: Vec<&str> = limits.lines().filter(|line| line.starts_with("Max core file size")).collect();
    let sizes: Vec<&str> = dump[0].split_whitespace().skip(4).take(2).collect();
    assert_eq!(sizes, ["0", "0"], "a crash leaves no dump: {dump:?}");
    detector.inspect("standard output", running.said.join("\n").as_bytes());
    let (providers, [admin, rosa, otto]) = create_records(&mut detector, &running, &source).await;
    search_and_inspect(&mut detector, &rosa, &source).await;
    let anybody = running.client(None);
    let (paths, mut shown) = (paths(&admin, &providers).await, 0);
    for path in &paths {
        for (who, client) in [("admin", &admin), ("rosa", &rosa), ("otto", &otto), ("nobody", &anybody)] {
            // One caller is enough for tests that query the source.
            let asks = path.ends_with("/test/") && who != "rosa";
            if !asks && detector.get(who, client, path).await == 200 {
                shown += 1;
            }
        }
    }
    assert!(shown > 700, "{shown}");
    refused(&mut detector, &running, &admin, &source).await;
    check_commands_and_files(detector, here, running);
}

/// Inspects commands, the backup, and all files: while the service runs, and after it has stopped.
fn check_commands_and_files(mut detector: LeakDetector, here: &Path, running: Running) {
    // Editors have seen it; no command, log, backup or file may contain it.
    detector.secrets.push(FOR_EDITORS.to_owned());
    let records = json!([
        {"name": "A", "url": "x", "http_request_headers": "X-Key: canary"},
        {"name": "B", "url": "x", "credentials": "HTTPBasicAuth('u,'canary"},
        {"name": "C", "url": "http://u:canary@x.example/"},
        {"name": "D", "url": "https://x.example/", "http_request_headers": {"X-Key": "••••"}},
    ]);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("records.json");
    fs::write(&file, records.to_string()).unwrap();
    let commands: [&[&str]; 12] = [
        &["settings"],
        &["doctor", "--offline"],
        &["doctor", "--test-query", "river"],
        &["status"],
        &["user", "list"],
        &["token", "list"],
        &["providers", "list", "--json"],
        &["load-providers", file.to_str().unwrap()],
        &["load", file.to_str().unwrap()],
        &["search", "river", "--providers", "P00,P10,P50", "--json"],
        &["migrate"],
        &["logs", "--no-follow", "--lines", "100000"],
    ];
    for arguments in commands {
        let said = detector.command(here, arguments, &[]);
        match arguments[0] {
            "load-providers" => assert!(said.contains("0 added") && said.contains("4 failed"), "{said}"),
            "load" => assert!(said.contains("4 rejected") && !said.contains("added"), "{said}"),
            "search" => assert!(said.contains("query_to_provider"), "{said}"),
            _ => {}
        }
    }
    let elsewhere = [
        ("SVC_DATABASE_URL", "postgres://svc:canary-database@127.0.0.1:1/none"),
        ("SVC_QUEUE_URL", "nats://svc:canary-queue@127.0.0.1:1"),
    ];
    for name in ["settings", "doctor", "serve", "migrate"] {
        detector.command(here, &[name, "--data-dir", "b"], &elsewhere);
    }
    detector.command(here, &["doctor", "--data-dir", "c"], &elsewhere[1..]);
    detector.command(here, &["backup", "monday"], &[]);
    detector.command(
        here,
        &["restore", "monday", "--data-dir", "d"],
        &[("SVC_SECRET_KEY", "canary-other-key")],
    );
    let backup = Backup::open(&here.join("monday")).unwrap();
    for part in &backup.manifest.parts {
        detector.inspect(&format!("backup, {}", part.name), &backup.content(part).unwrap());
    }
    let database =
        ["tributary.db", "tributary.db-wal"].map(|name| fs::read(here.join("data").join(name)).unwrap());
    let is_readable = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(FOR_ALL);
    assert!(database.iter().any(is_readable), "records that are no secret can be read there");
    detector.inspect_files(here);
    assert_eq!(running.terminate(), Some(0));
    detector.inspect_files(here);
    detector.assert_no_leaks();
}
