//! The editable part of a schedule.

use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Minimum interval; schedules are checked once per second.
pub const EVERY_SECONDS_MIN: i64 = 1;
/// Maximum interval: thirty days.
pub const EVERY_SECONDS_MAX: i64 = 30 * 24 * 60 * 60;

/// The writable fields of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ScheduleInput)]
pub struct ScheduleSpec {
    /// The interval in seconds, 1 to 2592000 (30 days). A new interval starts now.
    pub every_seconds: i64,
    /// It runs automatically. False: it is skipped until it is true again.
    pub enabled: bool,
}

impl ScheduleSpec {
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let range = EVERY_SECONDS_MIN..=EVERY_SECONDS_MAX;
        errors.check(range.contains(&self.every_seconds), "every_seconds", || {
            format!("From {EVERY_SECONDS_MIN} to {EVERY_SECONDS_MAX} seconds are allowed.")
        });
        errors
    }

    pub fn every(&self) -> Duration {
        Duration::from_secs(u64::try_from(self.every_seconds).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_second_to_thirty_days() {
        for (every_seconds, is_allowed) in
            [(i64::MIN, false), (0, false), (1, true), (3600, true), (2_592_000, true), (2_592_001, false)]
        {
            let spec = ScheduleSpec { every_seconds, enabled: true };
            assert_eq!(spec.check().is_empty(), is_allowed, "{every_seconds}");
        }
    }
}
