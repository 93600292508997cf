//! Points in time as the API writes them.

use chrono::{DateTime, SubsecRound, Utc};

/// A point in time, UTC, cut to microseconds: what both databases keep.
pub type Instant = DateTime<Utc>;

/// Cuts to microseconds, so that a time reads back equal from either database.
pub fn to_micros(time: Instant) -> Instant {
    time.trunc_subsecs(6)
}

/// The form of `date_retrieved` and of the brackets in `messages`.
pub fn display(time: Instant) -> String {
    time.format("%Y-%m-%d %H:%M:%S%.6f").to_string()
}

/// Seconds rounded to 0.1, the form of `federation_time` and `search_time`.
pub fn tenths(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}
