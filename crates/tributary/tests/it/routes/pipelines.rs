//! `/svc/pipelines/`: the record that decides which post-result processors run, and in which order.

use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};
use tributary::app::PLUGINS;

const SCORES: &str = "CosineRelevancyPostResultProcessor";
const GROUPS: &str = "DedupeByFieldPostResultProcessor";
const DATES: &str = "DateFinderResultProcessor";

async fn the_default(app: &AppHarness) -> Value {
    let all = app.admin.get("/svc/pipelines/").await.body;
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    all[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_default_is_there_for_all_to_read() {
    let app = AppHarness::start().await;
    let pipeline = the_default(&app).await;
    assert_eq!(pipeline["name"], "System Default Post-Result Pipeline");
    assert_eq!(pipeline["processors"], json!(PLUGINS.default_post_result));
    let keys: Vec<&String> = pipeline.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "name", "processors", "date_updated"]);
    let otto = app.user("otto", &[]).await;
    let path = format!("/svc/pipelines/{}/", pipeline["id"]);
    assert_eq!(otto.get(&path).await.body, pipeline);
    assert_eq!(otto.get("/svc/pipelines/?page=1").await.body["results"], json!([pipeline]));
    assert_eq!(otto.put(&path, &json!({"processors": []})).await.status, 403);
    assert_eq!(otto.patch(&path, &json!({})).await.status, 403);
    assert_eq!(app.admin.get("/svc/pipelines/999999/").await.status, 404);
    assert_eq!(app.admin.put("/svc/pipelines/999999/", &json!({"processors": []})).await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_decides_what_runs() {
    let app = AppHarness::start().await;
    let (one, two) = (Source::start().await, Source::start().await);
    let mut given = items("river", 2);
    given["items"][0]["date"] = Value::Null;
    given["items"][0]["body"] = json!("A river, seen on 3/4/2021 at noon.");
    one.reply(Behavior::Json(given.clone()));
    two.reply(Behavior::Json(given));
    let plain = json!({"result_processors": ["MappingResultProcessor", "CosineRelevancyResultProcessor"]});
    app.provider_with("One", &one, plain.clone()).await;
    app.provider_with("Two", &two, plain).await;
    let path = format!("/svc/pipelines/{}/", the_default(&app).await["id"]);
    // The expected results of each case: their number, whether they have scores, and the detected date.
    let cases = [
        (json!([SCORES, GROUPS]), 2, true, "unknown"),
        (json!([SCORES]), 4, true, "unknown"),
        (json!([]), 4, false, "unknown"),
        (json!([DATES, SCORES, GROUPS]), 2, true, "2021-03-04 00:00:00"),
    ];
    for (processors, count, is_scored, date) in cases {
        let saved = app.admin.put(&path, &json!({ "processors": processors })).await;
        assert_eq!((saved.status.as_u16(), &saved.body["processors"]), (200, &processors), "{saved:?}");
        let mixed = app.admin.get("/svc/search/?qs=river").await.body;
        let results = mixed["results"].as_array().unwrap();
        assert_eq!(results.len(), count, "{processors}");
        let scored = results.iter().all(|item| item["swirl_score"].as_f64().unwrap() > 0.0);
        assert_eq!(scored, is_scored, "{processors}");
        let first = results.iter().find(|item| item["title"] == "<em>river</em> number 1").unwrap();
        assert_eq!(first["date_published"], date, "{processors}");
        // The messages name the processors in order.
        let lines: Vec<&str> =
            mixed["messages"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let said: Vec<&str> = [DATES, SCORES, GROUPS]
            .into_iter()
            .filter(|name| lines.iter().any(|line| line.contains(&format!("] {name} "))))
            .collect();
        assert_eq!(json!(said), processors, "{lines:?}");
    }
    let own = json!({"query_string": "river", "post_result_processors": [SCORES]});
    let search = app.admin.search(&own).await;
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    assert_eq!(mixed["results"].as_array().unwrap().len(), 4, "a search's own processors come first");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named() {
    let app = AppHarness::start().await;
    let before = the_default(&app).await;
    let path = format!("/svc/pipelines/{}/", before["id"]);
    let cases = [
        (json!(["CosineRelevancyPostResultProcesor"]), "Did you mean 'CosineRelevancyPostResultProcessor'?"),
        (json!(["MappingResultProcessor"]), "Unknown post-result processor 'MappingResultProcessor'."),
        (json!([SCORES, GROUPS, SCORES]), "'CosineRelevancyPostResultProcessor' is listed twice."),
        (json!(vec!["x"; 51]), "At most 50 processors are allowed."),
    ];
    for (processors, expected) in cases {
        for answer in [
            app.admin.put(&path, &json!({ "processors": processors })).await,
            app.admin.patch(&path, &json!({ "processors": processors })).await,
        ] {
            assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{answer:?}");
            let said = answer.body["errors"]["processors"].to_string();
            assert!(said.contains(expected), "{said}");
        }
    }
    for wrong in [json!({"processors": SCORES}), json!({"processors": [1]}), json!({"processors": null})] {
        assert_eq!(app.admin.put(&path, &wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(the_default(&app).await, before, "nothing was saved");
    let name = app.admin.patch(&path, &json!({"name": "Another", "processors": [SCORES]})).await.body;
    assert_eq!((&name["name"], &name["processors"]), (&before["name"], &json!([SCORES])), "the name stays");
    app.stop().await;
}
