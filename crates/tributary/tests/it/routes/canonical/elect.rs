//! `POST /svc/canonical/elect/`: an election on request, if none is held automatically.

use super::{Fixture, keep};
use crate::app_harness::{AppHarness, licensed, long_text};
use domain::corpus::PROVIDER_NAME;
use domain::settings::{Ratio, Settings};
use serde_json::json;
use tributary::corpus::provider as corpus_provider;

const ELECT: &str = "/svc/canonical/elect/";

#[tokio::test(flavor = "multi_thread")]
async fn an_election_is_held_on_request() {
    let settings = |settings| Settings { corpus_min_score: Ratio(0.1), ..licensed(settings) };
    let fixture = Fixture::of(AppHarness::with(settings).await).await;
    let Fixture { app, ann, ben, .. } = &fixture;
    assert!(corpus_provider::ensure(app.service.app()).await.unwrap());
    let mut ids = Vec::new();
    for label in ["draft", "final"] {
        let title = format!("Weir rules {label}");
        let body = long_text("weir rules") + label;
        ids.push(
            keep(ann, json!({"url": format!("https://own.example/{label}"), "title": title, "body": body}))
                .await,
        );
    }
    let search =
        ann.search(&json!({"query_string": "weir rules", "searchprovider_list": [PROVIDER_NAME]})).await;
    assert_eq!(ann.get("/svc/canonical/").await.body["count"], 0, "none was held by itself");
    let held = ann.post(ELECT, &json!({"search_id": search["id"]})).await;
    assert_eq!(held.status, 200, "{held:?}");
    let runs = held.body["results"].as_array().unwrap();
    assert_eq!((&held.body["search_id"], runs.len()), (&search["id"], 1), "{held:?}");
    let shown = ["winner_signal_id", "size", "query", "search_id"].map(|field| runs[0][field].clone());
    assert_eq!(shown, [json!(ids[1]), json!(2), json!("weir rules"), search["id"].clone()]);
    assert_eq!(runs[0]["status"], "pending", "{held:?}");
    let again = ann.post(ELECT, &json!({"search_id": search["id"]})).await;
    assert_eq!(again.body, held.body, "the same again");

    for (given, status) in
        [(json!({}), 400), (json!({"search_id": "x"}), 400), (json!({"search_id": 999_999}), 404)]
    {
        assert_eq!(ann.post(ELECT, &given).await.status.as_u16(), status, "{given}");
    }
    for other in [ben, &app.admin] {
        let refused = other.post(ELECT, &json!({"search_id": search["id"]})).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (404, "not_found"), "{refused:?}");
    }
    fixture.app.stop().await;
}
