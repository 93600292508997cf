//! Tests of the second reader with a model that counts words.

use super::*;
use domain::ids::ResultId;
use domain::result::ResultItem;
use federation::CpuPool;
use relevancy::Language;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A vector that points to the river or away from it.
fn river_vector(text: &str) -> Option<Vec<f32>> {
    Some(if text.contains("river") { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
}

/// A reader, and how many texts its model has read.
fn counting_reader(
    vector: impl Fn(&str) -> Option<Vec<f32>> + Send + Sync + 'static,
) -> (SecondReader, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let model = move |text: &str| {
        counted.fetch_add(1, Ordering::SeqCst);
        vector(text)
    };
    (SecondReader::new(CpuPool::new(), Arc::new(model)), count)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn item(id: i64, body: &str) -> ResultItem {
    ResultItem {
        swirl_id: ResultId(id),
        title: "A title".to_owned(),
        body: body.to_owned(),
        swirl_confidence_score: 0.5,
        ..ResultItem::default()
    }
}

#[tokio::test]
async fn texts_are_read_once() {
    let (reader, count) = counting_reader(river_vector);
    let read = texts(&["a river", "a town"]);
    for _ in 0..3 {
        assert_eq!(reader.similarities("which river", &read).await, Some(vec![1.0, 0.0]));
    }
    assert_eq!(count.load(Ordering::SeqCst), 3, "the query and two texts");
}

#[tokio::test]
async fn the_number_of_texts_is_bounded() {
    let (reader, count) = counting_reader(river_vector);
    let many: Vec<String> = (0..TEXTS_MAX + 5).map(|number| format!("river {number}")).collect();
    let found = reader.similarities("river", &many).await.unwrap();
    assert_eq!((found.len(), count.load(Ordering::SeqCst)), (TEXTS_MAX, TEXTS_MAX + 1));
}

#[tokio::test]
async fn without_one_vector_there_are_none() {
    let (reader, _) = counting_reader(|text| river_vector(text).filter(|_| !text.contains("broken")));
    assert_eq!(reader.similarities("river", &texts(&["a river", "broken"])).await, None);
    assert_eq!(reader.similarities("broken", &texts(&["a river"])).await, None);
    let (reader, _) = counting_reader(|_| panic!("a model that panics"));
    assert_eq!(reader.similarities("river", &texts(&["a river"])).await, None);
}

/// What is read while the time limit passes.
async fn until_late<T>(reading: impl Future<Output = T>) -> T {
    let wait = async {
        tokio::task::yield_now().await;
        tokio::time::advance(TIME_MAX + Duration::from_millis(1)).await;
    };
    tokio::join!(reading, wait).0
}

#[tokio::test(start_paused = true)]
async fn reading_takes_limited_time() {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let (reader, _) = counting_reader(move |text| {
        let _ended = released.lock().map(|released| released.recv());
        river_vector(text)
    });
    let (read, results) = (texts(&["a river"]), [item(1, "a river")]);
    assert_eq!(until_late(reader.similarities("river", &read)).await, None);
    assert_eq!(until_late(meanings(Some(&reader), "river", &results)).await, BTreeMap::new());
    assert!(until_late(reader.rate_passages("river", read)).await.is_empty());
    // The threads of the model end.
    drop(release);
}

#[tokio::test]
async fn a_rating_depends_on_the_second_reader() {
    let (reader, _) = counting_reader(river_vector);
    let results = [item(1, "a town"), item(2, "a river")];
    assert_eq!(meanings(None, "river", &results).await, BTreeMap::new());
    let found = meanings(Some(&reader), "river", &results).await;
    assert_eq!(found, BTreeMap::from([(ResultId(1), 0.0), (ResultId(2), 1.0)]));
    let rate = |meanings: &BTreeMap<ResultId, f64>| {
        crate::answerability::rate_results(Language::ENGLISH, "river", &results, meanings)
    };
    let plain = rate(&BTreeMap::new());
    let (low, high) = (ResultId(2), ResultId(1));
    let turned = rate(&BTreeMap::from([(high, 1.0), (low, -1.0)]));
    assert!(turned[&high] > plain[&high] && turned[&low] < plain[&low], "{turned:?} {plain:?}");
}

#[tokio::test]
async fn results_are_reordered() {
    let (reader, _) =
        counting_reader(|text| Some(if text.contains("bank") { vec![1.0] } else { vec![-1.0] }));
    let mut results: Vec<ResultItem> = (1..=TEXTS_MAX as i64).map(|id| item(id, "a town")).collect();
    results[4].body = "a bank".to_owned();
    results.push(item(99, "another bank"));
    let found = reader.reordered(Language::ENGLISH, "bank river", results).await;
    let ids: Vec<i64> = found.iter().map(|item| item.swirl_id.0).collect();
    let mut expected: Vec<i64> = (1..=TEXTS_MAX as i64).filter(|id| *id != 5).collect();
    expected.insert(0, 5);
    expected.push(99);
    assert_eq!(ids, expected);
}
