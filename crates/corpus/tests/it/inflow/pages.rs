//! Pages from the cache where it has them, and from their sources otherwise.

use super::house::{House, given, item, text_of};
use corpus::CachedPages;
use domain::contracts::{Corpus, PageError, PageText, PageWanted, ReadPages, SearchStore, SignalStore};
use domain::corpus::{CacheMark, Origin, Signal, SignalState};
use domain::ids::UserId;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::SearchDraft;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const URL: &str = "https://a.example/river";

async fn read(
    house: &House,
    user: UserId,
    provider: &SearchProvider,
    item: &ResultItem,
) -> Result<PageText, PageError> {
    let pages = CachedPages::new(house.web.clone(), Arc::clone(&house.cache));
    let time_max = Duration::from_secs(5);
    let item = given(provider, item.clone());
    pages.read(&PageWanted::of_result(provider, &item, user, time_max)).await
}

fn from_cache(house: &House, signal: &Signal) -> ResultItem {
    use domain::contracts::Clock;
    let mark = CacheMark::of(signal, house.clock.now(), Duration::from_secs(3_600));
    ResultItem { cache: Some(Box::new(mark)), ..item(&signal.url) }
}

#[tokio::test]
async fn what_is_fetched_for_an_answer_is_kept() {
    let house = House::open().await;
    let provider = house.provider("Rivers", json!({})).await;
    let text = text_of("river", 100);
    house.web.gives(URL, Ok(&text));
    let live = read(&house, house.ann, &provider, &item(URL)).await.unwrap();
    assert!(!live.is_copy);
    assert_eq!((live.text, house.web.asked_times()), (text.clone(), 1));
    assert_eq!((house.work().await, house.web.asked_times()), (1, 1), "the text was here already");
    let signal = house.found(house.ann, "river").await.remove(0).signal;
    assert_eq!((signal.origin, signal.state), (Origin::Rag, SignalState::Indexed));

    // The next answer reads the copy; later the source is asked again.
    let copy = read(&house, house.bob, &provider, &item("https://a.example/river#part")).await.unwrap();
    assert_eq!((copy.text.as_str(), house.web.asked_times()), (text.trim(), 1));
    assert_eq!((copy.media_type.as_str(), copy.author.as_str()), ("text/html", "Ada"));
    assert!(copy.is_copy);
    house.clock.advance(Duration::from_secs(3_601));
    read(&house, house.ann, &provider, &item(URL)).await.unwrap();
    assert_eq!(house.web.asked_times(), 2);
    // It said the same, so that nothing is to be done, and the copy is fresh again.
    assert_eq!(house.work().await, 0);
    read(&house, house.ann, &provider, &item(URL)).await.unwrap();
    assert_eq!(house.web.asked_times(), 2);
}

#[tokio::test]
async fn a_copy_is_read_only_by_who_may_see_it() {
    let house = House::open().await;
    let provider = house.provider("Mails", json!({"authenticator": "microsoft"})).await;
    house.web.gives_to(house.ann, URL, Ok(&text_of("letter to ann", 100)));
    house.web.gives_to(house.bob, URL, Err(PageError::Denied(403)));
    let signal = house.ingest(house.ann, &provider, URL).await;
    assert!(read(&house, house.ann, &provider, &item(URL)).await.unwrap().text.contains("ann"));
    assert_eq!(house.web.asked_times(), 1);
    for item in [item(URL), from_cache(&house, &signal)] {
        let refused = read(&house, house.bob, &provider, &item).await;
        assert!(matches!(refused, Err(PageError::Denied(403) | PageError::NoAddress)), "{refused:?}");
    }
    // When the source refuses her, the copy is closed as well.
    house.clock.advance(Duration::from_secs(3_601));
    house.web.gives_to(house.ann, URL, Err(PageError::Denied(401)));
    assert_eq!(read(&house, house.ann, &provider, &item(URL)).await, Err(PageError::Denied(401)));
    assert_eq!(house.finds(house.ann, "letter").await, []);
    let stale = read(&house, house.ann, &provider, &from_cache(&house, &signal)).await;
    assert_eq!(stale, Err(PageError::NoAddress));
}

#[tokio::test]
async fn a_result_from_the_cache_is_read_by_its_own_source() {
    let house = House::open().await;
    let provider = house.provider("Rivers", json!({})).await;
    let cache = house.provider("Cache", json!({"connector": "TributaryCorpusConnector"})).await;
    house.web.gives(URL, Ok(&text_of("river", 100)));
    let signal = house.ingest(house.ann, &provider, URL).await;
    let item = from_cache(&house, &signal);
    house.clock.advance(Duration::from_secs(7_200));
    read(&house, house.ann, &cache, &item).await.unwrap();
    assert_eq!(house.web.asked_times(), 1, "a copy is a copy, however old");
    // Its text is not kept any more: its own source is asked.
    house.store.drop_body(signal.signal_id).await.unwrap();
    read(&house, house.ann, &cache, &item).await.unwrap();
    assert_eq!(house.web.asked.lock().unwrap().last(), Some(&(house.ann, provider.id.0, URL.to_owned())));
    house.work().await;
    assert!(house.signal(signal.signal_id).await.body_key.is_some(), "and it is kept again");
}

#[tokio::test]
async fn some_pages_are_not_kept() {
    let house = House::open().await;
    let says_no = json!({"page_fetch_config_json": {"cache": "false"}});
    let table = [
        ("No", says_no, URL, text_of("river", 100)),
        ("Short", json!({}), URL, text_of("river", 24)),
        ("Elsewhere", json!({}), "file:///etc/river", text_of("river", 100)),
    ];
    for (name, more, url, text) in table {
        let provider = house.provider(name, more).await;
        house.web.gives(url, Ok(&text));
        read(&house, house.ann, &provider, &item(url)).await.unwrap();
        assert_eq!((house.work().await, house.bodies().await), (0, 0), "{name}");
    }
    assert_eq!(house.store.corpus_counts().await.unwrap().grants, 0);
}

#[tokio::test]
async fn a_right_that_was_taken_away_meanwhile_is_not_given_back() {
    let house = House::open().await;
    let provider = house.provider("Mails", json!({"authenticator": "microsoft"})).await;
    house.web.gives(URL, Ok(&text_of("letter", 100)));
    let item = given(&provider, item(URL));
    read(&house, house.ann, &provider, &item).await.unwrap();
    let time_max = Duration::from_secs(1);
    let wanted = PageWanted::of_result(&provider, &item, house.ann, time_max);
    house.cache.denied(&wanted).await;
    house.work().await;
    assert_eq!(house.finds(house.ann, "letter").await, []);
}

#[tokio::test]
async fn matters_come_from_the_search() {
    use domain::contracts::{Clock, FinishedRun, NewTask, QueueName};
    let house = House::open().await;
    let provider = house.provider("Rivers", json!({})).await;
    house.web.gives(URL, Ok(&text_of("river", 100)));
    let mut draft = SearchDraft::of_query("river");
    draft.tags = ["matter:dam", "other"].map(str::to_owned).to_vec();
    let task = |_: &domain::search::Search| NewTask {
        queue: QueueName::Search,
        name: "run_search".to_owned(),
        payload: json!({}),
        attempts_max: 1,
        owner: None,
    };
    let now = house.clock.now();
    let search = house.store.create_search(draft, house.ann, Vec::new(), now, task).await.unwrap();
    let mut set = testkit::samples::set(provider.id.0, "river", vec![item(URL)]);
    set.search = search.id;
    let finished = FinishedRun {
        search: search.id,
        run: 1,
        status: domain::status::SearchStatus::FullResultsReady,
        query_string_processed: "river".to_owned(),
        messages: Vec::new(),
        time_s: 0.1,
        sets: vec![set],
        found: None,
        now,
    };
    let saved = house.store.finish_run(finished).await.unwrap().unwrap();
    read(&house, house.ann, &provider, &saved[0].items[0]).await.unwrap();
    house.work().await;
    assert_eq!(house.found(house.ann, "river").await[0].signal.matter_tags, ["dam"]);
}
