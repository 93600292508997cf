//! Large and malicious rules and queries take bounded time; anything over a limit is refused.

use super::{create_transform, rule_errors};
use crate::app_harness::{AppHarness, items};
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

/// Far above what the slowest case takes in a debug build, far below what backtracking would take.
const TIME_MAX: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn queries_and_rules_over_the_limit_are_refused() {
    let app = AppHarness::start().await;
    let huge = "a*".repeat(512 * 1024);
    let answer = app.admin.post("/svc/search/", &json!({ "query_string": huge })).await;
    assert_eq!(answer.status, 400);
    assert!(answer.body["errors"]["query_string"].is_array(), "{}", answer.body);
    let answer = app.admin.get(&format!("/svc/search/?qs={}", "a*".repeat(1025))).await;
    assert_eq!(answer.status, 400, "{answer:?}");

    let rows: String = (0..10_001).map(|n| format!("w{n},x\n")).collect();
    for (rules, expected) in [
        (rows, "line 10001: At most 10000 rows are allowed."),
        (format!("a,{}", "b".repeat(1025)), "line 1: A cell may have at most 1024 characters."),
        ("c".repeat(1024 * 1024 + 1), "At most 1048576 bytes are allowed."),
    ] {
        let spec = json!({"name": "large", "qrx_type": "synonym", "config_content": rules});
        let answer = app.admin.post("/svc/querytransforms/", &spec).await;
        assert_eq!(answer.status, 400, "{expected}");
        assert_eq!(rule_errors(&answer), [expected]);
    }
    let too_large = json!({"name": "large", "config_content": "c".repeat(3 * 1024 * 1024)});
    assert_eq!(app.admin.post("/svc/querytransforms/", &too_large).await.status, 413);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_wildcards_and_circles_end() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("a", 1)));
    app.provider("Any", &source).await;
    let wildcards: String = (0..10_000).map(|n| format!("a*a*a*a*{n},x\n")).collect();
    create_transform(&app.admin, "wild", "rewrite", &wildcards).await;
    let circle: String = (0..2_000).map(|n| format!("w{n},w{}\n", (n + 1) % 2_000)).collect();
    create_transform(&app.admin, "circle", "synonym", &circle).await;
    create_transform(&app.admin, "growing", "rewrite", &"w1,w1 w1\n".repeat(5_000)).await;
    let started = Instant::now();
    for (name, query) in [
        ("wild.rewrite", "a".repeat(2048)),
        ("wild.rewrite", "a ".repeat(1024)),
        ("circle.synonym", "w1 w2 w1999".to_owned()),
        ("growing.rewrite", "w1".to_owned()),
    ] {
        let search = app.admin.search(&json!({"query_string": query, "pre_query_processors": [name]})).await;
        let processed = search["query_string_processed"].as_str().unwrap();
        assert!(processed.len() <= 8192, "{name}");
        match name {
            "circle.synonym" => assert_eq!(processed, "(w1 OR w2) (w2 OR w3) (w1999 OR w0)"),
            "growing.rewrite" => {
                assert!(search["messages"].to_string().contains("growing.rewrite stopped at a limit"));
            }
            _ => assert_eq!(processed, query, "nothing matches"),
        }
        assert!(started.elapsed() < TIME_MAX, "{name}: {:?}", started.elapsed());
    }
    app.stop().await;
}
