//! The best results of a search are cached if enabled.

use super::fixture::{Fixture, given, item, text_of};
use domain::corpus::{CacheStatus, Origin};
use domain::ids::ProviderId;
use domain::ports::{Corpus, SignalStore};
use domain::result::ResultItem;
use domain::settings::Settings;
use serde_json::json;

fn eager(settings: Settings) -> Settings {
    Settings { eager_federated_promote_enabled: true, eager_federated_promote_max: 3, ..settings }
}

#[tokio::test]
async fn some_of_the_best_are_fetched() {
    let fixture = Fixture::with(eager, |parts| parts).await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let silent = fixture.provider("Silent", json!({"page_fetch_config_json": {}})).await;
    let mut results: Vec<(ProviderId, ResultItem)> = vec![
        (silent.id, given(&silent, item("https://silent.example/"))),
        (provider.id, given(&provider, item("not an address"))),
        (provider.id, item("https://typed.example/")),
        (ProviderId(999), item("https://gone.example/")),
    ];
    for number in 0..6 {
        let url = format!("https://a.example/{number}");
        fixture.web.gives(&url, Ok(&text_of("river", 100)));
        results.push((provider.id, given(&provider, item(&url))));
    }
    let tags = ["MATTER:dam".to_owned(), "x".to_owned()];
    fixture.cache.promote(fixture.ann, &tags, &results).await;
    assert_eq!(fixture.work().await, 3);
    let asked: Vec<String> =
        fixture.web.asked.lock().unwrap().iter().map(|(_, _, url)| url.clone()).collect();
    assert_eq!(asked, ["https://a.example/0", "https://a.example/1", "https://a.example/2"]);
    let hits = fixture.found(fixture.ann, "river").await;
    assert_eq!((hits.len(), hits[0].signal.origin), (3, Origin::Eager));
    assert_eq!(hits[0].signal.matter_tags, ["dam"]);

    // Repeating the search costs nothing.
    fixture.cache.promote(fixture.ann, &tags, &results).await;
    assert_eq!(fixture.work().await, 0);
    // Neither do results from the cache.
    let signal = hits.into_iter().next().unwrap().signal;
    let mark = CacheStatus::of(&signal, signal.first_seen, std::time::Duration::ZERO);
    let of_cache = ResultItem { cache: Some(Box::new(mark)), ..item("https://a.example/9") };
    fixture.cache.promote(fixture.ann, &[], &[(provider.id, given(&provider, of_cache))]).await;
    assert_eq!(fixture.work().await, 0);
}

#[tokio::test]
async fn nothing_is_fetched_when_it_is_not_set() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture
        .cache
        .promote(fixture.ann, &[], &[(provider.id, given(&provider, item("https://a.example/")))])
        .await;
    assert_eq!((fixture.work().await, fixture.store.corpus_counts().await.unwrap().grants), (0, 0));
}
