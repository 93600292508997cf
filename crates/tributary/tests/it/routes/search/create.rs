//! `POST /svc/search/`: responds at once; the search runs in the background.

use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn answers_at_once_and_becomes_full() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)).delayed(Duration::from_millis(300)));
    let provider = app.provider("Rivers", &source).await;

    let created = app.admin.post("/svc/search/", &json!({"query_string": "river"})).await;
    assert_eq!(created.status, 201);
    assert_eq!(created.body["status"], "NEW_SEARCH");
    assert_eq!(created.body["messages"][0], format!("Tributary {}", domain::VERSION));
    let id = created.body["id"].as_i64().unwrap();

    let not_yet = app.admin.get(&format!("/svc/results/?search_id={id}")).await;
    assert_eq!((not_yet.status.as_u16(), not_yet.code()), (503, "not_ready"));
    assert_eq!(not_yet.header("retry-after"), "1");

    let search = app.admin.ready(id).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY");
    assert_eq!(search["owner"], "admin");
    let result_url = search["result_url"].as_str().unwrap();
    assert!(result_url.contains(&format!("search_id={id}")), "{result_url}");
    assert!(search["new_result_url"].as_str().unwrap().contains("RelevancyNewItemsMixer"));

    let mixed = app.admin.get(&format!("/svc/results/?search_id={id}")).await;
    assert_eq!(mixed.status, 200);
    let info = &mixed.body["info"];
    assert_eq!(info["results"]["found_total"], 3);
    assert_eq!(info["results"]["retrieved_total"], 3);
    assert_eq!(info["results"]["retrieved"], 3);
    assert_eq!(info["results"]["result_blocks"], json!(["ai_summary"]));
    assert_eq!(mixed.body["ai_summary"], json!([]));
    assert_eq!(info["Rivers"]["status"], "ok");
    assert_eq!(info["Rivers"]["query_string_to_provider"], "river");
    assert_eq!(
        info["Rivers"]["filter_url"],
        format!("{}/svc/results/?search_id={id}&provider={provider}", app.base)
    );
    assert_eq!(info["search"]["rerun_url"], format!("{}/svc/search/?rerun={id}", app.base));
    assert_eq!(
        info["completeness"],
        json!({"asked":1,"answered":1,"partial":0,"failed":0,"timed_out":0,"suspended":0})
    );
    let ranks: Vec<i64> =
        results(&mixed.body).iter().map(|item| item["swirl_rank"].as_i64().unwrap()).collect();
    assert_eq!(ranks, [1, 2, 3]);
    let last = mixed.body["messages"].as_array().unwrap().last().unwrap().as_str().unwrap();
    assert!(last.ends_with("Results ordered by: RelevancyConfidenceMixer"), "{last}");
    assert_eq!(mixed.body["messages"][0], format!("Tributary {}", domain::VERSION));
    app.stop().await;
}

fn results(mixed: &Value) -> &Vec<Value> {
    mixed["results"].as_array().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_searches_are_refused_with_the_field() {
    let app = AppHarness::start().await;
    let cases = [
        (json!({}), "query_string"),
        (json!({"query_string": "  "}), "query_string"),
        (json!({"query_string": "x".repeat(2049)}), "query_string"),
        (json!({"query_string": "a\u{0}b"}), "query_string"),
        (json!({"query_string": "x", "retention": 5}), "retention"),
        (json!({"query_string": "x", "results_requested": 0}), "results_requested"),
        (json!({"query_string": "x", "results_requested": "ten"}), "results_requested"),
        (json!({"query_string": "x", "sort": "size"}), "sort"),
        (json!({"query_string": "x", "result_mixer": "RelevancyMixr"}), "result_mixer"),
        (json!({"query_string": "x", "pre_query_processors": ["Nobody"]}), "pre_query_processors"),
        (json!({"query_string": "x", "post_result_processors": ["Nobody"]}), "post_result_processors"),
    ];
    for (spec, field) in cases {
        let answer = app.admin.post("/svc/search/", &spec).await;
        assert_eq!(answer.status, 400, "{spec} {answer:?}");
        assert!(answer.body["errors"][field].is_array(), "{spec}: {}", answer.body);
    }
    let hint =
        app.admin.post("/svc/search/", &json!({"query_string":"x","result_mixer":"RelevancyMixr"})).await;
    let sentence = hint.body["errors"]["result_mixer"][0].as_str().unwrap();
    assert!(sentence.contains("Did you mean 'RelevancyMixer'?"), "{sentence}");
    let list = app.admin.get("/svc/search/").await;
    assert_eq!(list.body, json!([]), "nothing was stored");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_results_are_clamped_with_a_message() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river", "results_requested": 5000})).await;
    assert_eq!(search["results_requested"], 1000);
    assert!(
        search["messages"].to_string().contains("results_requested 5000 is above the limit; 1000 is used")
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_providers_ends_and_says_why() {
    let app = AppHarness::start().await;
    let search = app.admin.search(&json!({"query_string": "river", "searchprovider_list": ["nobody"]})).await;
    assert_eq!(search["status"], "ERR_NO_SEARCHPROVIDERS");
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(mixed.status, 200);
    assert_eq!(mixed.body["results"], json!([]));
    let messages = mixed.body["messages"].to_string();
    assert!(
        messages.contains("matches: nobody") && messages.contains("No SearchProvider was queried"),
        "{messages}"
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selection_obeys_active_default_list_and_visibility() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider_with("Default", &source, json!({})).await;
    let listed = app.provider_with("Listed", &source, json!({"default": false, "tags": ["Extra"]})).await;
    app.provider_with("Off", &source, json!({"active": false})).await;
    app.provider_with("Secret", &source, json!({"shared": false, "groups": ["research"]})).await;
    let outsider = app.user("otto", &[]).await;
    let member = app.user("mia", &["research"]).await;

    let cases = [
        (&outsider, json!([]), vec!["Default"]),
        (&outsider, json!([listed]), vec!["Listed"]),
        (&outsider, json!(["listed", "OFF"]), vec!["Listed"]),
        (&outsider, json!(["extra"]), vec!["Listed"]),
        (&outsider, json!(["Secret", "Default"]), vec!["Default"]),
        (&member, json!([]), vec!["Default", "Secret"]),
    ];
    for (client, list, expected) in cases {
        let search = client.search(&json!({"query_string": "river", "searchprovider_list": list})).await;
        let mixed = client.get(&format!("/svc/results/?search_id={}", search["id"])).await;
        let info = mixed.body["info"].as_object().unwrap();
        let asked: Vec<&String> = info
            .keys()
            .filter(|key| !["search", "results", "completeness"].contains(&key.as_str()))
            .collect();
        assert_eq!(asked, expected, "{list}");
    }
    app.stop().await;
}
