//! Searches without an answer, and why.

use crate::fixture::{Fixture, PATIENCE, wish};
use crate::models::{Manner, Pages};
use answers::{AnswerError, AnswerEvent};
use domain::answer::{AnswerFault, AnswerWish};
use domain::contracts::ModelErrorKind;
use domain::search::Search;
use domain::settings::Settings;
use domain::status::SearchStatus;
use futures_util::StreamExt;
use std::time::Duration;

async fn fault(fixture: &Fixture, wish: &AnswerWish, time_max: Duration) -> (AnswerFault, String) {
    let outcome = fixture.process().answer(&fixture.search, wish, time_max).await;
    let events: Vec<AnswerEvent> = fixture.process().follow(&fixture.search, wish, time_max).collect().await;
    let Err(AnswerError::Fault { fault, message }) = outcome else { panic!("{outcome:?}") };
    let Some(AnswerEvent::Failed { fault: told, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(fault, *told, "both ways end alike");
    assert_eq!(fixture.store.answer(fixture.search.id).await, Ok(None), "nothing is kept");
    (fault, message)
}

#[tokio::test(flavor = "multi_thread")]
async fn models_that_fail() {
    for (manner, expected) in [
        (Manner::Missing, AnswerFault::NoAiProvider),
        (Manner::Fails(ModelErrorKind::Denied), AnswerFault::AiProviderError),
        (Manner::Fails(ModelErrorKind::RateLimited), AnswerFault::AiProviderError),
        (Manner::BreaksOff("The river "), AnswerFault::AiProviderError),
        (Manner::Says(vec![], Duration::ZERO), AnswerFault::AiProviderError),
        (Manner::Says(vec![" ", "\n"], Duration::ZERO), AnswerFault::AiProviderError),
    ] {
        let fixture = Fixture::open().await;
        fixture.model.behaves(manner.clone());
        let (found, message) = fault(&fixture, &wish(""), PATIENCE).await;
        assert_eq!(found, expected, "{manner:?}");
        assert!(message.len() > 10 && message.ends_with('.'), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_takes_too_long_is_left() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::StopsAfter("The river rises in spring [1]. "));
    let (found, message) = fault(&fixture, &wish(""), Duration::from_millis(300)).await;
    assert_eq!(found, AnswerFault::RagTimeout);
    assert!(message.starts_with("Timeout:") && message.contains("0.3 s"), "{message}");
    fixture.model.writes(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_relevant_names_threshold_and_best_score() {
    let fixture = Fixture::open()
        .await
        .again(&[("Hills", "Hills are high and dry and far away from here.", 0.42)])
        .await;
    let (found, message) = fault(&fixture, &wish(""), PATIENCE).await;
    assert_eq!(found, AnswerFault::NoRelevantResults);
    assert!(message.contains("0.42") && message.contains("0.7"), "{message}");
    let named = AnswerWish { items: vec![987_654], ..wish("") };
    let (found, message) = fault(&fixture, &named, PATIENCE).await;
    assert_eq!(found, AnswerFault::NoRelevantResults);
    assert!(message.contains("987654"), "{message}");
    assert_eq!(fixture.model.calls(), 0);

    let empty = Fixture::open().await.again(&[]).await;
    let (found, _) = fault(&empty, &wish(""), PATIENCE).await;
    assert_eq!(found, AnswerFault::NoRelevantResults);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_without_any_text() {
    let fixture = Fixture::open().await.again(&[("River level", "", 0.9)]).await;
    let (found, message) = fault(&fixture, &wish(""), PATIENCE).await;
    assert_eq!(found, AnswerFault::NoSourceText);
    assert!(message.contains("River level"), "{message}");
    let strict = Settings { always_fall_back_to_summary: false, ..Settings::default() };
    let fixture = Fixture::with("river level", strict, Pages::default()).await;
    let (found, _) = fault(&fixture, &wish(""), PATIENCE).await;
    assert_eq!(found, AnswerFault::NoSourceText);
}

#[tokio::test]
async fn searches_that_are_not_ready() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    for (status, expected) in [
        (SearchStatus::Federating, Err(AnswerError::NotReady(SearchStatus::Federating))),
        (SearchStatus::ErrRunFailed, Ok(AnswerFault::NoRelevantResults)),
    ] {
        let search = Search { status, ..fixture.search.clone() };
        let outcome = process.answer(&search, &wish(""), PATIENCE).await;
        match (outcome, expected) {
            (Err(AnswerError::Fault { fault, .. }), Ok(expected)) => assert_eq!(fault, expected),
            (Err(found), Err(expected)) => assert_eq!(found, expected),
            (outcome, _) => panic!("{outcome:?}"),
        }
    }
}
