//! Outgoing progress events for other processes. Nothing is sent unless another process follows the search.

use super::remote_followers::RemoteFollowers;
use domain::ids::{ProviderId, RunNumber, SearchId};
use domain::result::ResultSet;
use domain::status::SearchStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;

/// Events that wait to be sent. Further ones are dropped: a search never waits for its progress events.
pub(super) const OUTBOX_MAX: usize = 256;

#[derive(Debug)]
pub(crate) enum ProgressEvent {
    Follow { search: SearchId, run: RunNumber, has: Vec<ProviderId> },
    Provider { run: RunNumber, set: Arc<ResultSet> },
    Status { search: SearchId, status: SearchStatus },
}

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// Empty in a process without a message bus.
    sender: OnceLock<mpsc::Sender<Outgoing>>,
    pub(super) followers: RemoteFollowers,
    pub(super) dropped: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Outgoing {
    /// The process that receives it; None for all.
    pub to: Option<String>,
    pub event: ProgressEvent,
}

impl Outbox {
    /// Opens the outbox; None if it is open already.
    pub(super) fn open(&self) -> Option<mpsc::Receiver<Outgoing>> {
        let (sender, receiver) = mpsc::channel(OUTBOX_MAX);
        self.sender.set(sender).is_ok().then_some(receiver)
    }

    /// Queues an event for sending; never waits and never fails.
    pub(crate) fn post(&self, to: Option<String>, event: ProgressEvent) {
        let Some(sender) = self.sender.get() else { return };
        if sender.try_send(Outgoing { to, event }).is_err() {
            self.note_drop("the outbox is full");
        }
    }

    /// Requests the progress of this run from other processes, except for the providers that this process `has`. The
    /// request is a lease of a few seconds, and responses may be lost, so it is repeated every `RENEW_INTERVAL`.
    pub(crate) fn request_progress(&self, search: SearchId, run: RunNumber, has: Vec<ProviderId>) {
        self.post(None, ProgressEvent::Follow { search, run, has });
    }

    /// Whether there is a message bus to other processes.
    pub(crate) fn has_bus(&self) -> bool {
        self.sender.get().is_some()
    }

    pub(crate) fn post_to_followers(&self, search: SearchId, event: impl Fn() -> ProgressEvent) {
        if self.has_bus() {
            for follower in self.followers.followers(search) {
                self.post(Some(follower), event());
            }
        }
    }

    /// Counts a dropped event; logs the 1st, 2nd, 4th, 8th…
    pub(super) fn note_drop(&self, reason: &str) {
        let count = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_power_of_two() {
            tracing::warn!(count, "progress events were dropped, {count} so far: {reason}");
        }
    }
}
