//! The default retention of searches, and their disk usage.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness, items};
use crate::program::{run, text};
use chrono::TimeDelta;
use domain::ids::SearchId;
use domain::ports::SearchStore;
use domain::retention::Retention;
use domain::settings::{Seconds, Settings};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

fn for_an_hour(settings: Settings) -> Settings {
    Settings { default_retention: Retention::Hour, expire_every: Seconds::new(1), ..settings }
}

async fn retention(app: &AppHarness, id: &Value) -> Value {
    app.admin.get(&format!("/svc/search/{id}/")).await.body["retention"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_that_name_no_retention_get_the_default() {
    let app = AppHarness::with(for_an_hour).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    let posted = app.admin.post("/svc/search/", &json!({"query_string": "river"})).await.body;
    assert_eq!(posted["retention"], 1);
    for named in [0, 2, 3] {
        let body = json!({"query_string": "river", "retention": named});
        assert_eq!(app.admin.post("/svc/search/", &body).await.body["retention"], named);
    }
    let asked = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(asked.status, 200, "{asked:?}");
    let newest = &app.admin.get("/svc/search/").await.body[0]["id"];
    assert_eq!(retention(&app, newest).await, 1, "a search by qs");

    let path = format!("/svc/search/{}/", posted["id"]);
    app.admin.ready(posted["id"].as_i64().unwrap()).await;
    assert_eq!(app.admin.patch(&path, &json!({"retention": 0})).await.body["retention"], 0);
    assert_eq!(app.admin.patch(&path, &json!({"tags": ["a"]})).await.body["retention"], 0, "it stays");
    let replaced = app.admin.put(&path, &json!({"query_string": "river"})).await;
    assert_eq!(replaced.body["retention"], 1, "PUT replaces");
    app.stop().await;
}

/// The clock is simulated by storing searches as if they had been changed long ago.
#[tokio::test(flavor = "multi_thread")]
async fn the_default_retention_ends_searches_but_not_saved_and_subscribed_ones() {
    let app = AppHarness::with(for_an_hour).await;
    let (wired, mut ids) = (app.service.app(), Vec::new());
    for more in [json!({}), json!({"tags": ["saved"]}), json!({"subscribe": true}), json!({"retention": 0})] {
        let mut body = json!({"query_string": "river"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let id = app.admin.search(&body).await["id"].as_i64().unwrap();
        let search = wired.store.search(SearchId(id)).await.unwrap();
        let then = wired.clock.now() - TimeDelta::hours(2);
        wired.store.change_search(&search, search.spec.clone(), then).await.unwrap().unwrap();
        ids.push(id);
    }
    let status = async |id: i64| app.admin.get(&format!("/svc/search/{id}/")).await.status.as_u16();
    let started = Instant::now();
    while status(ids[0]).await != 404 {
        assert!(started.elapsed() < Duration::from_secs(20), "it is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for id in &ids[1..] {
        assert_eq!(status(*id).await, 200);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_size_of_the_database_is_reported() {
    let app = AppHarness::with(for_an_hour).await;
    let metrics = app.admin.get("/metrics/").await;
    let text = metrics.body.as_str().unwrap();
    for name in ["tributary_database_size_bytes", "tributary_database_used_bytes"] {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}"));
        assert!(line.trim().parse::<f64>().unwrap() > 0.0, "{line}");
    }
    assert!(!text.contains("\ntributary_database_full_in_days "), "not known on the first day");
    let totals = app.admin.get("/svc/activity/?days=1").await.body["totals"].clone();
    assert_eq!(totals["default_retention"], 1);
    assert!(totals["storage"]["database_bytes"].as_u64().unwrap() > 0, "{totals}");
    app.stop().await;
}

#[test]
fn a_database_is_compacted_while_no_service_runs() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, none) = said(&["database", "compact"]);
    assert!(code == 1 && none.contains("no database in"), "{none}");
    let (code, setup) = said(&["setup"]);
    assert!(code == 0 && setup.contains("SVC_DEFAULT_RETENTION=3"), "{setup}");
    let (code, done) = said(&["database", "compact"]);
    assert!(code == 0 && done.contains("Compacted the database"), "{done}");
    let (_, doctor) = said(&["doctor", "--offline"]);
    assert!(doctor.contains("ok    size") && doctor.contains("growth is known after a day"), "{doctor}");

    let mut serving = crate::program::program(folder.path(), &["serve", "--port", "0"]);
    let serving = crate::program::Running::start({
        serving.env("SVC_ADMIN_PASSWORD", ADMIN_PASSWORD);
        serving
    });
    let (code, refused) = said(&["database", "compact"]);
    assert!(
        code == 1 && refused.contains("a service is running on") && refused.contains("tributary stop"),
        "{refused}"
    );
    drop(serving);
}
