//! Configuration of the queue.

use domain::secret::Secret;
use std::time::Duration;

/// Longer than nearly every task takes, because a lost stream cannot tell which tasks are running; short enough that
/// lost work continues within a minute.
const RECHECK_AFTER: Duration = Duration::from_secs(20);

#[derive(Debug, Clone)]
pub struct NatsConfig {
    /// `nats://user:password@host:4222/name`; the name of the stream is optional.
    pub url: Secret,
    /// Lifetime of a lease without a heartbeat.
    pub lease: Duration,
    /// Maximum number of tasks in the stream; further ones wait in the outbox.
    pub messages_max: u32,
    /// Maximum number of running tasks of one queue over all processes. At this limit a claim waits as long as for a
    /// response, and fails.
    pub running_max: u32,
    /// After this time the stream is checked for a task.
    pub recheck_after: Duration,
}

impl NatsConfig {
    pub fn new(url: Secret, lease: Duration) -> Self {
        let recheck_after = RECHECK_AFTER;
        Self { url, lease, messages_max: 1_000_000, running_max: 20_000, recheck_after }
    }
}
