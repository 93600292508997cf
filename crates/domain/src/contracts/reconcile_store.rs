//! Reconciliation: accepted work that is not final, and the tasks that are to bring it to its end.

use super::{NewTask, StoreError, TaskError};
use crate::ids::{SearchId, TaskId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use serde_json::Value;

/// How a stored task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for its time, its turn or a worker.
    Waiting,
    /// A worker holds it.
    Running,
    /// A broker has it, for a worker or with one.
    Sent,
    /// Its tries are used.
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

    /// Something more will come of it.
    pub fn is_live(self) -> bool {
        self != Self::Failed
    }
}

/// A task that has not ended.
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
    /// Why its last try failed; empty if none did.
    pub last_error: String,
}

/// A search that is not final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnendedSearch {
    pub id: SearchId,
    pub owner: UserId,
    pub run: i64,
    /// The run keeps what is there.
    pub is_update: bool,
    pub date_updated: Instant,
}

/// Accepted work that is not final, and the tasks that are to bring it to its end.
#[async_trait]
pub trait ReconcileStore: Send + Sync {
    /// Tasks that have not ended, oldest first; those of one name if it is given.
    async fn unfinished_tasks(
        &self,
        name: Option<&str>,
        limit: u64,
        now: Instant,
    ) -> Result<Vec<UnfinishedTask>, StoreError>;
    /// Lets a task that has used its tries wait again, with all of them. False when there is none with this id that has.
    async fn retry_failed(&self, id: TaskId, now: Instant) -> Result<bool, StoreError>;
    /// Searches that are not final and were last changed before `before`, by id.
    async fn unended_searches(&self, before: Instant) -> Result<Vec<UnendedSearch>, StoreError>;
}

/// Accepted work that is not final and that has no live task.
#[derive(Debug, Clone, PartialEq)]
pub struct OrphanedWork {
    /// What it is for people, as `search`.
    pub kind: &'static str,
    pub id: i64,
    pub owner: UserId,
    /// Its last change.
    pub since: Instant,
    /// It had a task, which used its tries: another one would fail as well.
    pub is_given_up: bool,
    /// The task that brings it to its end.
    pub task: NewTask,
}

/// One kind of work that is accepted with a record of its own and done by a task.
#[async_trait]
pub trait AcceptedWork: Send + Sync {
    /// What is not final, has no live task and was last changed before `before`.
    async fn orphans(&self, before: Instant) -> Result<Vec<OrphanedWork>, TaskError>;
    /// Ends work whose task was given up; the record says so.
    async fn fail(&self, id: i64) -> Result<(), TaskError>;
}
