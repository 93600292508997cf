//! Health of the database.

use super::StoreError;
use crate::instant::Instant;
use async_trait::async_trait;

/// Current use of a pool of database connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    /// What the pool is for.
    pub pool: &'static str,
    /// Maximum number of connections.
    pub max: u32,
    /// Open connections.
    pub size: u32,
    pub in_use: u32,
}

/// Waiting work, and how the scheduler keeps up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkFigures {
    /// Tasks waiting in the database, due or not; running tasks are not counted.
    pub tasks: u64,
    /// When the oldest due task that nobody holds became due.
    pub oldest_due: Option<Instant>,
    /// When the unfinished search that has been unchanged for longest was last changed.
    pub oldest_open_search: Option<Instant>,
    /// When the scheduler last started something.
    pub scheduler_ran: Option<Instant>,
    /// When the next schedule is due. In the past if the scheduler has not taken it.
    pub scheduler_due: Option<Instant>,
}

#[async_trait]
pub trait HealthStore: Send + Sync {
    /// Succeeds if the database responds.
    async fn ping(&self) -> Result<(), StoreError>;
    /// Use of each connection pool.
    fn pools(&self) -> Vec<PoolUse>;
    /// How often no connection became free in time, since this process started.
    fn pool_timeouts(&self) -> u64;
    /// Counts waiting work. Uses its own connection: it fails only if the database itself does not respond, not if all
    /// connections of the pool are in use.
    async fn work_figures(&self, now: Instant) -> Result<WorkFigures, StoreError>;
}
