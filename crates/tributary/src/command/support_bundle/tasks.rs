//! Counts of unfinished tasks and a list of stuck ones, without their owners.

use super::other_command;
use crate::command::CliContext;
use anyhow::bail;
use serde_json::{Map, Value, json};

/// Maximum of `tributary tasks list --limit`.
const READ_MAX: &str = "10000";
/// A task that is unfinished for longer is stuck.
const STUCK_AFTER_SECONDS: i64 = 3600;
/// Maximum number of listed tasks.
const STUCK_MAX: usize = 200;
/// Reported fields of a stuck task.
const FIELDS: [&str; 6] = ["id", "kind", "state", "age_seconds", "attempts", "last_error"];

pub async fn read(cli: &CliContext) -> anyhow::Result<Value> {
    let shown = other_command::run(cli, &["tasks", "list", "--json", "--limit", READ_MAX]).await?;
    match serde_json::from_str(&shown.output) {
        Ok(Value::Array(rows)) => Ok(summary(&rows)),
        _ => bail!("`tributary tasks list` failed: {}", shown.remarks.trim()),
    }
}

fn summary(rows: &[Value]) -> Value {
    let mut counts = Map::new();
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or("unknown").to_owned();
        let of_kind = counts.entry(text("kind")).or_insert_with(|| json!({}));
        let number = of_kind[text("state")].as_u64().unwrap_or(0);
        of_kind[text("state")] = json!(number + 1);
    }
    let is_stuck = |row: &&Value| {
        matches!(row["state"].as_str(), Some("failed" | "lost"))
            || row["age_seconds"].as_i64().is_some_and(|age| age > STUCK_AFTER_SECONDS)
    };
    let reported = |row: &Value| -> Value {
        let field = |name: &&str| Some(((*name).to_owned(), row.get(*name)?.clone()));
        Value::Object(FIELDS.iter().filter_map(field).collect())
    };
    let stuck: Vec<&Value> = rows.iter().filter(is_stuck).collect();
    json!({
        "unfinished": rows.len(),
        "counts": counts,
        "stuck_after_seconds": STUCK_AFTER_SECONDS,
        "stuck_total": stuck.len(),
        "stuck": stuck.into_iter().take(STUCK_MAX).map(reported).collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_counted_and_stuck_ones_listed_without_their_owners() {
        let row = |id: &str, state: &str, age: i64| json!({"id": id, "kind": "run_search", "owner": "anna", "state": state, "age_seconds": age, "attempts": 1});
        let rows = [
            row("1", "waiting", 5),
            row("2", "waiting", 9),
            row("3", "running", 7200),
            row("4", "failed", 9),
        ];
        let reported = summary(&rows);
        assert_eq!(reported["counts"], json!({"run_search": {"waiting": 2, "running": 1, "failed": 1}}));
        let ids: Vec<&Value> = reported["stuck"].as_array().unwrap().iter().map(|task| &task["id"]).collect();
        assert_eq!(ids, ["3", "4"]);
        assert!(!reported.to_string().contains("anna"), "{reported}");
    }
}
