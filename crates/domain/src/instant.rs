//! Points in time in the format of the API.

use chrono::{DateTime, SubsecRound, Utc};

/// A point in time in UTC, truncated to microseconds: the precision of both databases.
pub type Instant = DateTime<Utc>;

/// Truncates to microseconds, so that a time reads back equal from either database.
pub fn to_micros(time: Instant) -> Instant {
    time.trunc_subsecs(6)
}

/// The format of `date_retrieved` and of the brackets in `messages`.
pub const DISPLAY_FORMAT: &str = "%Y-%m-%d %H:%M:%S%.6f";

/// A time in [`DISPLAY_FORMAT`].
pub fn display(time: Instant) -> String {
    time.format(DISPLAY_FORMAT).to_string()
}

/// Seconds rounded to 0.1, the format of `federation_time` and `search_time`.
pub fn tenths(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}
