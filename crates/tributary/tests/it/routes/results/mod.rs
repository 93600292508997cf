//! `/svc/results/`.

mod addresses;
mod depth;
mod export;
mod filters;
mod groups;
mod mixed;
mod shape;
mod single;

use crate::app_harness::{AppHarness, items};
use serde_json::json;
use testkit::source::{Behavior, Source};

/// A service with two sources of 12 and 8 results, and a finished search over both. Returns the search's id.
async fn finished_search() -> (AppHarness, [Source; 2], [i64; 2], i64) {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("deep river", 12)));
    lakes.reply(Behavior::Json(items("deep lake", 8)));
    let all = json!({"results_per_query": 20});
    let ids = [
        app.provider_with("Rivers", &rivers, all.clone()).await,
        app.provider_with("Lakes", &lakes, all).await,
    ];
    let search = app.admin.search(&json!({"query_string": "deep river"})).await;
    let id = search["id"].as_i64().unwrap();
    (app, [rivers, lakes], ids, id)
}
