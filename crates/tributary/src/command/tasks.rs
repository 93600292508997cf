//! `tributary tasks`: lists unfinished work and requeues lost or failed work.

use super::CliContext;
use crate::app::App;
use crate::terminal;
use chrono::TimeDelta;
use clap::{Args, Subcommand};
use domain::ids::{TaskId, UserId};
use domain::instant::Instant;
use domain::ports::{OrphanedWork, ReconcileStore, StoreError, TaskState, TaskStore, UserStore};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Maximum of `--limit`.
const LIST_MAX: u64 = 10_000;
/// The state of unfinished work without a task.
const LOST: &str = "lost";

/// List unfinished work, or requeue lost or failed work.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary tasks list
  tributary tasks list --state lost --json
  tributary tasks requeue 17 search:204
  tributary tasks requeue --all")]
pub struct TasksCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List unfinished tasks, oldest first, then work that has lost its task.
    List(List),
    /// Create tasks for lost work, and requeue tasks that have used up their attempts.
    Requeue(Requeue),
}

#[derive(Debug, Args)]
struct List {
    /// Only this state: waiting, running, sent (in NATS), failed (no attempts left) or lost (no task).
    #[arg(long, value_parser = ["waiting", "running", "sent", "failed", LOST])]
    state: Option<String>,
    /// Maximum number of tasks, up to 10000.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=LIST_MAX))]
    limit: u64,
    /// Print a JSON array.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Requeue {
    /// Ids from `tributary tasks list`: a number for a failed task, e.g. `search:204` for lost work.
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    ids: Vec<String>,
    /// Requeue all failed and lost work.
    #[arg(long)]
    all: bool,
}

/// One line of the list.
#[derive(Debug, PartialEq, Serialize)]
struct Row {
    id: String,
    kind: String,
    /// `None` for the service itself.
    owner: Option<String>,
    state: &'static str,
    age_seconds: i64,
    attempts: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    last_error: String,
}

impl TasksCommand {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let app = cli.open_existing().await?;
        let code = match self.action {
            Action::List(list) => list.run(&app).await?,
            Action::Requeue(requeue) => requeue.run(&app).await?,
        };
        app.store.close().await;
        Ok(code)
    }
}

impl List {
    async fn run(self, app: &App) -> anyhow::Result<ExitCode> {
        let now = app.clock.now();
        let wanted = |state: &str| self.state.as_deref().is_none_or(|only| only == state);
        let read_max = if self.state.is_some() { LIST_MAX } else { self.limit };
        let mut names = OwnerNames::default();
        let mut rows = Vec::new();
        for task in app.store.unfinished_tasks(None, read_max, now).await? {
            if wanted(task.state.as_str()) {
                rows.push(Row {
                    id: task.id.to_string(),
                    kind: task.name,
                    owner: names.of(app, task.owner).await?,
                    state: task.state.as_str(),
                    age_seconds: seconds_since(task.date_created, now),
                    attempts: task.attempts,
                    last_error: task.last_error,
                });
            }
        }
        for work in app.reconciler().orphans().await?.into_iter().filter(|_| wanted(LOST)) {
            rows.push(Row {
                id: id_of(&work),
                kind: work.task.name.clone(),
                owner: names.of(app, Some(work.owner)).await?,
                state: LOST,
                age_seconds: seconds_since(work.since, now),
                attempts: 0,
                last_error: String::new(),
            });
        }
        rows.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        show(&rows, self.json)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Requeue {
    async fn run(self, app: &App) -> anyhow::Result<ExitCode> {
        let orphans = app.reconciler().orphans().await?;
        let ids = if self.all { everything(app, &orphans).await? } else { self.ids };
        let mut has_failed = false;
        for id in &ids {
            match requeue(app, id, &orphans).await {
                Ok(done) => terminal::line(done),
                Err(RequeueError::Store(error)) => return Err(error.into()),
                Err(refused @ (RequeueError::NotLost(_) | RequeueError::NotFailed(_))) => {
                    has_failed = true;
                    terminal::note(format!("tributary: {refused}"));
                }
            }
        }
        if ids.is_empty() {
            terminal::line("No failed or lost work.");
        }
        Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// The ids of all failed and lost work; work with a failed task is identified by that task.
async fn everything(app: &App, orphans: &[OrphanedWork]) -> anyhow::Result<Vec<String>> {
    let tasks = app.store.unfinished_tasks(None, u64::MAX, app.clock.now()).await?;
    let failed = tasks.iter().filter(|task| task.state == TaskState::Failed).map(|task| task.id.to_string());
    Ok(failed.chain(orphans.iter().filter(|work| !work.is_given_up).map(id_of)).collect())
}

/// Why an item was not requeued.
#[derive(Debug, thiserror::Error)]
enum RequeueError {
    #[error("'{0}' is not lost; `tributary tasks list --state lost` shows lost work")]
    NotLost(String),
    #[error("task {0} has not failed; `tributary tasks list --state failed` shows failed tasks")]
    NotFailed(TaskId),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Requeues one item and says what was done.
async fn requeue(app: &App, id: &str, orphans: &[OrphanedWork]) -> Result<String, RequeueError> {
    let now = app.clock.now();
    if let Some(work) = orphans.iter().find(|work| id_of(work) == id) {
        let task = app.store.push_task(work.task.clone(), now).await?;
        return Ok(format!("{id}: created task {task}."));
    }
    let task = id.parse().map(TaskId).map_err(|_| RequeueError::NotLost(id.to_owned()))?;
    if app.store.retry_failed(task, now).await? {
        Ok(format!("Task {task} requeued."))
    } else {
        Err(RequeueError::NotFailed(task))
    }
}

fn id_of(work: &OrphanedWork) -> String {
    format!("{}:{}", work.kind, work.id)
}

/// A cache of owner names.
#[derive(Default)]
struct OwnerNames(BTreeMap<UserId, String>);

impl OwnerNames {
    async fn of(&mut self, app: &App, owner: Option<UserId>) -> Result<Option<String>, StoreError> {
        let Some(owner) = owner else { return Ok(None) };
        if let Some(name) = self.0.get(&owner) {
            return Ok(Some(name.clone()));
        }
        let name = match app.store.user(owner).await {
            Ok(user) => user.username,
            Err(StoreError::NotFound) => format!("deleted user {owner}"),
            Err(error) => return Err(error),
        };
        self.0.insert(owner, name.clone());
        Ok(Some(name))
    }
}

fn show(rows: &[Row], json: bool) -> anyhow::Result<()> {
    if json {
        terminal::line(serde_json::to_string_pretty(rows)?);
        return Ok(());
    }
    for row in rows {
        let owner = row.owner.as_deref().unwrap_or("-");
        let age = age(row.age_seconds);
        terminal::line(format!(
            "{:>14}  {:20}  {owner:20}  {:8}  {age:>8}  {}",
            row.id,
            row.kind,
            row.state,
            row.last_error.escape_debug()
        ));
    }
    terminal::line(format!("{} shown.", rows.len()));
    Ok(())
}

fn seconds_since(since: Instant, now: Instant) -> i64 {
    (now - since).max(TimeDelta::zero()).num_seconds()
}

/// Formats an age in the largest unit of which there are at least two.
fn age(seconds: i64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let cases =
            [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_800, "2 d")];
        for (seconds, expected) in cases {
            assert_eq!(age(seconds), expected);
        }
    }
}
