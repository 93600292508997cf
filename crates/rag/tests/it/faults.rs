//! Searches without a summary, and why.

use crate::fixture::{Fixture, PATIENCE, request};
use crate::models::{Manner, Pages};
use domain::ports::{ModelErrorKind, SummaryStore};
use domain::search::Search;
use domain::settings::Settings;
use domain::status::SearchStatus;
use domain::summary::{SummaryFault, SummaryRequest};
use futures_util::StreamExt;
use rag::{SummaryError, SummaryEvent};
use std::time::Duration;

async fn fault(fixture: &Fixture, request: &SummaryRequest, time_max: Duration) -> (SummaryFault, String) {
    let outcome = fixture.process().answer(&fixture.search, request, time_max).await;
    let events: Vec<SummaryEvent> =
        fixture.process().follow(&fixture.search, request, time_max).collect().await;
    let Err(SummaryError::Fault { fault, message }) = outcome else { panic!("{outcome:?}") };
    let Some(SummaryEvent::Failed { fault: reported, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(fault, *reported, "both ways end alike");
    assert_eq!(fixture.store.summary(fixture.search.id).await, Ok(None), "nothing is kept");
    (fault, message)
}

#[tokio::test(flavor = "multi_thread")]
async fn models_that_fail() {
    for (manner, expected) in [
        (Manner::Missing, SummaryFault::NoAiProvider),
        (Manner::Fails(ModelErrorKind::Denied), SummaryFault::AiProviderError),
        (Manner::Fails(ModelErrorKind::RateLimited), SummaryFault::AiProviderError),
        (Manner::BreaksOff("The river "), SummaryFault::AiProviderError),
        (Manner::Says(vec![], Duration::ZERO), SummaryFault::AiProviderError),
        (Manner::Says(vec![" ", "\n"], Duration::ZERO), SummaryFault::AiProviderError),
    ] {
        let fixture = Fixture::open().await;
        fixture.model.behaves(manner.clone());
        let (found, message) = fault(&fixture, &request(""), PATIENCE).await;
        assert_eq!(found, expected, "{manner:?}");
        assert!(message.len() > 10 && message.ends_with('.'), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_takes_too_long_is_left() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::StopsAfter("The river rises in spring [1]. "));
    let (found, message) = fault(&fixture, &request(""), Duration::from_millis(300)).await;
    assert_eq!(found, SummaryFault::RagTimeout);
    assert!(message.starts_with("Timeout:") && message.contains("0.3 s"), "{message}");
    fixture.model.wait_for_completions(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_relevant_names_threshold_and_best_score() {
    let fixture = Fixture::open()
        .await
        .again(&[("Hills", "Hills are high and dry and far away from here.", 0.42)])
        .await;
    let (found, message) = fault(&fixture, &request(""), PATIENCE).await;
    assert_eq!(found, SummaryFault::NoRelevantResults);
    assert!(message.contains("0.42") && message.contains("0.7"), "{message}");
    let named = SummaryRequest { items: vec![987_654], ..request("") };
    let (found, message) = fault(&fixture, &named, PATIENCE).await;
    assert_eq!(found, SummaryFault::NoRelevantResults);
    assert!(message.contains("987654"), "{message}");
    assert_eq!(fixture.model.calls(), 0);

    let empty = Fixture::open().await.again(&[]).await;
    let (found, _) = fault(&empty, &request(""), PATIENCE).await;
    assert_eq!(found, SummaryFault::NoRelevantResults);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_without_any_text() {
    let fixture = Fixture::open().await.again(&[("River level", "", 0.9)]).await;
    let (found, message) = fault(&fixture, &request(""), PATIENCE).await;
    assert_eq!(found, SummaryFault::NoSourceText);
    assert!(message.contains("River level"), "{message}");
    let strict = Settings { always_fall_back_to_summary: false, ..Settings::default() };
    let fixture = Fixture::with("river level", strict, Pages::default()).await;
    let (found, _) = fault(&fixture, &request(""), PATIENCE).await;
    assert_eq!(found, SummaryFault::NoSourceText);
}

#[tokio::test]
async fn searches_that_are_not_ready() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    for (status, expected) in [
        (SearchStatus::Federating, Err(SummaryError::NotReady(SearchStatus::Federating))),
        (SearchStatus::ErrRunFailed, Ok(SummaryFault::NoRelevantResults)),
    ] {
        let search = Search { status, ..fixture.search.clone() };
        let outcome = process.answer(&search, &request(""), PATIENCE).await;
        match (outcome, expected) {
            (Err(SummaryError::Fault { fault, .. }), Ok(expected)) => assert_eq!(fault, expected),
            (Err(found), Err(expected)) => assert_eq!(found, expected),
            (outcome, _) => panic!("{outcome:?}"),
        }
    }
}
