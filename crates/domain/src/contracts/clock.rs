//! Clock: the only way to know the time.

use crate::instant::{Instant, to_micros};

pub trait Clock: Send + Sync {
    /// Now, cut to microseconds.
    fn now(&self) -> Instant;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> Instant {
        to_micros(chrono::Utc::now())
    }
}
