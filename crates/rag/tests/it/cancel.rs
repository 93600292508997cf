//! Cancelled summaries.

use crate::fixture::{Fixture, PATIENCE, request};
use crate::models::Manner;
use domain::ports::SummaryStore;
use domain::summary::SummaryFault;
use rag::SummaryError;
use std::time::{Duration, Instant};

fn fault(outcome: &Result<domain::summary::StoredSummary, SummaryError>) -> Option<SummaryFault> {
    match outcome {
        Err(SummaryError::Fault { fault, .. }) => Some(*fault),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_same_process_at_once_and_in_another_soon() {
    for is_other in [false, true] {
        let fixture = Fixture::open().await;
        fixture.model.behaves(Manner::StopsAfter("The river "));
        let (generating, other) = (fixture.process(), fixture.process());
        let cancel = async {
            fixture.model.wait_for_completions(1).await;
            let begun = Instant::now();
            let cancels = if is_other { &other } else { &generating };
            assert_eq!(cancels.cancel(fixture.search.id).await, Ok(true));
            fixture.model.wait_for_completions(0).await;
            begun.elapsed()
        };
        let request = request("");
        let (outcome, took) = tokio::join!(generating.answer(&fixture.search, &request, PATIENCE), cancel);
        assert_eq!(fault(&outcome), Some(SummaryFault::Cancelled), "{outcome:?}");
        let most = if is_other { Duration::from_secs(5) } else { Duration::from_secs(1) };
        assert!(took < most, "{took:?}");
        assert_eq!(generating.cancel(fixture.search.id).await, Ok(false), "nothing is made any more");
        assert_eq!(fixture.store.summary(fixture.search.id).await, Ok(None));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_starts_again_loses_its_answer_and_ends_the_one_that_is_made() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    process.answer(&fixture.search, &request(""), PATIENCE).await.unwrap();
    assert!(fixture.store.summary(fixture.search.id).await.unwrap().is_some());
    fixture.model.behaves(Manner::StopsAfter("The river "));
    let restart = async {
        fixture.model.wait_for_completions(1).await;
        fixture.restart().await;
    };
    let short = request("short");
    let (outcome, ()) = tokio::join!(process.answer(&fixture.search, &short, PATIENCE), restart);
    assert_eq!(fault(&outcome), Some(SummaryFault::Cancelled), "{outcome:?}");
    assert_eq!(fixture.store.summary(fixture.search.id).await, Ok(None));
}
