//! Subscriptions and retention: scheduled work on searches.

use crate::app_harness::{AppHarness, eventually, items};
use chrono::TimeDelta;
use domain::ids::SearchId;
use domain::ports::SearchStore;
use domain::settings::{Seconds, Settings};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

fn every_second(settings: Settings) -> Settings {
    Settings { subscribe_every: Seconds::new(1), expire_every: Seconds::new(1), ..settings }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscribed_search_is_updated_by_itself() {
    let app = AppHarness::with(every_second).await;
    let source = Source::start().await;
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(items("river", 1)),
        Behavior::Json(items("river", 3)),
    ]));
    app.provider("Rivers", &source).await;
    let plain = app.admin.search(&json!({"query_string": "river"})).await;
    let search = app.admin.post("/svc/search/", &json!({"query_string": "river bank"})).await.body;
    let path = format!("/svc/search/{}/", search["id"]);
    app.admin.ready(search["id"].as_i64().unwrap()).await;
    let subscribed = app.admin.patch(&path, &json!({"subscribe": true})).await;
    assert_eq!((subscribed.status.as_u16(), &subscribed.body["subscribe"]), (200, &json!(true)));

    eventually("an update", async || app.admin.get(&path).await.body["status"] == "FULL_UPDATE_READY").await;
    let row = app.admin.get(&path).await.body;
    assert_eq!((&row["sort"], &row["subscribe"]), (&json!("date"), &json!(true)));
    let asked = source.requests().len();
    eventually("more updates", async || source.requests().len() >= asked + 2).await;

    let ended = app.admin.patch(&path, &json!({"subscribe": false})).await;
    assert_eq!(ended.body["subscribe"], false);
    app.admin.ready(search["id"].as_i64().unwrap()).await;
    let asked = source.requests().len();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(source.requests().len(), asked, "nobody asks for it any more");
    let plain = app.admin.get(&format!("/svc/search/{}/", plain["id"])).await.body;
    assert_eq!(plain["status"], "FULL_RESULTS_READY", "the other one was never touched");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_cannot_run_is_switched_off() {
    let app = AppHarness::with(every_second).await;
    let search = app.admin.search(&json!({"query_string": "river", "subscribe": true})).await;
    assert_eq!(search["status"], "ERR_NO_SEARCHPROVIDERS");
    let path = format!("/svc/search/{}/", search["id"]);
    eventually("the end of the subscription", async || app.admin.get(&path).await.body["subscribe"] == false)
        .await;
    let row = app.admin.get(&path).await.body;
    let said = row["messages"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();
    let expected = "] Subscriber disabled updates due to error ERR_NO_SEARCHPROVIDERS";
    assert!(said.ends_with(expected), "{said}");
    assert_eq!(row["status"], "ERR_NO_SEARCHPROVIDERS", "nothing ran");
    app.stop().await;
}

/// The clock is simulated by storing searches as if they had been changed long ago.
#[tokio::test(flavor = "multi_thread")]
async fn searches_go_when_their_retention_has_run_out() {
    let app = AppHarness::with(every_second).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let wired = app.service.app();
    let minutes = [(4, 5), (1, 60), (2, 24 * 60), (3, 30 * 24 * 60), (0, 100_000)];
    let (mut old, mut young) = (Vec::new(), Vec::new());
    for (retention, lasts) in minutes {
        for (list, age) in [(&mut old, lasts), (&mut young, lasts - 1)] {
            let spec = json!({"query_string": "river", "retention": retention});
            let id = app.admin.search(&spec).await["id"].as_i64().unwrap();
            let search = wired.store.search(SearchId(id)).await.unwrap();
            let then = wired.clock.now() - TimeDelta::minutes(age);
            let spec = search.spec.clone();
            wired.store.change_search(&search, spec, then).await.unwrap().unwrap();
            list.push(id);
        }
    }
    let kept_for_ever = old.pop().unwrap();
    young.push(kept_for_ever);
    for id in &old {
        let path = format!("/svc/search/{id}/");
        eventually("its end", async || app.admin.get(&path).await.status == 404).await;
        let results = app.admin.get(&format!("/svc/results/?search_id={id}")).await;
        assert_eq!(results.status, 404, "its results went with it");
    }
    for id in &young {
        assert_eq!(app.admin.get(&format!("/svc/search/{id}/")).await.status, 200, "search {id} is young");
    }
    let left = app.admin.get("/svc/results/").await.body;
    let of: Vec<i64> =
        left.as_array().unwrap().iter().map(|row: &Value| row["search_id"].as_i64().unwrap()).collect();
    assert!(of.iter().all(|id| young.contains(id)) && of.len() == 2 * young.len(), "{of:?}");
    app.stop().await;
}
