//! `/svc/readysources/`: the gallery of ready sources.

use crate::app_harness::AppHarness;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn every_ready_source_can_be_saved_as_it_is() {
    let app = AppHarness::start().await;
    let all = app.admin.get("/svc/readysources/").await.body;
    let rows = all.as_array().unwrap();
    assert_eq!(rows.len(), tributary::bundled_providers::all().unwrap().len());
    let row = |slug: &str| rows.iter().find(|row| row["slug"] == slug).unwrap();
    assert_eq!((&row("arxiv")["name"], &row("arxiv")["needs"]), (&json!("Articles - arXiv"), &json!([])));
    assert_eq!(row("core")["needs"], json!(["credentials"]));
    assert_eq!(row("gmail")["needs"], json!(["authenticator"]));
    assert_eq!(row("gen-ai")["needs"], json!(["ai_model"]));
    assert_eq!(row("file-system")["needs"], json!(["url"]));
    assert_eq!(row("brave-search")["needs"], json!(["http_request_headers"]));
    for row in rows {
        let is_free = row["tags"].as_array().unwrap().contains(&json!("NoKey"));
        let wants_key = row["needs"].as_array().unwrap().contains(&json!("credentials"));
        assert!(!is_free || !wants_key, "{row}");
    }
    let record = app.admin.get("/svc/readysources/arxiv/").await.body;
    assert_eq!((&record["connector"], &record["active"]), (&json!("RequestsGet"), &json!(true)));
    let saved = app.admin.post("/svc/searchproviders/", &record).await;
    assert_eq!(saved.status, 201, "{saved:?}");
    for slug in ["nothing", "ARXIV", "..%2Farxiv"] {
        assert_eq!(app.admin.get(&format!("/svc/readysources/{slug}/")).await.status, 404, "{slug}");
    }
    app.stop().await;
}
