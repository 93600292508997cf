//! One deadline for all sources: late sources are named, and the search does not wait for them.

use crate::app_harness::{AppHarness, items};
use domain::settings::{Seconds, Settings};
use serde_json::json;
use testkit::source::{Behavior, Source};

fn two_seconds(settings: Settings) -> Settings {
    Settings { timeout: Seconds::new(2), ..settings }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sleeping_source_makes_the_search_partial_within_the_deadline() {
    let app = AppHarness::with(two_seconds).await;
    let (awake, asleep) = (Source::start().await, Source::start().await);
    awake.reply(Behavior::Json(items("river", 3)));
    asleep.reply(Behavior::Hang);
    app.provider("Awake", &awake).await;
    app.provider("Asleep", &asleep).await;

    let mixed = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(mixed.status, 200);
    // The time measured by the service: delays of the test's client do not count.
    let took = mixed.body["info"]["results"]["federation_time"].as_f64().unwrap();
    assert!((1.9..60.0).contains(&took), "it waited for the deadline of 2 s and not for the source: {took}");
    assert_eq!(mixed.body["results"].as_array().unwrap().len(), 3);
    let info = &mixed.body["info"];
    assert_eq!(info["Asleep"]["status"], "timeout");
    assert_eq!(info["Asleep"]["error"]["code"], "timeout");
    assert_eq!((&info["Asleep"]["found"], &info["Asleep"]["retrieved"]), (&json!(0), &json!(0)));
    assert_eq!(
        info["completeness"],
        json!({"asked":2,"answered":1,"partial":0,"failed":0,"timed_out":1,"suspended":0})
    );
    let messages = mixed.body["messages"].to_string();
    assert!(messages.contains("Timeout: Asleep did not answer within 2.0 s"), "{messages}");
    let search = app.admin.get(&format!("/svc/search/{}/", info["search"]["id"])).await;
    assert_eq!(search.body["status"], "PARTIAL_RESULTS_READY");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_whose_sources_all_time_out_is_not_full() {
    let app = AppHarness::with(two_seconds).await;
    let source = Source::start().await;
    source.reply(Behavior::Hang);
    for name in ["One", "Two", "Three"] {
        app.provider(name, &source).await;
    }
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "PARTIAL_RESULTS_READY");
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(mixed.body["results"], json!([]));
    let completeness = &mixed.body["info"]["completeness"];
    assert_eq!(
        completeness,
        &json!({"asked":3,"answered":0,"partial":0,"failed":0,"timed_out":3,"suspended":0})
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_that_the_source_reports_is_told_with_its_status() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    app.provider("Proxy", &source).await;
    for code in [408, 504] {
        source.reply(Behavior::status(code));
        let mixed = app.admin.get("/svc/search/?qs=river").await.body;
        let info = &mixed["info"];
        assert_eq!(
            (&info["Proxy"]["status"], &info["Proxy"]["error"]["code"]),
            (&json!("timeout"), &json!("timeout"))
        );
        let said = info["Proxy"]["error"]["message"].as_str().unwrap();
        assert!(said.contains(&format!("HTTP {code}")), "{said}");
        assert_eq!(info["completeness"]["timed_out"], 1, "{info}");
        assert!(mixed["messages"].to_string().contains(&format!("Error: Proxy: {said}")), "{mixed}");
    }
    app.stop().await;
}

/// A source is paged by ten, and what it returns beyond the results wanted is found, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_short_first_page_is_the_last_one() {
    let app = AppHarness::start().await;
    let paged = json!({"query_mappings": "PAGE=start=RESULT_INDEX", "results_per_query": 20, "default": false,
        "response_mappings": "RESULTS=items"});
    for (count, requests, retrieved) in [(9, 1, 9), (10, 2, 20), (25, 1, 20)] {
        let source = Source::start().await;
        source.reply(Behavior::Json(items("river", count)));
        let name = format!("Rivers {count}");
        app.provider_with(&name, &source, paged.clone()).await;
        let provider = name.replace(' ', "%20");
        let mixed = app.admin.get(&format!("/svc/search/?qs=river&providers={provider}")).await.body;
        let info = &mixed["info"][&name];
        assert_eq!(source.requests().len(), requests, "{name}");
        let found = retrieved.max(count);
        assert_eq!((&info["found"], &info["retrieved"]), (&json!(found), &json!(retrieved)), "{mixed}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_is_reported_for_its_source() {
    let app = AppHarness::with(two_seconds).await;
    let good = Source::start().await;
    good.reply(Behavior::Json(items("river", 2)));
    app.provider("Good", &good).await;
    let empty = Source::start().await;
    empty.reply(Behavior::Json(json!({"total": 0, "items": []})));
    app.provider("Empty", &empty).await;
    let cases = [
        ("Broken", Behavior::text("application/json", "{not json"), "unreadable"),
        ("Closed", Behavior::CloseAtOnce, "unreadable"),
        ("Half", Behavior::HalfAnswer, "unreadable"),
        ("Error", Behavior::status(500), "unavailable"),
        ("Denied", Behavior::status(401), "denied"),
        ("Busy", Behavior::status(429), "rate_limited"),
    ];
    let mut sources = Vec::new();
    for (name, behavior, _) in &cases {
        let source = Source::start().await;
        source.reply(behavior.clone());
        app.provider(name, &source).await;
        sources.push(source);
    }
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    let info = &mixed.body["info"];
    assert_eq!(info["Good"]["status"], "ok");
    assert_eq!(info["Empty"]["status"], "no_results");
    for (name, _, code) in cases {
        assert_eq!(info[name]["status"], "error", "{name}: {}", info[name]);
        assert_eq!(info[name]["error"]["code"], code, "{name}: {}", info[name]);
        let messages = mixed.body["messages"].to_string();
        assert!(messages.contains(&format!("Error: {name}: ")), "{name} is not in {messages}");
    }
    assert_eq!(
        info["completeness"],
        json!({"asked":8,"answered":2,"partial":0,"failed":6,"timed_out":0,"suspended":0})
    );
    app.stop().await;
}

/// A source that reports its failure with status 200 has failed.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_with_status_200_is_an_error() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let mappings = json!({"response_mappings": "RESULTS=items,ERROR=error,ERROR_IF=ok=false"});
    app.provider_with("Chat", &source, mappings).await;
    for (said, status, ready) in [
        (json!({"ok": false, "error": "token_revoked"}), "error", "PARTIAL_RESULTS_READY"),
        (json!({"ok": true, "error": "", "items": []}), "no_results", "FULL_RESULTS_READY"),
    ] {
        source.reply(Behavior::Json(said));
        let mixed = app.admin.get("/svc/search/?qs=river").await.body;
        let info = &mixed["info"]["Chat"];
        assert_eq!(info["status"], status, "{info}");
        let search = app.admin.get(&format!("/svc/search/{}/", mixed["info"]["search"]["id"])).await.body;
        assert_eq!(search["status"], ready);
        if status == "error" {
            let error = json!({"code": "source_error", "message": "the source reports: token_revoked"});
            assert_eq!(info["error"], error);
        }
    }
    app.stop().await;
}

/// A source that reports with status 200 that a part of it failed has delivered only a part.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_a_response_that_failed_is_told() {
    let app = AppHarness::start().await;
    let (chat, engine, graph) = (Source::start().await, Source::start().await, Source::start().await);
    let mappings = json!({"response_mappings": "RESULTS=items,PARTIAL_IF=incomplete=true"});
    app.provider_with("Chat", &chat, mappings).await;
    let mappings =
        json!({"connector": "Elastic", "query_template": "", "query_mappings": "index_name=rivers"});
    app.provider_with("Engine", &engine, mappings).await;
    let document = "query ($q: String!) { search(q: $q) { title } }";
    let mappings = json!({"connector": "GraphQL", "query_template": document,
        "query_mappings": "query_string=q", "response_mappings": "RESULTS=data.search"});
    app.provider_with("Graph", &graph, mappings).await;
    for is_part in [true, false] {
        chat.reply(Behavior::Json(json!({"items": items("river", 2)["items"], "incomplete": is_part})));
        let hit = json!({"_id": "1", "_source": {"title": "A river", "url": "https://rivers.example/1"}});
        let shards = json!({"total": 3, "failed": i32::from(is_part)});
        engine.reply(Behavior::Json(json!({"timed_out": false, "_shards": shards, "hits": {"hits": [hit]}})));
        let errors = if is_part { json!([{"message": "One place is down"}]) } else { json!([]) };
        graph.reply(Behavior::Json(json!({"data": {"search": [{"title": "River"}]}, "errors": errors})));
        let mixed = app.admin.get("/svc/search/?qs=river").await.body;
        let info = &mixed["info"];
        let (status, ready) =
            if is_part { ("partial", "PARTIAL_RESULTS_READY") } else { ("ok", "FULL_RESULTS_READY") };
        for (name, retrieved, said) in [
            ("Chat", 2, "incomplete is true"),
            ("Engine", 1, "1 of 3 shards failed"),
            ("Graph", 1, "One place is down"),
        ] {
            assert_eq!(
                (&info[name]["status"], &info[name]["retrieved"]),
                (&json!(status), &json!(retrieved)),
                "{info}"
            );
            assert_eq!(info[name]["error"].to_string().contains(said), is_part, "{name}: {}", info[name]);
            let line = mixed["messages"].to_string().contains(said);
            assert_eq!(line, is_part, "{name}: {}", mixed["messages"]);
        }
        assert_eq!(info["completeness"]["partial"], if is_part { 3 } else { 0 });
        let search = app.admin.get(&format!("/svc/search/{}/", info["search"]["id"])).await.body;
        assert_eq!(search["status"], ready);
    }
    app.stop().await;
}

/// The results of the first page are kept if a later page is late, fails or is empty.
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_later_page_keeps_earlier_results() {
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(6), ..settings }).await;
    let first = || {
        let mut page = items("river", 10);
        page["total"] = json!(55);
        Behavior::Json(page)
    };
    let cases = [
        ("Late", Behavior::Hang, Some(("timeout", "its later pages did not arrive in time"))),
        ("Failing", Behavior::status(500), Some(("unavailable", "HTTP 500"))),
        ("Empty", Behavior::Json(json!({"total": 0, "items": []})), None),
    ];
    let paged = json!({
        "query_template": "{url}?a=1&q={query_string}",
        "query_mappings": "PAGE=start=RESULT_INDEX",
        "results_per_query": 20,
        "default": false,
    });
    for (name, second, fault) in cases {
        let source = Source::start().await;
        source.reply(Behavior::Sequence(vec![first(), second]));
        app.provider_with(name, &source, paged.clone()).await;
        let mixed = app.admin.get(&format!("/svc/search/?qs=river&providers={name}")).await.body;
        let info = &mixed["info"][name];
        assert_eq!(source.requests().len(), 2, "{name}");
        let status = if fault.is_some() { "partial" } else { "ok" };
        assert_eq!(
            (&info["status"], &info["found"], &info["retrieved"]),
            (&json!(status), &json!(55), &json!(10)),
            "{name}: {mixed}"
        );
        let messages = mixed["messages"].to_string();
        assert_eq!(messages.contains("Error: "), fault.is_some(), "{messages}");
        let search = app.admin.get(&format!("/svc/search/{}/", mixed["info"]["search"]["id"])).await.body;
        let completeness = &mixed["info"]["completeness"];
        let Some((code, sentence)) = fault else {
            assert_eq!(
                (&search["status"], &completeness["answered"]),
                (&json!("FULL_RESULTS_READY"), &json!(1))
            );
            assert_eq!(info.get("error"), None, "{info}");
            continue;
        };
        assert_eq!(search["status"], "PARTIAL_RESULTS_READY");
        assert_eq!(info["error"]["code"], code, "{info}");
        assert!(info["error"]["message"].as_str().unwrap().contains(sentence), "{info}");
        assert!(messages.contains(&format!("Error: {name}: ")) && messages.contains(sentence), "{messages}");
        assert_eq!(
            *completeness,
            json!({"asked": 1, "answered": 0, "partial": 1, "failed": 0, "timed_out": 0, "suspended": 0})
        );
    }
    app.stop().await;
}
