//! Pages are read from the cache if possible, else from their sources.

use super::fixture::{Fixture, given, item, text_of};
use corpus::CachedPageReader;
use domain::corpus::{CacheStatus, Origin, Signal, SignalState};
use domain::ids::{RunNumber, UserId};
use domain::ports::{Corpus, DocumentRequest, PageError, PageText, ReadPages, SearchStore, SignalStore};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::SearchSpec;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use testkit::builders::result_set;

const URL: &str = "https://a.example/river";

async fn read(
    fixture: &Fixture,
    user: UserId,
    provider: &SearchProvider,
    item: &ResultItem,
) -> Result<PageText, PageError> {
    let pages = CachedPageReader::new(fixture.web.clone(), Arc::clone(&fixture.cache));
    let time_max = Duration::from_secs(5);
    let item = given(provider, item.clone());
    pages.read(&DocumentRequest::of_result(provider, &item, user, time_max)).await
}

fn from_cache(fixture: &Fixture, signal: &Signal) -> ResultItem {
    use domain::ports::Clock;
    let mark = CacheStatus::of(signal, fixture.clock.now(), Duration::from_secs(3_600));
    ResultItem { cache: Some(Box::new(mark)), ..item(&signal.url) }
}

#[tokio::test]
async fn what_is_fetched_for_an_answer_is_kept() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let text = text_of("river", 100);
    fixture.web.gives(URL, Ok(&text));
    let live = read(&fixture, fixture.ann, &provider, &item(URL)).await.unwrap();
    assert!(!live.is_copy);
    assert_eq!((live.text, fixture.web.asked_times()), (text.clone(), 1));
    assert_eq!((fixture.work().await, fixture.web.asked_times()), (1, 1), "the text was here already");
    let signal = fixture.found(fixture.ann, "river").await.remove(0).signal;
    assert_eq!((signal.origin, signal.state), (Origin::Rag, SignalState::Indexed));

    // The next summary reads the copy; later the source is asked again.
    let copy = read(&fixture, fixture.bob, &provider, &item("https://a.example/river#part")).await.unwrap();
    assert_eq!((copy.text.as_str(), fixture.web.asked_times()), (text.trim(), 1));
    assert_eq!((copy.media_type.as_str(), copy.author.as_str()), ("text/html", "Ada"));
    assert!(copy.is_copy);
    fixture.clock.advance(Duration::from_secs(3_601));
    read(&fixture, fixture.ann, &provider, &item(URL)).await.unwrap();
    assert_eq!(fixture.web.asked_times(), 2);
    // The text is unchanged, so there is nothing to do, and the copy is fresh again.
    assert_eq!(fixture.work().await, 0);
    read(&fixture, fixture.ann, &provider, &item(URL)).await.unwrap();
    assert_eq!(fixture.web.asked_times(), 2);
}

#[tokio::test]
async fn a_copy_is_read_only_by_who_may_see_it() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
    fixture.web.gives_to(fixture.ann, URL, Ok(&text_of("memo to ann", 100)));
    fixture.web.gives_to(fixture.bob, URL, Err(PageError::Denied(403)));
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    assert!(read(&fixture, fixture.ann, &provider, &item(URL)).await.unwrap().text.contains("ann"));
    assert_eq!(fixture.web.asked_times(), 1);
    for item in [item(URL), from_cache(&fixture, &signal)] {
        let refused = read(&fixture, fixture.bob, &provider, &item).await;
        assert!(matches!(refused, Err(PageError::Denied(403) | PageError::NoAddress)), "{refused:?}");
    }
    // If the source denies access, the copy is closed as well.
    fixture.clock.advance(Duration::from_secs(3_601));
    fixture.web.gives_to(fixture.ann, URL, Err(PageError::Denied(401)));
    assert_eq!(read(&fixture, fixture.ann, &provider, &item(URL)).await, Err(PageError::Denied(401)));
    assert_eq!(fixture.finds(fixture.ann, "memo").await, []);
    let stale = read(&fixture, fixture.ann, &provider, &from_cache(&fixture, &signal)).await;
    assert_eq!(stale, Err(PageError::NoAddress));
}

#[tokio::test]
async fn a_result_from_the_cache_is_read_by_its_own_source() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let cache = fixture.provider("Cache", json!({"connector": "TributaryCorpusConnector"})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    let item = from_cache(&fixture, &signal);
    fixture.clock.advance(Duration::from_secs(7_200));
    read(&fixture, fixture.ann, &cache, &item).await.unwrap();
    assert_eq!(fixture.web.asked_times(), 1, "a copy is a copy, however old");
    // Its text has expired: its own source is asked.
    fixture.store.drop_body(signal.signal_id).await.unwrap();
    read(&fixture, fixture.ann, &cache, &item).await.unwrap();
    assert_eq!(fixture.web.asked.lock().unwrap().last(), Some(&(fixture.ann, provider.id.0, URL.to_owned())));
    fixture.work().await;
    assert!(fixture.signal(signal.signal_id).await.body_key.is_some(), "and it is kept again");
}

#[tokio::test]
async fn some_pages_are_not_kept() {
    let fixture = Fixture::open().await;
    let says_no = json!({"page_fetch_config_json": {"cache": "false"}});
    let table = [
        ("No", says_no, URL, text_of("river", 100)),
        ("Short", json!({}), URL, text_of("river", 24)),
        ("Elsewhere", json!({}), "file:///etc/river", text_of("river", 100)),
    ];
    for (name, more, url, text) in table {
        let provider = fixture.provider(name, more).await;
        fixture.web.gives(url, Ok(&text));
        read(&fixture, fixture.ann, &provider, &item(url)).await.unwrap();
        assert_eq!((fixture.work().await, fixture.bodies().await), (0, 0), "{name}");
    }
    assert_eq!(fixture.store.corpus_counts().await.unwrap().grants, 0);
}

#[tokio::test]
async fn a_right_that_was_taken_away_meanwhile_is_not_given_back() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
    fixture.web.gives(URL, Ok(&text_of("memo", 100)));
    let item = given(&provider, item(URL));
    read(&fixture, fixture.ann, &provider, &item).await.unwrap();
    let time_max = Duration::from_secs(1);
    let wanted = DocumentRequest::of_result(&provider, &item, fixture.ann, time_max);
    fixture.cache.denied(&wanted).await;
    fixture.work().await;
    assert_eq!(fixture.finds(fixture.ann, "memo").await, []);
}

#[tokio::test]
async fn matters_come_from_the_search() {
    use domain::ports::{Clock, FinishedRun};
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let mut spec = SearchSpec::of_query("river");
    spec.tags = ["matter:dam", "other"].map(str::to_owned).to_vec();
    let now = fixture.clock.now();
    let search = fixture.store.create_search(spec, fixture.ann, Vec::new(), now, None).await.unwrap();
    let set = result_set(provider.id.0).search(search.id).query("river").item(item(URL)).build();
    let finished = FinishedRun {
        search: search.id,
        run: RunNumber::FIRST,
        status: domain::status::SearchStatus::FullResultsReady,
        query_string_processed: "river".to_owned(),
        notices: Vec::new(),
        time_s: 0.1,
        sets: vec![set],
        found: None,
        now,
    };
    let saved = fixture.store.finish_run(finished).await.unwrap().unwrap();
    read(&fixture, fixture.ann, &provider, &saved.sets[0].items[0]).await.unwrap();
    fixture.work().await;
    assert_eq!(fixture.found(fixture.ann, "river").await[0].signal.matter_tags, ["dam"]);
}
