//! Clock: the only source of the current time.

use crate::instant::{Instant, to_micros};

pub trait Clock: Send + Sync {
    /// The current time, truncated to microseconds.
    fn now(&self) -> Instant;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> Instant {
        to_micros(chrono::Utc::now())
    }
}
