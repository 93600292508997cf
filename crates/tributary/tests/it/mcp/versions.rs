//! The MCP tools for document versions: what they show to a model, and who may use them to decide.

use crate::app_harness::{Answer, AppHarness, Client, licensed, long_text};
use domain::corpus::PROVIDER_NAME;
use domain::settings::{Ratio, Settings};
use domain::user::CURATORS;
use serde_json::{Value, json};
use tributary::corpus::provider as corpus_provider;

async fn ask(client: &Client, method: &str, params: Value) -> Answer {
    let answer =
        client.post("/mcp", &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

async fn call(client: &Client, name: &str, arguments: Value) -> Value {
    ask(client, "tools/call", json!({"name": name, "arguments": arguments})).await.body["result"].clone()
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn curators_pin_and_others_look() {
    let settings = |settings| Settings { corpus_min_score: Ratio(0.1), ..licensed(settings) };
    let app = AppHarness::with(settings).await;
    assert!(corpus_provider::ensure(app.service.app()).await.unwrap());
    let (ann, ben) = (app.user("ann", &[CURATORS]).await, app.user("ben", &[]).await);
    let payload = json!({"url": "https://own.example/rules", "title": "Weir rules", "body": long_text("weir rules"), "wait": true});
    let signal = ann.post("/svc/ingest/", &payload).await.body["signal_id"].clone();
    let search =
        ann.search(&json!({"query_string": "weir rules", "searchprovider_list": [PROVIDER_NAME]})).await;
    let rows = ann.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    let result = json!({"search_id": search["id"], "swirl_id": rows["results"][0]["swirl_id"]});

    for (client, is_listed) in [(&ann, true), (&ben, false), (&app.admin, true)] {
        let tools = ask(client, "tools/list", json!({})).await.body["result"]["tools"].clone();
        let names: Vec<&str> =
            tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names.contains(&"pin_for_query"), is_listed, "{names:?}");
        assert!(names.contains(&"list_versions"), "{names:?}");
    }
    let before = call(&ann, "list_versions", result.clone()).await;
    let told = &before["structuredContent"];
    assert_eq!((&told["badge"], &told["signal_id"]), (&json!("Cached"), &signal), "{before}");
    assert_eq!((&told["total"], &told["versions"][0]["counts"]), (&json!(1), &json!(true)));

    let pin = json!({"signal_id": signal, "query": "Weir  RULES"});
    let refused = call(&ben, "pin_for_query", pin.clone()).await;
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(text_of(&refused).contains("Only curators"), "{refused}");
    for is_new in [true, false] {
        let pinned = call(&ann, "pin_for_query", pin.clone()).await;
        let told = &pinned["structuredContent"];
        assert_eq!((&told["is_new"], &told["scope"]), (&json!(is_new), &json!("firm")), "{pinned}");
        assert!(text_of(&pinned).contains("Weir rules"), "{pinned}");
    }
    let after = call(&ann, "list_versions", result.clone()).await;
    assert_eq!(after["structuredContent"]["badge"], "Pinned", "{after}");

    let other = json!({"url": "https://own.example/other", "title": "Other", "body": long_text("locks"), "wait": true});
    let other = ann.post("/svc/ingest/", &other).await.body["signal_id"].clone();
    let taken = call(&ann, "pin_for_query", json!({"signal_id": other, "query": "weir rules"})).await;
    assert_eq!(taken["isError"], true, "{taken}");
    assert!(text_of(&taken).contains("Another document is pinned"), "{taken}");
    let forced = json!({"signal_id": other, "query": "weir rules", "force": true});
    assert_eq!(call(&ann, "pin_for_query", forced).await["isError"], true, "a model replaces nothing");

    let hidden = call(&app.admin, "pin_for_query", pin).await;
    assert!(text_of(&hidden).contains("There is no such document"), "{hidden}");
    let anothers = call(&ben, "list_versions", result).await;
    assert!(text_of(&anothers).contains("You have no search"), "{anothers}");
    app.stop().await;
}

/// A cached document is also available as a resource, to people who may see it.
#[tokio::test(flavor = "multi_thread")]
async fn cached_documents_are_resources() {
    let settings = |settings| Settings { corpus_min_score: Ratio(0.1), ..licensed(settings) };
    let app = AppHarness::with(settings).await;
    assert!(corpus_provider::ensure(app.service.app()).await.unwrap());
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let body = long_text("weir rules");
    let payload =
        json!({"url": "https://own.example/rules", "title": "Weir rules", "body": body, "wait": true});
    let signal = ann.post("/svc/ingest/", &payload).await.body["signal_id"].clone();

    let found = call(&ann, "search", json!({"query": "weir rules", "providers": [PROVIDER_NAME]})).await;
    let result = &found["structuredContent"]["results"][0];
    assert_eq!(
        (&result["cache"]["signal_id"], &result["cache"]["badge"]),
        (&signal, &json!("Cached")),
        "{found}"
    );
    let by_result = json!({"search_id": found["structuredContent"]["search_id"], "swirl_id": result["swirl_id"], "length": 40});
    for arguments in [json!({"signal_id": signal, "length": 40}), by_result] {
        let read = call(&ann, "read_document", arguments).await;
        let told = &read["structuredContent"];
        assert_eq!((&told["source"], &told["title"]), (&json!("cache"), &json!("Weir rules")), "{read}");
        assert_eq!((&told["next_offset"], told["text"].as_str().unwrap().len()), (&json!(40), 40), "{read}");
    }
    for (client, arguments, expected) in [
        (&ben, json!({"signal_id": signal}), "no document"),
        (&ann, json!({"signal_id": 99_999}), "no document"),
        (&ann, json!({"signal_id": signal, "swirl_id": 1}), "or signal_id"),
        (&ann, json!({}), "or signal_id"),
    ] {
        let refused = call(client, "read_document", arguments).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(text_of(&refused).contains(expected), "{refused}");
    }
    app.stop().await;
}
