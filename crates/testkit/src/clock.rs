//! A fixed clock that tests can move.

use chrono::DateTime;
use domain::instant::{Instant, to_micros};
use domain::ports::Clock;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// 2026-01-02 03:04:05 UTC: no two parts are equal, so a mix-up is visible.
const START_S: i64 = 1_767_323_045;

#[derive(Debug)]
pub struct FixedClock(Mutex<Instant>);

impl FixedClock {
    pub fn at(time: Instant) -> Self {
        Self(Mutex::new(to_micros(time)))
    }

    pub fn advance(&self, by: Duration) {
        let mut time = self.lock();
        *time = to_micros(*time + by);
    }

    pub fn set(&self, time: Instant) {
        *self.lock() = to_micros(time);
    }

    fn lock(&self) -> MutexGuard<'_, Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for FixedClock {
    fn default() -> Self {
        Self::at(DateTime::from_timestamp(START_S, 0).unwrap_or_default())
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Instant {
        *self.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stands_still_until_moved() {
        let clock = FixedClock::default();
        assert_eq!(clock.now().to_rfc3339(), "2026-01-02T03:04:05+00:00");
        assert_eq!(clock.now(), clock.now());
        clock.advance(Duration::from_nanos(1_500_000_999));
        assert_eq!(clock.now().to_rfc3339(), "2026-01-02T03:04:06.500+00:00");
        clock.set(DateTime::from_timestamp(0, 0).unwrap());
        assert_eq!(clock.now().timestamp(), 0);
    }
}
