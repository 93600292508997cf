use super::*;
use futures_util::future::join_all;
use serde_json::json;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[tokio::test(start_paused = true)]
async fn large_responses_wait_and_small_ones_do_not() {
    let memory = ResponseMemory::new(64 * MB);
    let runs: Vec<_> = (0..5).map(|_| memory.for_run()).collect();
    let mut held = Vec::new();
    for run in &runs[..4] {
        held.push(run.reserve_parsed(16 * MB, 0, soon()).await.expect("there is space"));
    }
    let error = runs[4].reserve_parsed(4 * MB, 0, soon()).await.expect_err("there is none");
    assert_eq!(error.kind, ConnectorErrorKind::Suspended);
    assert!(runs[4].reserve_parsed(FREE_BYTES, 0, soon()).await.is_ok());
    held.pop();
    assert!(runs[4].reserve_parsed(4 * MB, 0, soon()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn no_run_takes_the_whole_budget() {
    let memory = ResponseMemory::new(64 * MB);
    let (greedy, other) = (memory.for_run(), memory.for_run());
    let mut held = Vec::new();
    while let Ok(reservation) = greedy.reserve_parsed(2 * MB, 0, soon()).await {
        held.push(reservation);
    }
    assert_eq!(memory.ledger.used(), 16 * MB, "a quarter");
    assert!(other.reserve_parsed(10 * MB, 0, soon()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_small_response_overtakes_a_larger_one() {
    let memory = ResponseMemory::new(32 * MB);
    let runs: Vec<_> = (0..6).map(|_| memory.for_run()).collect();
    let mut held = Vec::new();
    for run in &runs[..4] {
        held.push(run.reserve_parsed(7 * MB, 0, soon()).await.expect("there is space"));
    }
    let started = Instant::now();
    let large = async { (runs[4].reserve_parsed(8 * MB, 0, soon()).await, started.elapsed()) };
    let small = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let reservation = runs[5].reserve_parsed(2 * MB, 0, soon()).await;
        let at = started.elapsed();
        drop((reservation.expect("it fits"), held));
        at
    };
    let ((large, large_at), small_at) = tokio::join!(large, small);
    assert!(large.is_ok() && large_at < WAIT_MAX, "{large_at:?}");
    assert!(small_at < Duration::from_millis(20), "{small_at:?}");
}

#[tokio::test(start_paused = true)]
async fn bodies_are_counted_and_leave_space_to_be_parsed() {
    let memory = ResponseMemory::new(64 * MB);
    let run = memory.for_run();
    let body = |bytes: usize| BodyMemory::reserve(run.as_ref(), bytes as u64, bytes as u64);
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(body(MB).await.expect("there is space"));
    }
    assert_eq!(memory.ledger.used(), 8 * MB);
    assert_eq!(body(MB).await.err(), Some(FetchError::Busy), "half of the run's part");
    assert!(run.reserve_parsed(7 * MB, MB, soon()).await.is_ok(), "one that waits can go on");
    held[0].shrink_by(MB as u64 / 2);
    assert_eq!(memory.ledger.used(), 7 * MB + MB / 2);
    held.clear();
    assert_eq!(memory.ledger.used(), 0);
}

/// Each response holds its body and waits for memory to be parsed: they proceed one after the other, and none fails.
#[tokio::test(start_paused = true)]
async fn responses_that_hold_a_body_do_not_deadlock() {
    let memory = ResponseMemory::new(64 * MB);
    let runs: Vec<_> = (0..8).map(|_| memory.for_run()).collect();
    let responses = runs.iter().flat_map(|run| (0..4).map(move |_| run));
    let read = |run: &Arc<RunMemory>| {
        let run = Arc::clone(run);
        async move {
            let body = BodyMemory::reserve(run.as_ref(), 2 * MB as u64, 2 * MB as u64).await?;
            let reservation = run.reserve_parsed(6 * MB, 2 * MB, soon()).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            drop(body);
            Ok::<_, FetchError>(reservation.map(drop))
        }
    };
    for outcome in join_all(responses.map(read)).await {
        assert!(outcome.expect("a body").is_ok());
    }
    assert_eq!(memory.ledger.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_response_larger_than_the_share_of_a_run_is_rejected_at_once_with_the_setting() {
    let run = ResponseMemory::new(64 * MB).for_run();
    let started = Instant::now();
    let error = run.reserve_parsed(15 * MB, 2 * MB, soon()).await.expect_err("too large");
    assert_eq!(error.kind, ConnectorErrorKind::Unreadable);
    assert!(error.message.contains("17 MB") && error.message.contains("16 MB"), "{error}");
    let reservation = run.reserve_parsed(14 * MB, 0, soon()).await.expect("there is space");
    run.keep(reservation, &[json!("x".repeat(12 * MB))]);
    let other = run.reserve_parsed(6 * MB, 0, soon()).await.expect_err("its results are kept");
    assert_eq!(other.kind, ConnectorErrorKind::Suspended);
    let body = BodyMemory::reserve(run.as_ref(), MB as u64, 9 * MB as u64).await.err().expect("too large");
    for line in [error.message, other.message, body.to_string()] {
        assert!(line.contains("SVC_ANSWER_MEMORY_MB"), "{line}");
    }
    assert_eq!(started.elapsed(), Duration::ZERO, "nobody waits in vain");
}

#[tokio::test(start_paused = true)]
async fn the_memory_of_results_is_held_until_the_end_of_the_run() {
    let memory = ResponseMemory::new(64 * MB);
    let run = memory.for_run();
    let reservation = run.reserve_parsed(10 * MB, 0, soon()).await.expect("there is space");
    run.keep(reservation, &[json!("x".repeat(4 * MB))]);
    assert_eq!(memory.ledger.used(), 4 * MB + estimate::BYTES_PER_VALUE);
    let reservation = run.reserve_parsed(5 * MB, 0, soon()).await.expect("there is space");
    run.keep(reservation, &[json!({"a": 1})]);
    assert_eq!(memory.ledger.used(), 4 * MB + estimate::BYTES_PER_VALUE, "a small page is free");
    drop(run);
    assert_eq!(memory.ledger.used(), 0);
}

#[test]
fn one_response_fits_into_a_small_budget() {
    for (budget, run) in [(1, 1), (4, 4), (16, 8), (32, 8), (128, 32)] {
        assert_eq!(ResponseMemory::new(budget * MB).ledger.run_bytes_max, run * MB, "{budget}");
    }
}
