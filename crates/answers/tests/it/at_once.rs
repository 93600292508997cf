//! Several who want an answer at the same time.

use crate::fixture::{Fixture, PATIENCE, wish};
use crate::models::{Manner, Pages};
use answers::{AnswerError, AnswerEvent};
use domain::answer::AnswerFault;
use domain::contracts::{Clock, SystemClock};
use domain::settings::Settings;
use futures_util::StreamExt;
use futures_util::future::join_all;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn slowly() -> Manner {
    let pieces = vec!["The river ", "rises in spring [1]. ", "It falls in autumn [2]."];
    Manner::Says(pieces, Duration::from_millis(100))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_wish_is_one_run_in_one_process_and_in_several() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(slowly());
    let processes = [fixture.process(), fixture.process(), fixture.process()];
    let asked = processes.iter().flat_map(|process| (0..4).map(move |_| process));
    let wish = wish("");
    let answers = join_all(asked.map(|process| process.answer(&fixture.search, &wish, PATIENCE))).await;
    let first = answers[0].clone().unwrap();
    assert!(answers.iter().all(|answer| answer.as_ref() == Ok(&first)), "{answers:?}");
    assert_eq!(fixture.model.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn different_wishes_come_one_after_the_other() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(slowly());
    let process = fixture.process();
    let wishes = ["one", "two", "three"].map(wish);
    let asked = wishes.iter().map(|wish| process.answer(&fixture.search, wish, PATIENCE));
    for (answer, wish) in join_all(asked).await.into_iter().zip(&wishes) {
        assert_eq!(answer.unwrap().wish, *wish);
    }
    assert_eq!(fixture.model.calls(), 3);
    assert_eq!(fixture.model.open_most.load(Ordering::SeqCst), 1, "one at a time for each search");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_keeps_it_going_and_the_last_one_ends_it() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::StopsAfter("The river rises in spring [1]. "));
    let process = fixture.process();
    let mut first = process.follow(&fixture.search, &wish(""), PATIENCE);
    let mut second = process.follow(&fixture.search, &wish(""), PATIENCE);
    for stream in [&mut first, &mut second] {
        while !matches!(stream.next().await, Some(AnswerEvent::Delta(_))) {}
    }
    drop(first);
    tokio::time::sleep(Duration::from_millis(100)).await;
    fixture.model.writes(1).await;
    drop(second);
    fixture.model.writes(0).await;
    assert_eq!(fixture.model.calls(), 1);
    // The right was given back, so that nobody waits for it.
    for _ in 0..100 {
        if !fixture.store.answer_is_written(fixture.search.id, SystemClock.now()).await.unwrap() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the right to write is still held");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_more_time_is_not_late_with_who_began() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::StopsAfter("The river "));
    let process = fixture.process();
    let patient = async {
        fixture.model.writes(1).await;
        let same = wish("");
        let answer = process.answer(&fixture.search, &same, PATIENCE);
        tokio::pin!(answer);
        let early = tokio::time::timeout(Duration::from_millis(500), &mut answer).await;
        assert!(early.is_err(), "it waits");
        fixture.model.behaves(slowly());
        answer.await
    };
    let same = wish("");
    let hasty = process.answer(&fixture.search, &same, Duration::from_millis(900));
    let (hasty, patient) = tokio::join!(hasty, patient);
    let Err(AnswerError::Fault { fault, .. }) = hasty else { panic!("{hasty:?}") };
    assert_eq!(fault, AnswerFault::RagTimeout);
    assert!(patient.is_ok(), "{patient:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_makes_only_so_many_at_once() {
    let settings = Settings { interactive_concurrency: 2, ..Settings::default() };
    let fixture = Fixture::with("river level", settings, Pages::default()).await;
    fixture.model.behaves(slowly());
    let process = fixture.process();
    let mut searches = Vec::new();
    for _ in 0..5 {
        searches.push(fixture.another_search().await);
    }
    let wish = wish("");
    let answers = join_all(searches.iter().map(|search| process.answer(search, &wish, PATIENCE))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(fixture.model.open_most.load(Ordering::SeqCst), 2);
}
