//! `config.swirl.fetch_url_body`: results with short bodies are filled from their pages before scoring.

use crate::app_harness::AppHarness;
use domain::settings::{Seconds, Settings};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const PAGE: &str = "<html><body><nav><a href='/'>Home</a></nav><main><p>The town lies low. Nobody lives there in winter. \
    The mayor sleeps well. Boats are rare in it.</p><p>The river rose at night. Water came into the cellars.</p></main></body></html>";

fn results(urls: &[String]) -> Behavior {
    let items: Vec<Value> = urls
        .iter()
        .enumerate()
        .map(|(number, url)| json!({"title": format!("Report {number}"), "body": "short", "url": url, "date": "2025-01-01"}))
        .collect();
    Behavior::Json(json!({"total": items.len(), "items": items}))
}

fn filling(method: &str) -> Value {
    json!({"config": {"swirl": {"fetch_url_body": {
        "body_pagefetch_min_tokens": 5, "body_pagefetch_token_length": 10, "body_pagefetch_fallback_token_length": 4,
        "body_pagefetch_generation_method": method, "body_pagefetch_text_extract_timeout": 2}}}})
}

/// The bodies of a search without highlight marks, by title.
async fn bodies(app: &AppHarness, query: &str) -> (Vec<String>, Value) {
    let mixed = app.admin.get(&format!("/svc/search/?qs={query}")).await.body;
    let mut results: Vec<Value> = mixed["results"].as_array().unwrap().clone();
    results.sort_by_key(|result| result["title"].as_str().unwrap().to_owned());
    let body = |result: &Value| result["body"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
    (results.iter().map(body).collect(), mixed)
}

#[tokio::test(flavor = "multi_thread")]
async fn thin_bodies_are_filled_before_they_are_scored() {
    let (api, site) = (Source::start().await, Source::start().await);
    site.reply(Behavior::text("text/html", PAGE));
    let allow = vec![site.address().to_string()];
    let app = AppHarness::with(|settings| Settings { outbound_allow: allow, ..settings }).await;
    api.reply(results(&[site.url().to_string()]));
    for (method, query, expected) in [
        ("TERM_COUNT", "river", "Boats are rare in it. The river rose at night."),
        ("TERM_VECTOR", "flooding", "The river rose at night. Water came into the cellars."),
        ("TERM_COUNT", "bicycle", "The town lies low."),
    ] {
        let id = app.provider_with(&format!("{method} {query}"), &api, filling(method)).await;
        let (found, mixed) = bodies(&app, &format!("{query}&providers={id}")).await;
        assert_eq!(found, [expected], "{method} {query}: {mixed}");
        let line = format!("Filled the body of 1 results from their pages from: {method} {query}");
        assert!(mixed["messages"].to_string().contains(&line), "{mixed}");
        // The text of the page counts for the score.
        let score = mixed["results"][0]["swirl_score"].as_f64().unwrap();
        assert!(score > 0.0 || query != "river", "{mixed}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_fetch_keeps_the_body() {
    let (api, site, inside) = (Source::start().await, Source::start().await, Source::start().await);
    site.reply(Behavior::text("text/html", PAGE));
    site.reply_at("/slow", Behavior::Hang);
    site.reply_at("/gone", Behavior::status(404));
    inside.reply(Behavior::text("text/html", PAGE));
    let allow = vec![site.address().to_string()];
    let app = AppHarness::with(|settings| Settings { outbound_allow: allow, ..settings }).await;
    let urls = [site.url_at("/slow"), site.url_at("/gone"), inside.url(), site.url_at("/page")];
    api.reply(results(&urls.map(|url| url.to_string())));
    app.provider_with("Rivers", &api, filling("TERM_COUNT")).await;
    let (found, mixed) = bodies(&app, "river").await;
    assert_eq!(found[..3], ["short", "short", "short"], "{mixed}");
    assert!(found[3].contains("The river rose"), "{mixed}");
    assert_eq!(mixed["info"]["Rivers"]["status"], "ok", "{mixed}");
    assert_eq!(inside.requests().len(), 0, "a private page is not asked for");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_end_before_the_search_does() {
    let (api, site) = (Source::start().await, Source::start().await);
    site.reply(Behavior::Hang);
    let allow = vec![site.address().to_string()];
    let app =
        AppHarness::with(|settings| Settings { outbound_allow: allow, timeout: Seconds::new(2), ..settings })
            .await;
    api.reply(results(&[site.url().to_string()]));
    let mut more = filling("TERM_COUNT");
    more["config"]["swirl"]["fetch_url_body"]["body_pagefetch_text_extract_timeout"] = json!(600);
    app.provider_with("Rivers", &api, more).await;
    let started = Instant::now();
    let (found, mixed) = bodies(&app, "river").await;
    assert_eq!(
        (found, &mixed["info"]["Rivers"]["status"]),
        (vec!["short".to_owned()], &json!("ok")),
        "{mixed}"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
    app.stop().await;
}
