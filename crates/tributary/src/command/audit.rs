//! `tributary audit`: who changed what, and whether the log is as it was written.

use super::{Place, exit_codes};
use crate::terminal;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::{Args, Subcommand};
use domain::audit::{AuditEntry, AuditFilter};
use domain::contracts::AuditStore;
use serde_json::Value;
use std::process::ExitCode;

/// Most entries that a list prints.
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
    /// Read the whole log: exit code 0 when every entry is as it was written, else 4.
    Verify {
        /// Print the verdict as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct List {
    /// Only entries about this kind of record, as `searchprovider` or `user`.
    #[arg(long)]
    kind: Option<String>,
    /// Only entries of this person (name or id), or of `command line`.
    #[arg(long)]
    actor: Option<String>,
    /// Only entries with this action, as `deleted`.
    #[arg(long)]
    action: Option<String>,
    /// Only entries about the record with this name or id.
    #[arg(long)]
    record: Option<String>,
    /// Only entries from this time on, as 2026-11-01 or 2026-11-01T00:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<DateTime<Utc>>,
    /// Only entries before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<DateTime<Utc>>,
    /// Most entries to print, up to 10000.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=LIST_MAX))]
    limit: u64,
    /// Print them as a JSON array.
    #[arg(long)]
    json: bool,
}

impl AuditCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let wired = place.open_existing().await?;
        let code = match self.action {
            Action::List(list) => {
                let (limit, json) = (list.limit, list.json);
                let page = wired.store.audit_entries(&list.filter(), 0, limit).await?;
                show(&page.items, page.total, json)?;
                ExitCode::SUCCESS
            }
            Action::Verify { json } => {
                let report = wired.store.verify_audit().await?;
                match json {
                    true => terminal::line(serde_json::to_string_pretty(&report)?),
                    false => terminal::line(format!("{} Last hash: {}", report.detail, shown(&report.hash))),
                }
                if report.ok { ExitCode::SUCCESS } else { exit_codes::audit_broken() }
            }
        };
        wired.store.close().await;
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
        let place = if entry.client_address.is_empty() { "-" } else { &entry.client_address };
        terminal::line(format!(
            "{id:>6}  {time}  {actor} ({place})  {action} {kind}{record} {}",
            quoted(record_name)
        ));
        for (field, change) in &entry.changes {
            terminal::line(format!("          {field}: {} -> {}", change["from"], change["to"]));
        }
    }
    terminal::line(format!("{} of {total} entries.", entries.len()));
    Ok(())
}

/// In quotes with every control character escaped: names are what people typed.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

fn shown(hash: &str) -> &str {
    if hash.is_empty() { "none" } else { hash }
}

/// A moment, or a day from its beginning in UTC.
fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    text.parse().or_else(|_| day()).map_err(|_| "write it as 2026-11-01 or 2026-11-01T00:00:00Z".to_owned())
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
        assert!(time("yesterday").unwrap_err().contains("2026-11-01"));
    }
}
