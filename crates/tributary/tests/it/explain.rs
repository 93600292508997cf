//! The `messages` of a search with every feature enabled explain everything that happened.

use crate::app_harness::{AppHarness, items};
use bytes::Bytes;
use domain::settings::{Seconds, Settings};
use serde_json::json;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_explain_the_whole_search() {
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(10), ..settings }).await;
    let transform = json!({"name": "phones", "qrx_type": "synonym", "config_content": "telephone,handset"});
    assert_eq!(app.admin.post("/svc/querytransforms/", &transform).await.status, 201);
    let (good, broken, busy, silent) =
        (Source::start().await, Source::start().await, Source::start().await, Source::start().await);
    let mut documents = items("telephone", 3);
    documents["items"][2]["url"] = documents["items"][1]["url"].clone();
    documents["items"][0]["body"] = json!("call anna@example.org");
    good.reply(Behavior::Json(documents));
    broken.reply(Behavior::status(500));
    let headers = vec![("retry-after".to_owned(), "60".to_owned())];
    busy.reply(Behavior::Status { code: 429, headers, body: Bytes::new() });
    silent.reply(Behavior::Hang);
    app.provider_with("Good", &good, json!({"query_mappings": "NOT_CHAR=-,DATE_SORT=sort=date"})).await;
    app.provider("Broken", &broken).await;
    app.provider("Busy", &busy).await;
    app.provider("Silent", &silent).await;
    app.admin.search(&json!({"query_string": "telephone", "searchprovider_list": ["Busy"]})).await;

    let search = app
        .admin
        .search(&json!({
            "query_string": "telephome -fax",
            "sort": "date",
            "results_requested": 5000,
            "searchprovider_list": ["Good", "Broken", "Busy", "Silent", "Nobody"],
            "pre_query_processors": ["SpellcheckQueryProcessor", "phones.synonym"],
            "result_processors": ["RedactPIIResultProcessor"],
        }))
        .await;
    assert_eq!(search["status"], "PARTIAL_RESULTS_READY");
    let path = format!("/svc/results/?search_id={}&result_mixer=NobodysMixer", search["id"]);
    let mixed = app.admin.get(&path).await.body;
    let told: Vec<&str> =
        mixed["messages"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let story = [
        "Tributary ",
        "results_requested 5000 is above the limit; 1000 is used",
        "No active provider, name or tag matches: Nobody",
        "SpellcheckQueryProcessor rewrote query to: telephone -fax",
        "phones.synonym rewrote query to: (telephone OR handset) -fax",
        "Requested sort_by_date from all providers",
        "Retrieved 3 of 3 results from: Good",
        "MappingResultProcessor updated 3 results from: Good",
        "RedactPIIResultProcessor updated 1 results from: Good",
        "Error: Broken: the source failed (HTTP 500",
        "Suspended: Busy was not queried: it asked for a pause",
        "Timeout: Silent did not answer within",
        "CosineRelevancyPostResultProcessor updated 3 results",
        "DedupeByFieldPostResultProcessor grouped 1 duplicate",
        "Unknown mixer 'NobodysMixer'; RelevancyMixer is used",
        "Results ordered by: RelevancyMixer",
    ];
    for line in story {
        assert!(told.iter().any(|said| said.contains(line)), "'{line}' is not among\n{}", told.join("\n"));
    }
    assert!(told.last().unwrap().ends_with("Results ordered by: RelevancyMixer"));
    app.stop().await;
}
