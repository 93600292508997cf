//! Concurrent requests for summaries.

use crate::fixture::{Fixture, PATIENCE, request};
use crate::models::{Manner, Pages};
use domain::ports::{Clock, SummaryStore, SystemClock};
use domain::settings::Settings;
use domain::summary::SummaryFault;
use futures_util::StreamExt;
use futures_util::future::join_all;
use rag::{SummaryError, SummaryEvent};
use std::sync::atomic::Ordering;
use std::time::Duration;

fn slowly() -> Manner {
    let pieces = vec!["The river ", "rises in spring [1]. ", "It falls in autumn [2]."];
    Manner::Says(pieces, Duration::from_millis(100))
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_requests_share_one_generation_in_one_process_and_in_several() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(slowly());
    let processes = [fixture.process(), fixture.process(), fixture.process()];
    let asked = processes.iter().flat_map(|process| (0..4).map(move |_| process));
    let request = request("");
    let answers = join_all(asked.map(|process| process.answer(&fixture.search, &request, PATIENCE))).await;
    let first = answers[0].clone().unwrap();
    assert!(answers.iter().all(|answer| answer.as_ref() == Ok(&first)), "{answers:?}");
    assert_eq!(fixture.model.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn different_requests_are_generated_one_after_the_other() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(slowly());
    let process = fixture.process();
    let requests = ["one", "two", "three"].map(request);
    let asked = requests.iter().map(|request| process.answer(&fixture.search, request, PATIENCE));
    for (answer, request) in join_all(asked).await.into_iter().zip(&requests) {
        assert_eq!(answer.unwrap().request, *request);
    }
    assert_eq!(fixture.model.calls(), 3);
    assert_eq!(fixture.model.open_most.load(Ordering::SeqCst), 1, "one at a time for each search");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_keeps_it_going_and_the_last_one_ends_it() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::StopsAfter("The river rises in spring [1]. "));
    let process = fixture.process();
    let mut first = process.follow(&fixture.search, &request(""), PATIENCE);
    let mut second = process.follow(&fixture.search, &request(""), PATIENCE);
    for stream in [&mut first, &mut second] {
        while !matches!(stream.next().await, Some(SummaryEvent::Delta(_))) {}
    }
    drop(first);
    tokio::time::sleep(Duration::from_millis(100)).await;
    fixture.model.wait_for_completions(1).await;
    drop(second);
    fixture.model.wait_for_completions(0).await;
    assert_eq!(fixture.model.calls(), 1);
    // The lease was released, so that nobody waits for it.
    for _ in 0..100 {
        if !fixture.store.is_summary_in_progress(fixture.search.id, SystemClock.now()).await.unwrap() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the right to write is still held");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_longer_time_limit_outlasts_that_of_the_first_caller() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::StopsAfter("The river "));
    let process = fixture.process();
    let patient = async {
        fixture.model.wait_for_completions(1).await;
        let same = request("");
        let answer = process.answer(&fixture.search, &same, PATIENCE);
        tokio::pin!(answer);
        let early = tokio::time::timeout(Duration::from_millis(500), &mut answer).await;
        assert!(early.is_err(), "it waits");
        fixture.model.behaves(slowly());
        answer.await
    };
    let same = request("");
    let hasty = process.answer(&fixture.search, &same, Duration::from_millis(900));
    let (hasty, patient) = tokio::join!(hasty, patient);
    let Err(SummaryError::Fault { fault, .. }) = hasty else { panic!("{hasty:?}") };
    assert_eq!(fault, SummaryFault::RagTimeout);
    assert!(patient.is_ok(), "{patient:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrency_in_a_process_is_limited() {
    let settings = Settings { interactive_concurrency: 2, ..Settings::default() };
    let fixture = Fixture::with("river level", settings, Pages::default()).await;
    fixture.model.behaves(slowly());
    let process = fixture.process();
    let mut searches = Vec::new();
    for _ in 0..5 {
        searches.push(fixture.another_search().await);
    }
    let request = request("");
    let answers = join_all(searches.iter().map(|search| process.answer(search, &request, PATIENCE))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(fixture.model.open_most.load(Ordering::SeqCst), 2);
}
