//! Sources return more results than a page shows: all are ranked, and the page has as many as the search requests.

use crate::app_harness::{AppHarness, items};
use serde_json::json;
use testkit::source::{Behavior, Source};

const PAGED: &str = "PAGE_SIZE=20,PAGE=start=RESULT_ZERO_INDEX";

/// Adds a provider whose pages have 20 results.
async fn paged_provider(app: &AppHarness, name: &str, source: &Source, results_per_query: u32) -> i64 {
    let more = json!({
        "query_template": "{url}?limit={PAGE_SIZE}&q={query_string}",
        "query_mappings": PAGED,
        "results_per_query": results_per_query,
    });
    app.provider_with(name, source, more).await
}

/// What the source was asked for: the first result and the number of results of each request, sorted.
fn windows(source: &Source) -> Vec<(u32, u32)> {
    let number = |text: Option<&str>| -> u32 { text.and_then(|text| text.parse().ok()).expect("a number") };
    let mut windows: Vec<(u32, u32)> = source
        .requests()
        .iter()
        .map(|request| (number(request.query_value("start")), number(request.query_value("limit"))))
        .collect();
    windows.sort_unstable();
    windows
}

#[tokio::test(flavor = "multi_thread")]
async fn all_results_are_ranked_and_a_page_is_shown() {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    let mut deep = items("deep lake", 20);
    deep["items"][14] = json!({
        "title": "River level sensors",
        "body": "River level sensors measure the level of a river.",
        "url": "https://sensors.example/",
    });
    rivers.reply(Behavior::Json(items("deep river", 20)));
    lakes.reply(Behavior::Json(deep));
    paged_provider(&app, "Rivers", &rivers, 20).await;
    paged_provider(&app, "Lakes", &lakes, 20).await;

    let search = app.admin.search(&json!({"query_string": "river level sensors"})).await;
    assert_eq!(search["results_requested"], 10);
    let page = |number: u32| format!("/svc/results/?search_id={}&page={number}", search["id"]);
    let first = app.admin.get(&page(1)).await.body;
    assert_eq!(first["results"].as_array().unwrap().len(), 10, "a page has what the search requests");
    assert_eq!(first["results"][0]["url"], "https://sensors.example/", "{}", first["results"][0]);
    assert_eq!(first["results"][0]["searchprovider_rank"], 15);
    assert_eq!(first["info"]["results"]["retrieved_total"], 40);
    assert_eq!(first["info"]["Rivers"]["retrieved"], 20);
    let last = app.admin.get(&page(4)).await.body;
    assert_eq!(last["results"].as_array().unwrap().len(), 10, "the others are on later pages");
    for source in [&rivers, &lakes] {
        assert_eq!(windows(source), [(0, 20)], "one request brought them");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_each_other_by_their_size() {
    let app = AppHarness::start().await;
    for (there, wanted, expected) in [
        // A short page is the last one.
        (13, 20, vec![(0, 20)]),
        (13, 50, vec![(0, 20)]),
        (20, 50, vec![(0, 20), (20, 20), (40, 20)]),
    ] {
        let source = Source::start().await;
        source.reply(Behavior::Json(items("river", there)));
        let id = paged_provider(&app, &format!("{there} of {wanted}"), &source, wanted).await;
        app.admin.search(&json!({"query_string": "river", "searchprovider_list": [id]})).await;
        assert_eq!(windows(&source), expected, "{there} results, {wanted} wanted");
    }
    app.stop().await;
}
