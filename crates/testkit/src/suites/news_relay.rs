//! The behaviour of a NewsRelay between two processes, `here` and `there`, which nobody else shares.

use domain::contracts::NewsRelay;
use std::time::{Duration, Instant};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);
const QUIET: Duration = Duration::from_millis(500);

/// All of it, one promise after the other, because listening takes a moment to begin.
pub async fn letters_go_where_they_are_sent(here: &dyn NewsRelay, there: &dyn NewsRelay) {
    assert_ne!(here.here(), there.here());
    begin(here, there).await;
    begin(there, here).await;
    both_hear_what_is_for_all(here, there).await;
    one_hears_what_is_for_one(here, there).await;
    the_longest_letters_arrive_in_order(here, there).await;
    a_letter_to_nobody_is_lost_in_silence(here).await;
}

/// Sends until the first letter is heard, then forgets the others.
async fn begin(one: &dyn NewsRelay, other: &dyn NewsRelay) {
    let started = Instant::now();
    loop {
        send(other, Some(one.here()), "are you there").await;
        if let Ok(Ok(_)) = timeout(QUIET, one.hear()).await {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "nothing is heard");
    }
    while timeout(QUIET, one.hear()).await.is_ok() {}
}

/// A broker that was slow counts as away for a moment, and nothing is sent meanwhile.
async fn send(from: &dyn NewsRelay, to: Option<&str>, letter: &str) {
    let started = Instant::now();
    while let Err(error) = from.send(to, letter).await {
        assert!(started.elapsed() < PATIENCE, "not sent: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn next(relay: &dyn NewsRelay) -> String {
    timeout(PATIENCE, relay.hear()).await.expect("in time").expect("a letter")
}

async fn both_hear_what_is_for_all(here: &dyn NewsRelay, there: &dyn NewsRelay) {
    send(here, None, "to all").await;
    assert_eq!([next(here).await, next(there).await], ["to all", "to all"]);
}

async fn one_hears_what_is_for_one(here: &dyn NewsRelay, there: &dyn NewsRelay) {
    send(here, Some(there.here()), "to one\nin two lines: ä, 𝄞, \"'").await;
    assert_eq!(next(there).await, "to one\nin two lines: ä, 𝄞, \"'");
    assert!(timeout(QUIET, here.hear()).await.is_err(), "it was for the other");
}

async fn the_longest_letters_arrive_in_order(here: &dyn NewsRelay, there: &dyn NewsRelay) {
    let most = there.letter_bytes_max();
    assert!(most >= 256 * 1024, "{most}");
    let letters = ["a", "𝄞", "c"].map(|text| text.repeat(most / text.len()));
    for letter in &letters {
        send(here, Some(there.here()), letter).await;
    }
    for letter in &letters {
        assert!(next(there).await == *letter, "whole and in order");
    }
}

async fn a_letter_to_nobody_is_lost_in_silence(here: &dyn NewsRelay) {
    send(here, Some("nobody"), "hello").await;
    assert!(timeout(QUIET, here.hear()).await.is_err());
}
