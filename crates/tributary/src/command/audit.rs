//! `tributary audit`: lists and verifies the audit log.

use super::{CliContext, exit_codes};
use crate::terminal;
use anyhow::Context;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::{Args, Subcommand};
use domain::audit::{AuditEntry, AuditFilter};
use domain::ports::AuditStore;
use serde_json::Value;
use std::process::ExitCode;

/// Maximum of `--limit`.
const LIST_MAX: u64 = 10_000;

/// Show the audit log, or verify it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary audit list
  tributary audit list --kind user --since 2026-11-01T00:00:00Z
  tributary audit list --record \"Articles - arXiv\" --json
  tributary audit verify")]
pub struct AuditCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List entries, newest first.
    List(List),
    /// Verify the whole log: exit code 0 if it is intact, 4 otherwise.
    Verify {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct List {
    /// Only entries about this kind of record, e.g. `searchprovider` or `user`.
    #[arg(long)]
    kind: Option<String>,
    /// Only entries by this user (name or id), or by `command line`.
    #[arg(long)]
    actor: Option<String>,
    /// Only entries with this action, e.g. `deleted`.
    #[arg(long)]
    action: Option<String>,
    /// Only entries about the record with this name or id.
    #[arg(long)]
    record: Option<String>,
    /// Only entries since this time, e.g. 2026-11-01 or 2026-11-01T00:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<DateTime<Utc>>,
    /// Only entries before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<DateTime<Utc>>,
    /// Maximum number of entries, up to 10000.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=LIST_MAX))]
    limit: u64,
    /// Print a JSON array.
    #[arg(long)]
    json: bool,
}

impl AuditCommand {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let app = cli.open_existing().await?;
        let code = match self.action {
            Action::List(list) => {
                let (limit, json) = (list.limit, list.json);
                let page = app.store.audit_entries(&list.filter(), 0, limit).await?;
                show(&page.items, page.total, json)?;
                ExitCode::SUCCESS
            }
            Action::Verify { json } => {
                let report = app.store.verify_audit().await?;
                if json {
                    terminal::line(serde_json::to_string_pretty(&report)?);
                } else {
                    terminal::line(format!("{} Last hash: {}", report.detail, shown(&report.hash)));
                }
                if report.ok { ExitCode::SUCCESS } else { exit_codes::audit_broken() }
            }
        };
        app.store.close().await;
        Ok(code)
    }
}

impl List {
    fn filter(self) -> AuditFilter {
        let Self { kind, actor, action, record, since, until, .. } = self;
        AuditFilter { kind, actor, action, record, since, until }
    }
}

fn show(entries: &[AuditEntry], total: u64, json: bool) -> anyhow::Result<()> {
    if json {
        terminal::line(serde_json::to_string_pretty(entries)?);
        return Ok(());
    }
    for entry in entries {
        let AuditEntry { id, time, actor, action, kind, record_name, .. } = entry;
        let time = domain::instant::display(*time);
        let record = entry.record_id.map_or(String::new(), |id| format!(" {id}"));
        let address = if entry.client_address.is_empty() { "-" } else { &entry.client_address };
        terminal::line(format!(
            "{id:>6}  {time}  {actor} ({address})  {action} {kind}{record} {}",
            quoted(record_name)
        ));
        for (field, change) in &entry.changes {
            terminal::line(format!("          {field}: {} -> {}", change["from"], change["to"]));
        }
    }
    terminal::line(format!("{} of {total} entries.", entries.len()));
    Ok(())
}

/// Quotes a user-supplied name and escapes control characters.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

fn shown(hash: &str) -> &str {
    if hash.is_empty() { "none" } else { hash }
}

/// Parses a timestamp, or a date as its beginning in UTC.
fn time(text: &str) -> anyhow::Result<DateTime<Utc>> {
    let day = || text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    text.parse().or_else(|_| day()).context("use the form 2026-11-01 or 2026-11-01T00:00:00Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_moments_or_days() {
        let table = [
            ("2026-11-01", Some("2026-11-01T00:00:00+00:00")),
            ("2026-11-01T08:30:00Z", Some("2026-11-01T08:30:00+00:00")),
            ("2026-11-01T08:30:00+02:00", Some("2026-11-01T06:30:00+00:00")),
            ("yesterday", None),
            ("2026-13-01", None),
            ("", None),
        ];
        for (text, want) in table {
            assert_eq!(time(text).ok().map(|time| time.to_rfc3339()).as_deref(), want, "{text}");
        }
        assert!(time("yesterday").unwrap_err().to_string().contains("2026-11-01"));
    }
}
