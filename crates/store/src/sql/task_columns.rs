//! Columns of the task record that the queue, its claims and the outbox share: holder, owner, times.

use chrono::TimeDelta;
use domain::ids::UserId;
use domain::instant::{Instant, to_micros};
use std::time::Duration;

/// No task is scheduled so far ahead, and no other machine's clock is off by so much. Later times are left from before
/// the clock was set back and are reset, so that nothing waits for the clock to catch up.
pub(super) const AHEAD_MAX: TimeDelta = TimeDelta::minutes(5);

/// The holder of tasks that were sent to a broker. No worker has this name: theirs end with a number.
macro_rules! broker {
    () => {
        "broker"
    };
}
pub(super) use broker;

/// Tasks that were never held, as in the index `tasks_by_owner`.
macro_rules! is_untouched {
    ($table:literal) => {
        concat!($table, ".state = 'waiting' AND ", $table, ".lease_until IS NULL")
    };
}
pub(super) use is_untouched;

/// 0 is the service itself; user ids start at 1.
pub(crate) fn to_owner_column(owner: Option<UserId>) -> i64 {
    owner.map_or(0, |owner| owner.0)
}

pub(super) fn from_owner_column(owner: i64) -> Option<UserId> {
    (owner != 0).then_some(UserId(owner))
}

/// The end of a lease that starts now. A lease beyond the calendar ends now.
pub(super) fn end_of(lease: Duration, now: Instant) -> Instant {
    let end = TimeDelta::from_std(lease).ok().and_then(|lease| now.checked_add_signed(lease));
    to_micros(end.unwrap_or(now))
}
