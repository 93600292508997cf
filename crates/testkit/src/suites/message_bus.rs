//! Suite for implementations of `MessageBus`: two processes, `here` and `there`, on an unshared bus.

use domain::ports::MessageBus;
use std::time::{Duration, Instant};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);
const QUIET: Duration = Duration::from_millis(500);

/// Runs the whole suite in sequence, because a subscription takes a moment to start.
pub async fn messages_go_where_they_are_sent(here: &dyn MessageBus, there: &dyn MessageBus) {
    assert_ne!(here.node_id(), there.node_id());
    begin(here, there).await;
    begin(there, here).await;
    both_hear_what_is_for_all(here, there).await;
    one_hears_what_is_for_one(here, there).await;
    the_longest_messages_arrive_in_order(here, there).await;
    a_message_to_nobody_is_lost(here).await;
}

/// Sends until the first message is received, then discards the others.
async fn begin(one: &dyn MessageBus, other: &dyn MessageBus) {
    let started = Instant::now();
    loop {
        send(other, Some(one.node_id()), "are you there").await;
        if let Ok(Ok(_)) = timeout(QUIET, one.recv()).await {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "nothing is heard");
    }
    while timeout(QUIET, one.recv()).await.is_ok() {}
}

/// A broker that was slow counts as away for a moment, and nothing is sent meanwhile.
async fn send(from: &dyn MessageBus, to: Option<&str>, message: &str) {
    let started = Instant::now();
    while let Err(error) = from.send(to, message).await {
        assert!(started.elapsed() < PATIENCE, "not sent: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn next(relay: &dyn MessageBus) -> String {
    timeout(PATIENCE, relay.recv()).await.expect("in time").expect("a message")
}

async fn both_hear_what_is_for_all(here: &dyn MessageBus, there: &dyn MessageBus) {
    send(here, None, "to all").await;
    assert_eq!([next(here).await, next(there).await], ["to all", "to all"]);
}

async fn one_hears_what_is_for_one(here: &dyn MessageBus, there: &dyn MessageBus) {
    send(here, Some(there.node_id()), "to one\nin two lines: ä, 𝄞, \"'").await;
    assert_eq!(next(there).await, "to one\nin two lines: ä, 𝄞, \"'");
    assert!(timeout(QUIET, here.recv()).await.is_err(), "it was for the other");
}

async fn the_longest_messages_arrive_in_order(here: &dyn MessageBus, there: &dyn MessageBus) {
    let most = there.message_bytes_max();
    assert!(most >= 256 * 1024, "{most}");
    let messages = ["a", "𝄞", "c"].map(|text| text.repeat(most / text.len()));
    for message in &messages {
        send(here, Some(there.node_id()), message).await;
    }
    for message in &messages {
        assert!(next(there).await == *message, "whole and in order");
    }
}

async fn a_message_to_nobody_is_lost(here: &dyn MessageBus) {
    send(here, Some("nobody"), "hello").await;
    assert!(timeout(QUIET, here.recv()).await.is_err());
}
