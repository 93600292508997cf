//! A thousand sources, a tenth of them failing: equal responses give an equal list.

use crate::app_harness::{AppHarness, items};
use domain::settings::{Seconds, Settings};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

const SOURCES: usize = 1000;

#[tokio::test(flavor = "multi_thread")]
async fn the_same_answers_give_the_same_list() {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let mut chance = StdRng::seed_from_u64(seed);
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(60), ..settings }).await;
    let source = Source::start().await;
    let mut failing = 0;
    let mut specs = Vec::new();
    for number in 0..SOURCES {
        let path = format!("/{number}");
        if chance.random_range(0..10) == 0 {
            failing += 1;
            source.reply_at(&path, Behavior::status(500));
        } else {
            source.reply_at(&path, Behavior::Json(items(&format!("river {}", number % 7), 2)));
        }
        specs.push(json!({
            "name": format!("Source {number}"),
            "url": source.url_at(&path),
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": format!("title='{{title}} of {number}',body=body,url='https://{number}.example/{{title}}'"),
        }));
    }
    for half in specs.chunks(SOURCES / 2) {
        let created = app.admin.post("/svc/searchproviders/", &Value::Array(half.to_vec())).await;
        assert_eq!(created.status, 201, "{}", created.body);
    }
    let mut lists = Vec::new();
    for _ in 0..2 {
        let search = app.admin.search(&json!({"query_string": "river 3", "results_requested": 200})).await;
        assert_eq!(search["status"], "PARTIAL_RESULTS_READY", "seed {seed}");
        let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
        let completeness = &mixed["info"]["completeness"];
        assert_eq!(completeness["asked"], SOURCES, "seed {seed}");
        assert_eq!(completeness["failed"], failing, "seed {seed}: {completeness}");
        assert_eq!(completeness["answered"], SOURCES - failing, "seed {seed}");
        let titles: Vec<String> =
            mixed["results"].as_array().unwrap().iter().map(|item| item["title"].to_string()).collect();
        assert_eq!(titles.len(), 200);
        lists.push(titles);
    }
    assert_eq!(lists[0], lists[1], "seed {seed}: the same answers, the same list");
    app.stop().await;
}
