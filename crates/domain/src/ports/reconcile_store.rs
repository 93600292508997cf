//! Reconciliation: accepted work that is not final, and its tasks.

use super::{NewTask, StoreError, TaskError};
use crate::ids::{RunNumber, SearchId, TaskId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use serde_json::Value;

/// State of a stored task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It waits until it is due, for its turn or for a worker.
    Waiting,
    /// A worker holds it.
    Running,
    /// It was sent to a broker, which holds it or has delivered it to a worker.
    Sent,
    /// Its last attempt failed.
    Failed,
}

impl TaskState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    /// It will be attempted again, or is being run.
    pub fn is_live(self) -> bool {
        self != Self::Failed
    }
}

/// A task that has not finished.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedTask {
    pub id: TaskId,
    pub queue: String,
    pub name: String,
    pub payload: Value,
    pub state: TaskState,
    pub attempts: u32,
    pub owner: Option<UserId>,
    pub date_created: Instant,
    /// Why its last attempt failed; empty if none did.
    pub last_error: String,
}

/// A search that is not final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfinishedSearch {
    pub id: SearchId,
    pub owner: UserId,
    pub run: RunNumber,
    /// The run keeps existing results.
    pub is_update: bool,
    pub date_updated: Instant,
}

/// Accepted work that is not final, and its tasks.
#[async_trait]
pub trait ReconcileStore: Send + Sync {
    /// Unfinished tasks, oldest first; only those of `name` if it is given.
    async fn unfinished_tasks(
        &self,
        name: Option<&str>,
        limit: u64,
        now: Instant,
    ) -> Result<Vec<UnfinishedTask>, StoreError>;
    /// Unfinished tasks of `name` that run for `owner`, newest first.
    async fn unfinished_tasks_of(
        &self,
        name: &str,
        owner: UserId,
        limit: u64,
        now: Instant,
    ) -> Result<Vec<UnfinishedTask>, StoreError>;
    /// Makes a failed task wait again, with all of its attempts. False if there is no failed task with this id.
    async fn retry_failed(&self, id: TaskId, now: Instant) -> Result<bool, StoreError>;
    /// Searches that are not final and were last changed before `before`, by id.
    async fn unfinished_searches(&self, before: Instant) -> Result<Vec<UnfinishedSearch>, StoreError>;
}

/// Accepted work that is not final and has no live task.
#[derive(Debug, Clone, PartialEq)]
pub struct OrphanedWork {
    /// Kind of work for display, such as `search`.
    pub kind: &'static str,
    pub id: i64,
    pub owner: UserId,
    /// Its last change.
    pub since: Instant,
    /// Its task failed in all attempts: another one would fail as well.
    pub is_given_up: bool,
    /// The task that finishes it.
    pub task: NewTask,
}

/// A kind of work that is accepted as a record and carried out by a task.
#[async_trait]
pub trait AcceptedWork: Send + Sync {
    /// Work that is not final, has no live task and was last changed before `before`.
    async fn orphans(&self, before: Instant) -> Result<Vec<OrphanedWork>, TaskError>;
    /// Ends work whose task has failed; the record reports it.
    async fn fail(&self, id: i64) -> Result<(), TaskError>;
}
