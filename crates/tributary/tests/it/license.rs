//! The license table row by row: what each license enables, what happens when it expires while the service runs, and
//! the commands that make and check licenses.

use crate::app_harness::{AppHarness, Client};
use crate::program::{program, run, text};
use chrono::{Days, NaiveDate};
use domain::corpus::PROVIDER_NAME;
use domain::ports::{Clock, QueueName, SignalStore, SystemClock};
use domain::secret::Secret;
use domain::settings::{Ratio, Settings};
use license::{LicenseTerms, SigningKey};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use testkit::source::{Behavior, Source};
use tributary::corpus::provider as corpus_provider;

fn in_days(days: i64) -> NaiveDate {
    let today = SystemClock.now().date_naive();
    match u64::try_from(days) {
        Ok(days) => today + Days::new(days),
        Err(_) => today - Days::new(days.unsigned_abs()),
    }
}

/// An issuer, and a data folder with one cached document.
pub struct LicenseFixture {
    key: SigningKey,
    pub folder: TempDir,
}

impl LicenseFixture {
    pub fn new() -> Self {
        let (key, _) = SigningKey::make().unwrap();
        Self { key, folder: tempfile::tempdir().unwrap() }
    }

    /// The terms of a valid license.
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

    /// The service on that folder. Each has the same records, so that differences are caused by the license.
    async fn app(&self, license: String) -> AppHarness {
        let (folder, issuer) = (self.folder.path().display().to_string(), self.key.issuer().unwrap());
        AppHarness::with(move |settings| Settings {
            data_dir: folder,
            database_url: Secret::default(),
            license: Secret::new(license),
            license_public_key: issuer.pem(),
            corpus_min_score: Ratio(0.1),
            ..settings
        })
        .await
    }

    /// Ingests the document.
    pub async fn fill(&self) {
        let app = self.app(self.license()).await;
        corpus_provider::ensure(app.service.app()).await.unwrap();
        let kept = app.admin.post("/svc/ingest/", &document("https://h.example/gauge", true)).await;
        assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
        assert_eq!(search_cache(&app.admin, "gauge").await.len(), 1, "it is found");
        // Reading the document queued a liveness check. While tasks are waiting, bodies without a document are not
        // removed.
        let queue = &app.service.app().queue;
        while queue.depth(QueueName::Corpus).await.unwrap() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        app.stop().await;
    }
}

/// An ingest request with a text that is long enough.
fn document(url: &str, wait: bool) -> Value {
    let body =
        "The gauge at the river shows how high the water stands, and a warning is sent when it rises. ";
    json!({"url": url, "title": "The gauge", "body": body.repeat(15), "wait": wait})
}

/// The results of a search in the cache alone, which never fails.
async fn search_cache(client: &Client, words: &str) -> Vec<Value> {
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
    let before = app.service.app().store.corpus_counts().await.unwrap();
    assert_eq!(search_cache(&app.admin, "gauge").await, Vec::<Value>::new(), "{row}: nothing is found");
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
    let after = app.service.app().store.corpus_counts().await.unwrap();
    assert_eq!(after, before, "{row}: nothing went in, and nothing was lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_license_table_row_by_row() {
    let fixture = LicenseFixture::new();
    fixture.fill().await;
    let terms = fixture.terms();
    let edited = |from: &str, to: &str| {
        let license = fixture.license();
        assert!(license.contains(from), "{license}");
        license.replace(from, to)
    };
    let signed = |terms: LicenseTerms| terms.issue(&fixture.key);
    let (other, _) = SigningKey::make().unwrap();
    let without = LicenseTerms { cache: false, ..terms.clone() };
    let table = [
        ("unlicensed", String::new(), "There is no license"),
        ("absent cache", signed(without.clone()), "does not include the semantic cache"),
        (
            "cache added by hand",
            signed(without).replace("\"owner\"", "\"cache\":true,\"owner\""),
            "signature is not valid",
        ),
        ("owner edited", edited("Delta", "Gamma"), "signature is not valid"),
        ("date edited", edited(&terms.expiration.to_string(), "2999-12-31"), "signature is not valid"),
        ("another issuer", terms.issue(&other), "signature is not valid"),
        (
            "cache expired while the license is valid",
            signed(LicenseTerms { cache_expiration: Some(in_days(-1)), ..terms.clone() }),
            "semantic cache expired on",
        ),
        ("license expired", signed(LicenseTerms { expiration: in_days(-1), ..terms.clone() }), "expired on"),
        ("no JSON", "cache=true".to_owned(), "not a JSON object"),
    ];
    for (row, license, why) in table {
        let app = fixture.app(license).await;
        assert_closed(&app, row, why).await;
        app.stop().await;
    }
    // The last day is included, and the disabled cache has lost nothing.
    let last_day = LicenseTerms { expiration: in_days(0), cache_expiration: Some(in_days(0)), ..terms };
    let app = fixture.app(last_day.issue(&fixture.key)).await;
    assert_eq!(search_cache(&app.admin, "gauge").await.len(), 1);
    let again = app.admin.post("/svc/ingest/", &document("https://h.example/new", true)).await;
    assert_eq!(again.status, 200, "{again:?}");
    assert_eq!(app.admin.get("/svc/agent/status/").await.body["features"]["cache"], true);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_license_that_ends_during_a_search_closes_the_cache_at_once() {
    let fixture = LicenseFixture::new();
    fixture.fill().await;
    let app = fixture.app(fixture.license()).await;
    let source = Source::start().await;
    let items = json!({"total": 1, "items": [{"title": "A gauge elsewhere", "body": "gauge", "url": "https://e.example/1"}]});
    source.reply(Behavior::Json(items).delayed(Duration::from_millis(1500)));
    app.provider("Slow", &source).await;
    let created = app.admin.post("/svc/search/", &json!({"query_string": "gauge"})).await;
    let id = created.body["id"].as_i64().unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    // The day after the last one begins.
    app.service.app().license.observe_day(in_days(101));
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

    // The clock is set back, but the latest day is remembered.
    let app = fixture.app(fixture.license()).await;
    assert_closed(&app, "clock set back", "set back").await;
    app.stop().await;
    // A newly issued license starts with its own day.
    let app = fixture.app(LicenseTerms { issued: in_days(0), ..fixture.terms() }.issue(&fixture.key)).await;
    assert_eq!(search_cache(&app.admin, "gauge").await.len(), 1);
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
    // An unreadable key stops the program; an invalid license does not.
    let wrong =
        program(here, &["license", "show"]).env("SVC_LICENSE_PUBLIC_KEY", "missing.pem").output().unwrap();
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("SVC_LICENSE_PUBLIC_KEY"), "{wrong:?}");
    assert!(program(here, &["license", "show"]).env("SVC_LICENSE", "x").output().unwrap().status.success());
}
