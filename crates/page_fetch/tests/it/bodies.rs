//! Short bodies are filled from their pages, in parallel and within the time limit; others stay unchanged.

use crate::fixture::{ANN, item, pages, provider};
use domain::ports::ReadPages;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use page_fetch::PAGES_AT_ONCE;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use syntax::{highlights::plain, strip_html::readable};
use testkit::source::{Behavior, Source};

/// Sentences of five words; the fourth is about boats, the seventh about rivers.
const TEXT: &str = "The town lies very low. Nobody lives there in winter. The mayor sleeps quite well. \
    Boats are rare in it. Barns have roofs of straw. Dogs bark at the moon. The river rose at night. \
    Water came into the fixtures. People went to the hill.";

fn filling(rules: Value) -> SearchProvider {
    // Filling has its own switch; the one for summaries is not needed.
    let more = json!({"config": {"swirl": {"fetch_url_body": rules}}, "page_fetch_config_json": {}});
    provider("https://api.example/", more)
}

async fn fill(provider: &SearchProvider, items: &mut [ResultItem], query: &str, sites: &[&Source]) -> usize {
    pages(sites).fill_bodies(provider, items, query, ANN, Duration::from_secs(10)).await
}

#[tokio::test]
async fn thin_bodies_get_the_best_window() {
    let site = Source::start().await;
    site.reply(Behavior::text("text/plain", TEXT));
    let table = [
        ("river", "TERM_COUNT", 10, "Dogs bark at the moon. The river rose at night."),
        ("flooding rivers", "TERM_VECTOR", 10, "The river rose at night. Water came into the fixtures."),
        ("ships", "TERM_VECTOR", 5, "Boats are rare in it."),
        // Nothing of the query occurs.
        ("bicycle", "TERM_COUNT", 10, "The town lies very low. Nobody lives"),
    ];
    for (query, method, length, expected) in table {
        let rules = json!({"body_pagefetch_generation_method": method, "body_pagefetch_token_length": length,
            "body_pagefetch_fallback_token_length": 7});
        let mut items =
            [item(site.url(), "too thin"), item(site.url(), "this body has enough words as it is")];
        assert_eq!(fill(&filling(rules), &mut items, query, &[&site]).await, 1);
        assert_eq!(items[0].body, expected, "{query} {method}");
        assert_eq!(items[1].body, "this body has enough words as it is");
    }
    let mut items = [item(site.url(), "")];
    assert_eq!(fill(&provider("https://api.example/", json!({})), &mut items, "river", &[&site]).await, 0);
    assert_eq!(items[0].body, "", "without the block nothing is filled");
}

#[tokio::test]
async fn what_does_not_work_stays_as_it_was() {
    let (site, slow, inside) = (Source::start().await, Source::start().await, Source::start().await);
    site.reply(Behavior::text("text/plain", "A <b>river</b> &amp; <script>x</script> the sea"));
    site.reply_at("/gone", Behavior::status(404));
    slow.reply(Behavior::Hang);
    inside.reply(Behavior::text("text/plain", TEXT));
    let provider = filling(json!({"body_pagefetch_text_extract_timeout": 0.5}));
    let mut items = [
        item(site.url_at("/gone"), "gone"),
        item(slow.url(), "slow"),
        item(inside.url(), "inside"),
        item("", "nowhere"),
        item(site.url(), "site"),
    ];
    let started = Instant::now();
    assert_eq!(fill(&provider, &mut items, "river", &[&site, &slow]).await, 1);
    assert!(started.elapsed() < Duration::from_secs(20));
    let bodies: Vec<&str> = items.iter().map(|item| item.body.as_str()).collect();
    assert_eq!(bodies[..4], ["gone", "slow", "inside", "nowhere"]);
    assert_eq!(bodies[4], "A &lt;b>river&lt;/b> &amp;amp; &lt;script>x&lt;/script> the sea");
    assert_eq!(inside.requests(), [], "a private place is not asked");
}

#[tokio::test]
async fn a_page_about_html_keeps_its_words() {
    let site = Source::start().await;
    let page = "<p>Put the &lt;script&gt; tag before &lt;/body&gt; of your page about rivers.</p>";
    site.reply(Behavior::text("text/html", page));
    let mut items = [item(site.url(), "")];
    assert_eq!(fill(&filling(json!({})), &mut items, "river", &[&site]).await, 1);
    let shown = plain(&readable(&items[0].body));
    assert_eq!(shown, "Put the <script> tag before </body> of your page about rivers.");
}

#[tokio::test]
async fn pages_are_fetched_side_by_side_within_the_time() {
    let site = Source::start().await;
    let later = Behavior::text("text/plain", TEXT).delayed(Duration::from_millis(300));
    site.reply(later);
    let provider = filling(json!({}));
    let some = || -> Vec<ResultItem> { (0..2 * PAGES_AT_ONCE).map(|_| item(site.url(), "")).collect() };
    let mut items = some();
    let started = Instant::now();
    assert_eq!(fill(&provider, &mut items, "river", &[&site]).await, 2 * PAGES_AT_ONCE);
    let took = started.elapsed();
    // Two rounds, in parallel.
    assert!(took >= Duration::from_millis(600) && took < Duration::from_secs(4), "{took:?}");
    // If the time is up after the first round, the second is skipped.
    let mut items = some();
    let time_max = Duration::from_millis(450);
    let filled = pages(&[&site]).fill_bodies(&provider, &mut items, "river", ANN, time_max).await;
    assert_eq!(filled, items.iter().filter(|item| !item.body.is_empty()).count());
    assert!(filled <= PAGES_AT_ONCE, "{filled}");
}
