//! Storage of schedules.

use super::StoreError;
use crate::instant::Instant;
use async_trait::async_trait;
use std::time::Duration;

/// Recurring work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub name: String,
    pub every: Duration,
    pub next_due: Instant,
    /// When it was last taken.
    pub last_taken: Option<Instant>,
    /// A disabled schedule is never due.
    pub enabled: bool,
}

impl Schedule {
    /// Whether `take_due` would take it: it is due, or due more than one interval ahead because the clock was set back.
    pub fn is_due(&self, now: Instant) -> bool {
        let wait = (self.next_due - now).to_std().unwrap_or_default();
        self.enabled && (wait.is_zero() || wait > self.every)
    }
}

#[async_trait]
pub trait ScheduleStore: ScheduleEdits {
    /// Stores the schedule, due at `now + every`, if there is none of that name; an existing one is not changed.
    async fn ensure_schedule(&self, name: &str, every: Duration, now: Instant) -> Result<(), StoreError>;
    /// All schedules by name.
    async fn schedules(&self) -> Result<Vec<Schedule>, StoreError>;
    /// Takes every schedule that is due. Among concurrent processes, one gets it. It is next due one interval after
    /// `now`, so it fires once after any pause or jump of the clock.
    async fn take_due(&self, now: Instant) -> Result<Vec<Schedule>, StoreError>;
}

/// Edits of schedules; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait ScheduleEdits: Send + Sync {
    /// Changes the schedule of that name; it is next due at `now + every`.
    async fn change_schedule(
        &self,
        name: &str,
        every: Duration,
        enabled: bool,
        now: Instant,
    ) -> Result<Schedule, StoreError>;
}
