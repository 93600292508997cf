//! `/svc/connectors/`, `/svc/processors/`, `/svc/mixers/`: the plug-ins, and that each can be used.

use crate::app_harness::AppHarness;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const KINDS: [(&str, &[&str]); 3] = [
    ("connectors", &["connector"]),
    ("processors", &["query_processor", "result_processor", "post_result_processor"]),
    ("mixers", &["mixer"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_row_is_whole_and_every_kind_is_there() {
    let app = AppHarness::start().await;
    let otto = app.user("otto", &[]).await;
    for (route, kinds) in KINDS {
        let rows = otto.get(&format!("/svc/{route}/")).await.body;
        let rows = rows.as_array().unwrap();
        let found: BTreeSet<&str> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
        assert_eq!(found, kinds.iter().copied().collect(), "{route}");
        let mut names = BTreeSet::new();
        for row in rows {
            let name = row["name"].as_str().unwrap();
            assert!(names.insert((row["kind"].as_str().unwrap(), name)), "{name} is listed twice");
            let summary = row["summary"].as_str().unwrap();
            assert!(summary.len() > 10 && summary.ends_with('.'), "{name}: {summary}");
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_names_of_the_interface_are_there() {
    let app = AppHarness::start().await;
    let cases: [(&str, &[&str]); 3] = [
        ("connectors", &["RequestsGet"]),
        (
            "processors",
            &["AdaptiveQueryProcessor", "MappingResultProcessor", "CosineRelevancyPostResultProcessor"],
        ),
        (
            "mixers",
            &[
                "RelevancyMixer",
                "RelevancyConfidenceMixer",
                "RelevancyNewItemsMixer",
                "DateMixer",
                "DateNewItemsMixer",
                "RoundRobinMixer",
                "Stack1Mixer",
                "Stack2Mixer",
                "Stack3Mixer",
                "StackNMixer",
            ],
        ),
    ];
    for (route, expected) in cases {
        let rows = app.admin.get(&format!("/svc/{route}/")).await.body;
        let names: Vec<&str> =
            rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
        for name in expected {
            assert!(names.contains(name), "{name} is not among {names:?}");
        }
    }
    app.stop().await;
}

/// Every listed plug-in is accepted in a search.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_can_be_used() {
    let app = AppHarness::start().await;
    let mut specs: Vec<Value> = Vec::new();
    for row in app.admin.get("/svc/mixers/").await.body.as_array().unwrap() {
        specs.push(json!({"query_string": "x", "result_mixer": row["name"]}));
    }
    for row in app.admin.get("/svc/processors/").await.body.as_array().unwrap() {
        let field = match row["kind"].as_str().unwrap() {
            "query_processor" => "query_processors",
            "result_processor" => "result_processors",
            _ => "post_result_processors",
        };
        specs.push(json!({"query_string": "x", field: [row["name"]]}));
    }
    assert!(specs.len() > 12);
    for spec in specs {
        let answer = app.admin.post("/svc/search/", &spec).await;
        assert_eq!(answer.status, 201, "{spec}: {answer:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_says_what_it_can_and_what_it_reads() {
    let app = AppHarness::start().await;
    let spec = json!({"name": "S", "url": "https://s.example/", "response_mappings": "RESULTS=items"});
    let provider = app.admin.post("/svc/searchproviders/", &spec).await.body;
    for row in app.admin.get("/svc/connectors/").await.body.as_array().unwrap() {
        let capability = row["capability"].as_object().unwrap();
        assert_eq!(capability.keys().collect::<Vec<_>>(), ["page", "date_sort", "not"], "{row}");
        assert!(capability.values().all(Value::is_boolean), "{row}");
        let settings = row["settings"].as_array().unwrap();
        assert!(!settings.is_empty(), "{row}");
        for field in settings {
            assert!(provider.get(field.as_str().unwrap()).is_some(), "{field} is no field of a provider");
        }
    }
    app.stop().await;
}
