//! The license table row by row: what each license opens, and what happens when it ends while the service runs. And the
//! commands that make and check licenses.

use crate::app_harness::{AppHarness, Client};
use crate::program::{program, run, text};
use chrono::{Days, NaiveDate};
use domain::contracts::{Clock, QueueName, SignalStore, SystemClock};
use domain::corpus::PROVIDER_NAME;
use domain::license::{LicenseTerms, SigningKey};
use domain::secret::Secret;
use domain::settings::{Settings, Share};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use testkit::source::{Behaviour, Source};
use tributary::cache_source;

fn in_days(days: i64) -> NaiveDate {
    let today = SystemClock.now().date_naive();
    match u64::try_from(days) {
        Ok(days) => today + Days::new(days),
        Err(_) => today - Days::new(days.unsigned_abs()),
    }
}

/// An issuer, and a data folder in which one document is cached.
pub struct Stage {
    key: SigningKey,
    pub folder: TempDir,
}

impl Stage {
    pub fn new() -> Self {
        let (key, _) = SigningKey::make().unwrap();
        Self { key, folder: tempfile::tempdir().unwrap() }
    }

    /// What a good license says.
    fn terms(&self) -> LicenseTerms {
        LicenseTerms {
            owner: "Delta Ltd".to_owned(),
            issued: in_days(-100),
            expiration: in_days(100),
            cache: true,
            cache_expiration: None,
        }
    }

    fn license(&self) -> String {
        self.terms().issue(&self.key)
    }

    /// The service on that folder. Each has the same records, so that what one shows and another does not is by license.
    async fn app(&self, license: String) -> AppHarness {
        let (folder, issuer) = (self.folder.path().display().to_string(), self.key.issuer().unwrap());
        AppHarness::with(move |settings| Settings {
            data_dir: folder,
            database_url: Secret::default(),
            license: Secret::new(license),
            license_public_key: issuer.pem(),
            corpus_min_score: Share(0.1),
            ..settings
        })
        .await
    }

    /// Puts the document in.
    pub async fn fill(&self) {
        let app = self.app(self.license()).await;
        cache_source::ensure(app.service.wired()).await.unwrap();
        let kept = app.admin.post("/svc/ingest/", &document("https://h.example/gauge", true)).await;
        assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
        assert_eq!(shown(&app.admin, "gauge").await.len(), 1, "it is found");
        // Who looked at it has it checked. While something waits, texts without a document are left alone.
        let queue = &app.service.wired().queue;
        while queue.depth(QueueName::Corpus).await.unwrap() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        app.stop().await;
    }
}

/// A wish with a text that is long enough.
fn document(url: &str, wait: bool) -> Value {
    let body =
        "The gauge at the river shows how high the water stands, and a warning is sent when it rises. ";
    json!({"url": url, "title": "The gauge", "body": body.repeat(15), "wait": wait})
}

/// What a search in the cache alone shows. It never fails.
async fn shown(client: &Client, words: &str) -> Vec<Value> {
    let search = client.search(&json!({"query_string": words})).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    results(client, search["id"].as_i64().unwrap()).await
}

async fn results(client: &Client, search: i64) -> Vec<Value> {
    let page = client.get(&format!("/svc/results/?search_id={search}")).await;
    assert_eq!(page.status, 200, "{page:?}");
    let of_cache = &page.body["info"][PROVIDER_NAME];
    assert!(of_cache.get("error").is_none_or(Value::is_null), "{of_cache}");
    let all = page.body["results"].as_array().unwrap();
    all.iter().filter(|item| item["searchprovider"] == PROVIDER_NAME).cloned().collect()
}

async fn assert_closed(app: &AppHarness, row: &str, why: &str) {
    let before = app.service.wired().store.corpus_counts().await.unwrap();
    assert_eq!(shown(&app.admin, "gauge").await, Vec::<Value>::new(), "{row}: nothing is found");
    for wait in [false, true] {
        let refused = app.admin.post("/svc/ingest/", &document("https://h.example/new", wait)).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code()),
            (402, "cache_unlicensed"),
            "{row}: {refused:?}"
        );
        assert!(!refused.body["detail"].as_str().unwrap().is_empty(), "{row}");
    }
    let status = app.admin.get("/svc/agent/status/").await;
    assert_eq!(status.body["features"]["cache"], false, "{row}: {status:?}");
    let told = app.admin.get("/svc/license/").await.body;
    assert_eq!(told["cache"], false, "{row}");
    assert!(told["message"].as_str().unwrap().contains(why), "{row}: {told}");
    let after = app.service.wired().store.corpus_counts().await.unwrap();
    assert_eq!(after, before, "{row}: nothing went in, and nothing was lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_license_table_row_by_row() {
    let stage = Stage::new();
    stage.fill().await;
    let terms = stage.terms();
    let edited = |from: &str, to: &str| {
        let license = stage.license();
        assert!(license.contains(from), "{license}");
        license.replace(from, to)
    };
    let signed = |terms: LicenseTerms| terms.issue(&stage.key);
    let (other, _) = SigningKey::make().unwrap();
    let without = LicenseTerms { cache: false, ..terms.clone() };
    let table = [
        ("unlicensed", String::new(), "There is no license"),
        ("absent cache", signed(without.clone()), "does not include the semantic cache"),
        (
            "cache added by hand",
            signed(without).replace("\"owner\"", "\"cache\":true,\"owner\""),
            "does not fit",
        ),
        ("owner edited", edited("Delta", "Gamma"), "does not fit"),
        ("date edited", edited(&terms.expiration.to_string(), "2999-12-31"), "does not fit"),
        ("another issuer", terms.issue(&other), "does not fit"),
        (
            "cache expired while the license is valid",
            signed(LicenseTerms { cache_expiration: Some(in_days(-1)), ..terms.clone() }),
            "semantic cache expired on",
        ),
        ("license expired", signed(LicenseTerms { expiration: in_days(-1), ..terms.clone() }), "expired on"),
        ("no JSON", "cache=true".to_owned(), "not a JSON object"),
    ];
    for (row, license, why) in table {
        let app = stage.app(license).await;
        assert_closed(&app, row, why).await;
        app.stop().await;
    }
    // The last day counts, and a closed cache has lost nothing.
    let last_day = LicenseTerms { expiration: in_days(0), cache_expiration: Some(in_days(0)), ..terms };
    let app = stage.app(last_day.issue(&stage.key)).await;
    assert_eq!(shown(&app.admin, "gauge").await.len(), 1);
    let again = app.admin.post("/svc/ingest/", &document("https://h.example/new", true)).await;
    assert_eq!(again.status, 200, "{again:?}");
    assert_eq!(app.admin.get("/svc/agent/status/").await.body["features"]["cache"], true);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_license_that_ends_during_a_search_closes_the_cache_at_once() {
    let stage = Stage::new();
    stage.fill().await;
    let app = stage.app(stage.license()).await;
    let source = Source::start().await;
    let items = json!({"total": 1, "items": [{"title": "A gauge elsewhere", "body": "gauge", "url": "https://e.example/1"}]});
    source.reply(Behaviour::Json(items).delayed(Duration::from_millis(1500)));
    app.provider("Slow", &source).await;
    let created = app.admin.post("/svc/search/", &json!({"query_string": "gauge"})).await;
    let id = created.body["id"].as_i64().unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    // The day after the last one begins.
    app.service.wired().license.saw(in_days(101));
    let search = app.admin.ready(id).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    let page = app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    let of: Vec<&str> = page["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["searchprovider"].as_str())
        .collect();
    assert_eq!(of, ["Slow"], "what the cache had found before is not shown, everything else is: {page}");
    assert_closed(&app, "ended during a search", "expired on").await;
    app.stop().await;

    // The clock is where it was before, but the day is remembered.
    let app = stage.app(stage.license()).await;
    assert_closed(&app, "clock turned back", "turned back").await;
    app.stop().await;
    // A license that is issued anew begins with its own day.
    let app = stage.app(LicenseTerms { issued: in_days(0), ..stage.terms() }.issue(&stage.key)).await;
    assert_eq!(shown(&app.admin, "gauge").await.len(), 1);
    app.stop().await;
}

#[test]
fn licenses_are_made_and_checked_by_command() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let made = run(here, &["license", "keygen", "--out", "a/keys"]);
    assert!(made.status.success(), "{made:?}");
    let private = std::fs::read_to_string(here.join("a/keys/private.pem")).unwrap();
    assert!(private.starts_with("-----BEGIN PRIVATE KEY-----\n"), "{private}");
    assert!(!text(&made.stdout).contains(private.lines().nth(1).unwrap()), "the key is not shown");
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(here.join("a/keys/private.pem")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let again = run(here, &["license", "keygen", "--out", "a/keys"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("not overwritten"), "{again:?}");
    assert_eq!(std::fs::read_to_string(here.join("a/keys/private.pem")).unwrap(), private);

    let issue = |more: &[&str]| {
        let arguments =
            [&["license", "issue", "--key", "a/keys/private.pem", "--owner", "Delta Ltd"], more].concat();
        run(here, &arguments)
    };
    let (soon, later) = (in_days(5).to_string(), in_days(400).to_string());
    let issued = issue(&["--cache", "--cache-expiration", &soon, "--expiration", &later]);
    assert!(issued.status.success(), "{issued:?}");
    let license = text(&issued.stdout).trim().to_owned();
    let fields: Value = serde_json::from_str(&license).unwrap();
    assert_eq!((&fields["owner"], &fields["cache"]), (&json!("Delta Ltd"), &json!(true)));
    assert_eq!((&fields["expiration"], &fields["cache_expiration"]), (&json!(later), &json!(soon)));
    let plain: Value = serde_json::from_str(&text(&issue(&[]).stdout)).unwrap();
    assert!(plain.get("cache").is_none() && plain["expiration"].as_str().unwrap() > soon.as_str(), "{plain}");
    for bad in [&["--cache-expiration", soon.as_str()][..], &["--expiration", "tomorrow"]] {
        assert_eq!(issue(bad).status.code(), Some(2), "{bad:?}");
    }

    let past = text(&issue(&["--expiration", &in_days(-1).to_string()]).stdout);
    let table = [
        (license.clone(), 0, "valid"),
        (license.replace("Delta", "Gamma"), 1, "invalid"),
        (past, 1, "expired"),
        (String::new(), 1, "none"),
    ];
    for (given, code, status) in table {
        std::fs::write(here.join("license.json"), &given).unwrap();
        let public = ["license", "verify", "license.json", "--public-key", "a/keys/public.pem"];
        let by_file = run(here, &public);
        let by_setting = program(here, &["license", "verify"])
            .env("SVC_LICENSE", &given)
            .env("SVC_LICENSE_PUBLIC_KEY", std::fs::read_to_string(here.join("a/keys/public.pem")).unwrap())
            .output()
            .unwrap();
        for output in [by_file, by_setting] {
            assert_eq!(output.status.code(), Some(code), "{status}: {output:?}");
            assert!(text(&output.stdout).starts_with(&format!("status      {status}\n")), "{output:?}");
        }
    }
    let shown = program(here, &["license", "show", "--json"])
        .env("SVC_LICENSE", &license)
        .env("SVC_LICENSE_PUBLIC_KEY", "a/keys/public.pem")
        .output()
        .unwrap();
    let shown: Value = serde_json::from_str(&text(&shown.stdout)).unwrap();
    assert_eq!(
        (&shown["status"], &shown["cache"], &shown["owner"]),
        (&json!("valid"), &json!(true), &json!("Delta Ltd"))
    );
    // A key that cannot be read stops everything, a license that cannot be believed does not.
    let wrong =
        program(here, &["license", "show"]).env("SVC_LICENSE_PUBLIC_KEY", "missing.pem").output().unwrap();
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("SVC_LICENSE_PUBLIC_KEY"), "{wrong:?}");
    assert!(program(here, &["license", "show"]).env("SVC_LICENSE", "x").output().unwrap().status.success());
}
