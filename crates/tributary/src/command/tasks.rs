//! `tributary tasks`: work that has not ended, and work that has lost its task.

use super::Place;
use crate::terminal;
use crate::wiring::Wired;
use chrono::TimeDelta;
use clap::{Args, Subcommand};
use domain::contracts::{OrphanedWork, ReconcileStore, StoreError, TaskState, TaskStore, UserStore};
use domain::ids::{TaskId, UserId};
use domain::instant::Instant;
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Most tasks that a list prints.
const LIST_MAX: u64 = 10_000;
/// The state of work that is not final and has no task.
const LOST: &str = "lost";

/// List the work that has not ended, or give work a task again.
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
    /// List tasks that have not ended, oldest first, then work that has lost its task.
    List(List),
    /// Make a task for work that has lost it, and let tasks wait again that have used their tries.
    Requeue(Requeue),
}

#[derive(Debug, Args)]
struct List {
    /// Only what is in this state: waiting, running, sent (NATS has it), failed (its tries are used) or lost (no task).
    #[arg(long, value_parser = ["waiting", "running", "sent", "failed", LOST])]
    state: Option<String>,
    /// Most tasks to print, up to 10000.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=LIST_MAX))]
    limit: u64,
    /// Print them as a JSON array.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Requeue {
    /// What `tributary tasks list` shows: a number for a task that failed, as `search:204` for work that is lost.
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    ids: Vec<String>,
    /// Everything that failed or is lost.
    #[arg(long)]
    all: bool,
}

/// One line of the list.
#[derive(Debug, PartialEq, Serialize)]
struct Row {
    id: String,
    kind: String,
    /// None: the service itself.
    owner: Option<String>,
    state: &'static str,
    age_seconds: i64,
    attempts: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    last_error: String,
}

impl TasksCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let wired = place.open_existing().await?;
        let code = match self.action {
            Action::List(list) => list.run(&wired).await?,
            Action::Requeue(requeue) => requeue.run(&wired).await?,
        };
        wired.store.close().await;
        Ok(code)
    }
}

impl List {
    async fn run(self, wired: &Wired) -> anyhow::Result<ExitCode> {
        let now = wired.clock.now();
        let wanted = |state: &str| self.state.as_deref().is_none_or(|only| only == state);
        let read_max = if self.state.is_some() { LIST_MAX } else { self.limit };
        let mut names = OwnerNames::default();
        let mut rows = Vec::new();
        for task in wired.store.unfinished_tasks(None, read_max, now).await? {
            if wanted(task.state.as_str()) {
                rows.push(Row {
                    id: task.id.to_string(),
                    kind: task.name,
                    owner: names.of(wired, task.owner).await?,
                    state: task.state.as_str(),
                    age_seconds: seconds_since(task.date_created, now),
                    attempts: task.attempts,
                    last_error: task.last_error,
                });
            }
        }
        for work in wired.reconciler().orphans().await?.into_iter().filter(|_| wanted(LOST)) {
            rows.push(Row {
                id: id_of(&work),
                kind: work.task.name.clone(),
                owner: names.of(wired, Some(work.owner)).await?,
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
    async fn run(self, wired: &Wired) -> anyhow::Result<ExitCode> {
        let orphans = wired.reconciler().orphans().await?;
        let ids = match self.all {
            true => everything(wired, &orphans).await?,
            false => self.ids,
        };
        let mut has_failed = false;
        for id in &ids {
            match requeue(wired, id, &orphans).await? {
                Ok(done) => terminal::line(done),
                Err(refused) => {
                    has_failed = true;
                    terminal::note(format!("tributary: {refused}"));
                }
            }
        }
        if ids.is_empty() {
            terminal::line("Nothing has failed or lost its task.");
        }
        Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// Work whose task was given up is asked for by its task.
async fn everything(wired: &Wired, orphans: &[OrphanedWork]) -> anyhow::Result<Vec<String>> {
    let tasks = wired.store.unfinished_tasks(None, u64::MAX, wired.clock.now()).await?;
    let failed = tasks.iter().filter(|task| task.state == TaskState::Failed).map(|task| task.id.to_string());
    Ok(failed.chain(orphans.iter().filter(|work| !work.is_given_up).map(id_of)).collect())
}

/// The inner error says why this one cannot be done.
async fn requeue(
    wired: &Wired,
    id: &str,
    orphans: &[OrphanedWork],
) -> Result<Result<String, String>, StoreError> {
    let now = wired.clock.now();
    if let Some(work) = orphans.iter().find(|work| id_of(work) == id) {
        let task = wired.store.push_task(work.task.clone(), now).await?;
        return Ok(Ok(format!("{id} has the task {task} now.")));
    }
    let Ok(task) = id.parse::<i64>() else {
        return Ok(Err(format!(
            "'{id}' has not lost its task; `tributary tasks list --state lost` shows what has"
        )));
    };
    Ok(match wired.store.retry_failed(TaskId(task), now).await? {
        true => Ok(format!("Task {task} waits again.")),
        false => Err(format!(
            "no task {task} has failed; `tributary tasks list --state failed` shows those that have"
        )),
    })
}

fn id_of(work: &OrphanedWork) -> String {
    format!("{}:{}", work.kind, work.id)
}

/// The names of owners, each read once.
#[derive(Default)]
struct OwnerNames(BTreeMap<UserId, String>);

impl OwnerNames {
    async fn of(&mut self, wired: &Wired, owner: Option<UserId>) -> Result<Option<String>, StoreError> {
        let Some(owner) = owner else { return Ok(None) };
        if let Some(name) = self.0.get(&owner) {
            return Ok(Some(name.clone()));
        }
        let name = match wired.store.user(owner).await {
            Ok(user) => user.username,
            Err(StoreError::NotFound) => format!("user {owner}, who is gone"),
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

/// For people: in the largest unit of which there are two.
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
