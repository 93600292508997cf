//! Time left until a deadline.

use std::time::Duration;
use tokio::time::Instant;

/// The time until `deadline`.
pub(crate) fn time_left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
