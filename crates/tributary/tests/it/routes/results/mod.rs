//! `/svc/results/`.

mod export;
mod filters;
mod mixed;
mod one;
mod shape;

use crate::house::{TestHouse, items};
use serde_json::json;
use testkit::source::{Behaviour, Source};

/// A house with two sources of 12 and 8 results, and a finished search over both; its id.
async fn searched() -> (TestHouse, [Source; 2], [i64; 2], i64) {
    let house = TestHouse::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behaviour::Json(items("deep river", 12)));
    lakes.reply(Behaviour::Json(items("deep lake", 8)));
    let all = json!({"results_per_query": 20});
    let ids = [
        house.provider_with("Rivers", &rivers, all.clone()).await,
        house.provider_with("Lakes", &lakes, all).await,
    ];
    let search = house.admin.search(&json!({"query_string": "deep river"})).await;
    let id = search["id"].as_i64().unwrap();
    (house, [rivers, lakes], ids, id)
}
