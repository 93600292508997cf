//! The pool: many parallel callers, timeouts, and canceled callers.

use crate::samples::file;
use domain::ports::{ExtractError, ExtractText};
use extraction::{Extraction, Limits};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Takes a debug build far longer than the time limit.
fn slow_page() -> String {
    "<p>words <b>and</b> more</p>".repeat(1_000_000)
}

#[tokio::test]
async fn many_callers_are_served() {
    let pool = Arc::new(Extraction::start(Limits { queue: 1, ..Limits::default() }).expect("threads"));
    assert!(pool.knows("a.pdf") && !pool.knows("a.png"));
    let mut callers = tokio::task::JoinSet::new();
    for number in 0..50 {
        let pool = Arc::clone(&pool);
        callers.spawn(async move { (number, pool.extract(file("a.txt", format!("file {number}"))).await) });
    }
    while let Some(served) = callers.join_next().await {
        let (number, answer) = served.expect("a caller");
        assert_eq!(answer.expect("a text").text, format!("file {number}"));
    }
    let large = Extraction::start(Limits { input_bytes: 3, ..Limits::default() }).expect("threads");
    assert_eq!(large.extract(file("a.txt", "four")).await, Err(ExtractError::TooLarge(3)));
}

#[tokio::test]
async fn a_slow_file_is_abandoned_and_its_thread_goes_on() {
    let limits = Limits {
        threads: 1,
        time: Duration::from_millis(50),
        wait: Duration::from_secs(20),
        ..Limits::default()
    };
    let pool = Extraction::start(limits).expect("a thread");
    let started = Instant::now();
    assert_eq!(pool.extract(file("a.html", slow_page())).await, Err(ExtractError::Timeout));
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(pool.extract(file("a.txt", "next")).await.expect("a text").text, "next");
}

#[tokio::test]
async fn who_waits_too_long_is_told() {
    let limits = Limits { threads: 1, wait: Duration::from_millis(50), ..Limits::default() };
    let pool = Extraction::start(limits).expect("a thread");
    let started = Instant::now();
    assert_eq!(pool.extract(file("a.html", slow_page())).await, Err(ExtractError::Timeout));
    assert!(started.elapsed() < Duration::from_secs(60));
    // The abandoned file is aborted, so that the thread is free again.
    loop {
        if pool.extract(file("a.txt", "next")).await.is_ok() {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "the thread is lost");
    }
}
