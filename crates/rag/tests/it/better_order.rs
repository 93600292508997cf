//! Better orders of a list, with a model that knows one word.

use crate::fixture::Fixture;
use crate::models::Pages;
use domain::ids::ResultId;
use domain::ports::{Clock, ProviderEdits, ResultStore, SearchStore, SystemClock};
use domain::provider::ProviderSpec;
use domain::search::{Search, Sort};
use domain::settings::Settings;
use federation::MixRequest;
use rag::{BetterOrder, Summaries};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The mixer of the fixture reverses the list: Winter, Autumn, Summer, Spring, Flood.
const ITEMS: [(&str, &str, f64); 5] = [
    ("Flood", "The river floods the meadows.", 0.5),
    ("Spring", "The river level in spring.", 0.5),
    ("Summer", "The river level in summer.", 0.5),
    ("Autumn", "The river level in autumn.", 0.5),
    ("Winter", "The river level in winter.", 0.5),
];

/// A fixture whose model finds texts with `word` similar to every query, and how many texts it has read.
async fn fixture(word: &'static str, pages: Pages) -> (Fixture, Arc<AtomicUsize>) {
    let fixture = Fixture::with("river level", Settings::default(), pages).await;
    let mut fixture = fixture.again(&ITEMS).await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    fixture.second_reader = Some(Arc::new(move |text: &str| {
        counted.fetch_add(1, Ordering::SeqCst);
        let is_near = text == "river level" || text.contains(word);
        Some(if is_near { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
    }));
    (fixture, count)
}

async fn found(process: &Summaries, search: &Search) -> Option<BetterOrder> {
    process.better_orders().unwrap().find(search, &MixRequest::default()).await
}

/// The titles of the results of an order.
async fn titles(fixture: &Fixture, order: &BetterOrder) -> Vec<String> {
    let sets = fixture.store.result_sets(fixture.search.id).await.unwrap();
    let title = |id: &ResultId| {
        let mut items = sets.iter().flat_map(|set| &set.items);
        items.find(|item| item.swirl_id == *id).unwrap().title.clone()
    };
    order.ids.iter().map(title).collect()
}

#[tokio::test]
async fn without_a_second_reader_there_is_no_order() {
    assert!(Fixture::open().await.process().better_orders().is_none());
}

#[tokio::test]
async fn a_better_order_is_found_once() {
    let (fixture, count) = fixture("floods", Pages::default()).await;
    let process = fixture.process();
    let order = found(&process, &fixture.search).await.unwrap();
    assert_eq!(titles(&fixture, &order).await, ["Flood", "Winter", "Autumn", "Summer", "Spring"]);
    assert!(order.has_new_leaders);
    assert_eq!(count.load(Ordering::SeqCst), 6, "the query and five results");
    // Every page of the list has the same order, which is remembered.
    let second = MixRequest { page: 2, ..MixRequest::default() };
    let orders = process.better_orders().unwrap();
    assert_eq!(orders.find(&fixture.search, &second).await, Some(order));
    assert_eq!(count.load(Ordering::SeqCst), 6);
    assert!(fixture.pages.read.lock().unwrap().is_empty(), "the provider does not allow it");
}

#[tokio::test]
async fn the_list_has_the_better_order_on_request() {
    let (fixture, _) = fixture("floods", Pages::default()).await;
    let process = fixture.process();
    let order = found(&process, &fixture.search).await.unwrap();
    let page = process.better_orders().unwrap();
    let mixed = fixture.mixed(&MixRequest::default()).await;
    let reordered = page.reordered(&fixture.search, &mixed.results).await.unwrap();
    let found: Vec<ResultId> = reordered.iter().map(|item| item.swirl_id).collect();
    assert_eq!(found, order.ids);
    let ranks: Vec<u32> = reordered.iter().map(|item| item.swirl_rank).collect();
    assert_eq!(ranks, [1, 2, 3, 4, 5]);

    let request = |page| MixRequest {
        items: Some(2),
        page,
        second_reader: Some(order.ids.clone()),
        ..MixRequest::default()
    };
    let (first, second) = (fixture.mixed(&request(1)).await, fixture.mixed(&request(2)).await);
    let shown: Vec<ResultId> =
        first.results.iter().chain(&second.results).map(|item| item.swirl_id).collect();
    assert_eq!(shown, order.ids[..4]);
    assert_eq!((mixed.info.results.second_reader, first.info.results.second_reader), (None, Some(true)));
    let next = first.info.results.next_page.unwrap();
    assert!(next.contains("&second_reader=true"), "{next}");
    let none = MixRequest { items: Some(2), second_reader: Some(Vec::new()), ..MixRequest::default() };
    let info = fixture.mixed(&none).await.info.results;
    assert_eq!(info.second_reader, Some(false));
    assert!(!info.next_page.unwrap().contains("second_reader"));
}

#[tokio::test]
async fn some_lists_have_no_better_order() {
    let (mut fixture, count) = fixture("winter", Pages::default()).await;
    let process = fixture.process();
    let order = found(&process, &fixture.search).await.unwrap();
    assert!(!order.has_new_leaders, "the first one is the best");
    let read = count.load(Ordering::SeqCst);
    let other = MixRequest { mixer: Some("DateMixer".to_owned()), ..MixRequest::default() };
    assert_eq!(process.better_orders().unwrap().find(&fixture.search, &other).await, None);
    let mut by_date = fixture.search.clone();
    by_date.spec.sort = Sort::Date;
    assert_eq!(found(&process, &by_date).await, None);
    assert_eq!(count.load(Ordering::SeqCst), read);
    // A model that makes no vectors gives no order.
    fixture.second_reader = Some(Arc::new(|_: &str| None));
    assert_eq!(found(&fixture.process(), &fixture.search).await, None);
    fixture.restart().await;
    let running = fixture.store.search(fixture.search.id).await.unwrap();
    assert_eq!(found(&process, &running).await, None);
}

/// It waits for the time limit of pages.
#[tokio::test]
async fn passages_of_pages_are_read_where_the_provider_allows_it() {
    let pages = Pages {
        texts: BTreeMap::from([
            ("https://rivers.example/spring", "The mill pond rises with the river level."),
            ("https://rivers.example/flood", "Nothing of interest."),
        ]),
        slow: vec!["https://rivers.example/summer"],
        ..Pages::default()
    };
    let (fixture, _) = fixture("mill pond", pages).await;
    let without = found(&fixture.process(), &fixture.search).await.unwrap();
    assert_eq!(titles(&fixture, &without).await[0], "Winter");
    let spec = ProviderSpec {
        page_fetch_config_json: json!({"cache": "false"}).as_object().unwrap().clone().into(),
        ..fixture.provider.spec.clone()
    };
    fixture.store.replace_provider(fixture.provider.id, spec, SystemClock.now()).await.unwrap();
    let process = fixture.process();
    let order = found(&process, &fixture.search).await.unwrap();
    assert_eq!(titles(&fixture, &order).await, ["Spring", "Winter", "Autumn", "Summer", "Flood"]);
    assert_eq!(fixture.pages.read.lock().unwrap().len(), 5, "each page once");
    assert_eq!(found(&process, &fixture.search).await, Some(order));
    assert_eq!(fixture.pages.read.lock().unwrap().len(), 5, "the order is remembered");
}
