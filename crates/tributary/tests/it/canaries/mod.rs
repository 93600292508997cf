//! Canary secrets are planted wherever a secret can be. Then everything that leaves the service is read: answers,
//! pages, events, metrics, logs, commands, panics, the backup and the files of the database. None may hold a canary.
//!
//! Showing is the contract in three places, which are not read here: the answer that makes a token and the one of
//! `login` show the token once, and the `Set-Cookie` of signing in carries the session. What is no secret in
//! `http_request_headers`, `page_fetch_config_json` and `eval_credentials` is shown to administrators, who edit it;
//! nobody else sees it, and it is sealed at rest.

mod panics;
mod servers;
mod watch;

use crate::app_harness::{Answer, Client, items};
use crate::browser::{Browser, SESSION};
use crate::demo::basic;
use crate::program::{Running, program};
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use testkit::nats::NatsServer;
use testkit::source::{Behaviour, Source};
use tributary::backup::Backup;
use watch::Watch;

const ADMIN: &str = "canary-admin-password";
const ROSA: &str = "canary-rosa-password";
/// A value of a header that is no secret, and of other fields that only editors see; sealed at rest like the secrets.
const FOR_EDITORS: &str = "for-editors-alone";
/// A text that anybody may see, so that it is known that records can be read.
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
/// What a source may know of the secrets, and says aloud.
const ECHO: &str = "canary-pair canary-bearer canary-api-key canary-basic canary-digest canary-plain \
    canary-vendor canary-cookie";
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
        Behaviour::redirect("http://u:canary-pair@127.0.0.1:1/", 302),
        Behaviour::redirect("https://u:canary-bearer@x.invalid/canary-basic", 307),
        Behaviour::text("application/json", format!("{{broken {ECHO}")),
        Behaviour::text("text/html", format!("<html>{ECHO}</html>")),
        Behaviour::Json(json!({"error": ECHO})),
        Behaviour::Json(json!({"total": ECHO, "items": ECHO})),
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

/// Every GET of the API's own document, with ids that are there, and the pages.
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
        let status = watch.send("admin", admin, path, body).await;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
    let request = "curl 'https://x.example/?q=tea&api_key=canary' -H 'Cookie: canary' -H 'X-Auth-Token: canary' -u u:canary";
    let examined = json!({"request": request, "query": "tea", "sample": {"items": [{"title": "a", "url": "https://a.example/"}]}});
    assert_eq!(watch.send("admin", admin, "/svc/searchproviders/doctor/", examined).await, 200);
    for spec in specs(source) {
        for path in ["/svc/searchproviders/test/", "/svc/searchproviders/test/?dry_run=true"] {
            assert_eq!(watch.send("admin", admin, path, spec.clone()).await, 200, "{spec}");
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

/// Every provider is sent back as it was shown, whole and in part: its masks stand for what is stored.
async fn sent_back(watch: &mut Watch, admin: &Client, providers: &[i64]) {
    for id in providers {
        let path = format!("/svc/searchproviders/{id}/");
        let shown = admin.get(&path).await.body;
        let put = admin.put(&path, &shown).await;
        watch.look("a provider that is replaced", format!("{put:?}").as_bytes());
        let patched = admin.patch(&path, &json!({"tags": ["again"]})).await;
        watch.look("a provider that is changed", format!("{patched:?}").as_bytes());
        assert_eq!((put.status.as_u16(), patched.status.as_u16()), (200, 200), "{put:?} {patched:?}");
        assert_eq!(patched.body["http_request_headers"], shown["http_request_headers"]);
    }
}

/// Models with a secret wherever one can be, at services that tell what they were given; shown, sent back and tried.
async fn models(watch: &mut Watch, admin: &Client, source: &Source) {
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
            watch.look("a model that is made, sent back, changed and tried", shown.as_bytes());
        }
    }
    let bad = json!({"name": "", "model": "m", "api_key": ["canary"], "config": "canary"});
    assert_eq!(watch.send("admin", admin, "/svc/aiproviders/", bad).await, 400);
}

/// Makes the providers and the people; those who ask later.
async fn furnish(watch: &mut Watch, running: &Running, source: &Source) -> (Vec<i64>, [Client; 3]) {
    let of_admin = token(&running.client(Some(basic("admin", ADMIN))), watch).await;
    let admin = running.client(Some(format!("Token {of_admin}")));
    let mut providers = Vec::new();
    for spec in specs(source) {
        let made = admin.post("/svc/searchproviders/", &spec).await;
        assert_eq!(made.status, 201, "{spec} {made:?}");
        watch.look("a provider that is made", made.body.to_string().as_bytes());
        providers.push(made.body["id"].as_i64().unwrap());
    }
    sent_back(watch, &admin, &providers).await;
    models(watch, &admin, source).await;
    for (name, password) in [("rosa", ROSA), ("otto", "canary-otto-password")] {
        let person = json!({"username": name, "password": password});
        assert_eq!(watch.send("admin", &admin, "/svc/users/", person).await, 201);
    }
    let of_rosa = token(&running.client(Some(basic("rosa", ROSA))), watch).await;
    let rosa = running.client(Some(format!("Token {of_rosa}")));
    let of_otto = token(&running.client(Some(basic("otto", "canary-otto-password"))), watch).await;
    let otto = running.client(Some(format!("Token {of_otto}")));
    let login = admin.post("/svc/login/", &json!({"username": "rosa", "password": ROSA})).await;
    watch.secrets.push(login.body["token"].as_str().unwrap().to_owned());
    let mut browser = Browser::signed_in(&running.base, "rosa", ROSA).await;
    watch.secrets.push(browser.cookies[SESSION].clone());
    for path in ["/", "/svc/users/me/"] {
        let shown = browser.get(path).await;
        watch.look(path, format!("{:?} {}", shown.headers, shown.body).as_bytes());
    }
    (providers, [admin, rosa, otto])
}

/// A search while somebody listens: the sources get the secrets, and the answers tell the rest.
async fn searched(watch: &mut Watch, rosa: &Client, source: &Source) {
    let search = rosa.post("/svc/search/", &json!({"query_string": "river"})).await;
    let id = search.body["id"].as_i64().unwrap();
    watch.get("rosa, while it runs,", rosa, &format!("/svc/search/{id}/events/")).await;
    assert_eq!(rosa.ready(id).await["status"], "PARTIAL_RESULTS_READY");
    let sent = format!("{:?}", source.requests());
    let mut control = Watch::new(&[]);
    control.look("what the source was sent", sent.as_bytes());
    assert!(control.hits.len() >= 3, "the watch sees what is there: {:?}", control.hits);
    for used in
        ["canary-pair", "canary-bearer", "canary-api-key", "canary-vendor", "canary-cookie", FOR_EDITORS]
    {
        assert!(sent.contains(used), "{used} was really sent");
    }
    let mixed = rosa.get(&format!("/svc/results/?search_id={id}")).await.body;
    let asked = mixed["info"]["P00"]["query_to_provider"].as_str().unwrap_or_default();
    assert!(asked.contains("k=••••"), "the address is told without its key: {}", mixed["info"]["P00"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_canary_is_seen_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut watch = Watch::new(&ENVIRONMENT);
    let nats = NatsServer::prepare("canaries in the address of the queue");
    let mut nats = nats.map(|nats| nats.with(&["--user", "svc", "--pass", "canary-queue"]));
    if let Some(nats) = &mut nats {
        nats.start();
        let address = nats.url().replace("://", "://svc:canary-queue@");
        watch.environment.push(("SVC_QUEUE_URL".to_owned(), address));
    }
    let source = Source::start().await;
    let mut command = program(here, &["serve", "--port", "0"]);
    command.envs(watch.environment.iter().cloned()).stderr(fs::File::create(here.join("stderr")).unwrap());
    let running = Running::start(command);
    let limits = fs::read_to_string(format!("/proc/{}/limits", running.pid())).unwrap();
    let dump: Vec<&str> = limits.lines().filter(|line| line.starts_with("Max core file size")).collect();
    let sizes: Vec<&str> = dump[0].split_whitespace().skip(4).take(2).collect();
    assert_eq!(sizes, ["0", "0"], "a crash leaves no dump: {dump:?}");
    watch.look("standard output", running.said.join("\n").as_bytes());
    let (providers, [admin, rosa, otto]) = furnish(&mut watch, &running, &source).await;
    searched(&mut watch, &rosa, &source).await;
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
    // Editors have seen it; no command, no log, no copy and no file may show it.
    watch.secrets.push(FOR_EDITORS.to_owned());
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
        let said = watch.command(here, arguments, &[]);
        match arguments[0] {
            "load-providers" => assert!(said.contains("0 added") && said.contains("4 failed"), "{said}"),
            "load" => assert!(said.contains("4 refused") && !said.contains("added"), "{said}"),
            "search" => assert!(said.contains("query_to_provider"), "{said}"),
            _ => {}
        }
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
    watch.command(here, &["restore", "monday", "--data-dir", "d"], &[("SVC_SECRET_KEY", "canary-other-key")]);
    let backup = Backup::open(&here.join("monday")).unwrap();
    for part in &backup.manifest.parts {
        watch.look(&format!("backup, {}", part.name), &backup.content(part).unwrap());
    }
    let database =
        ["tributary.db", "tributary.db-wal"].map(|name| fs::read(here.join("data").join(name)).unwrap());
    let is_readable = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(FOR_ALL);
    assert!(database.iter().any(is_readable), "records that are no secret can be read there");
    watch.look_at_files(here);
    assert_eq!(running.terminate(), Some(0));
    watch.look_at_files(here);
    watch.judge();
}
