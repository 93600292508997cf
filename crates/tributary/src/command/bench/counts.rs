//! What one search costs in instructions, allocations, statements and context switches. Unlike times, these counts
//! hardly depend on the machine and its load.

use super::Bench;
use super::nodes::Callgrind;
use super::profile::Profile;
use super::series::warm_up;
use super::service::{Instrumentation, Service};
use super::sources::Sources;
use crate::{logs, terminal};
use anyhow::Context;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// Maximum number of counted searches: counts hardly vary, and each search takes a second.
const COUNTED_MAX: u32 = 20;
/// Part of the log line of a statement.
const STATEMENT: &str = "\"target\":\"sqlx::query\"";
/// The log is complete if it has not grown for this long; and how often that is checked.
const QUIET: Duration = Duration::from_millis(300);
const QUIET_CHECKS_MAX: u32 = 20;

/// Means per search; `None` if not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(super) struct Counts {
    /// In user space.
    pub instructions_per_search: Option<u64>,
    /// New blocks, of Rust code and of C code such as SQLite.
    pub allocations_per_search: Option<f64>,
    /// Blocks that were resized.
    pub reallocations_per_search: Option<f64>,
    /// Calls of the database without `BEGIN` and `COMMIT`; a batch of statements is one call.
    pub statements_per_search: Option<f64>,
    /// Prepared statements that SQLite compiled again.
    pub reprepared_statements_per_search: Option<f64>,
    /// Voluntary and involuntary, of all threads.
    pub context_switches_per_search: Option<f64>,
}

impl Counts {
    /// The counts by the ids of their figures, in the units of the figures.
    pub(super) fn figures(&self) -> [(&'static str, Option<f64>); 5] {
        [
            ("search_instructions", self.instructions_per_search.map(|count| count as f64 / 1e6)),
            ("search_allocations", self.allocations_per_search),
            ("search_statements", self.statements_per_search),
            ("search_reprepared", self.reprepared_statements_per_search),
            ("search_context_switches", self.context_switches_per_search),
        ]
    }

    fn add_profile(&mut self, profile: &Profile, searches: u32) {
        let each = |count: u64| per_search(count, searches);
        self.instructions_per_search = Some(profile.instructions / u64::from(searches.max(1)));
        if let Some(calls) = &profile.calls {
            self.allocations_per_search = Some(each(calls.allocations).round());
            self.reallocations_per_search = Some(each(calls.reallocations).round());
            self.reprepared_statements_per_search = Some(each(calls.reprepared_statements));
        }
    }
}

impl Bench {
    /// Counts the work of searches in two further services: callgrind makes one slow, the log the other.
    pub(super) async fn count_work(
        &self,
        folder: &Path,
        sources: &Sources,
        callgrind: &Callgrind,
    ) -> anyhow::Result<Counts> {
        let mut counts = Counts::default();
        let searches = self.searches.min(COUNTED_MAX);

        let (folder, log_folder) = (folder.join("callgrind"), folder.join("statements"));
        let service = self.start_service(&folder, sources, 0, Instrumentation::Callgrind(callgrind)).await?;
        warm_up(&service, sources).await?;
        callgrind.reset(&service.node).await?;
        search(&service, sources, searches, "instructions").await?;
        counts.add_profile(&callgrind.count(&service.node).await?, searches);
        service.node.stop().await?;

        let service = self.start_service(&log_folder, sources, 0, Instrumentation::StatementLog).await?;
        warm_up(&service, sources).await?;
        let before = read_statements(&log_folder).await?;
        search(&service, sources, searches, "statements").await?;
        let statements = read_statements(&log_folder).await?.saturating_sub(before);
        counts.statements_per_search = Some(per_search(statements, searches));
        service.node.stop().await?;
        Ok(counts)
    }
}

async fn search(service: &Service, sources: &Sources, searches: u32, counted: &str) -> anyhow::Result<()> {
    for number in 1..=searches {
        service.client.search(sources.workload.shape.sources).await?;
        terminal::progress(format!("{counted}: {number} of {searches} searches"));
    }
    terminal::progress("");
    Ok(())
}

/// With two decimals.
fn per_search(count: u64, searches: u32) -> f64 {
    (count as f64 / f64::from(searches.max(1)) * 100.0).round() / 100.0
}

/// Number of statements in the log, once it is complete: a search ends after its response, and lines are written in the
/// background.
async fn read_statements(data_dir: &Path) -> anyhow::Result<u64> {
    let folder = logs::folder(data_dir);
    let mut count = count_statements(&folder)?;
    for _ in 0..QUIET_CHECKS_MAX {
        tokio::time::sleep(QUIET).await;
        let now = count_statements(&folder)?;
        if now == count {
            break;
        }
        count = now;
    }
    Ok(count)
}

/// Counts the lines of statements in all files of the folder.
fn count_statements(folder: &Path) -> anyhow::Result<u64> {
    let mut count = 0;
    for file in std::fs::read_dir(folder).context("the service has no log folder")? {
        let text = std::fs::read(file?.path())?;
        let lines = String::from_utf8_lossy(&text).lines().filter(|line| line.contains(STATEMENT)).count();
        count += lines as u64;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::super::profile::Calls;
    use super::*;

    #[test]
    fn counts_are_means() {
        let calls = Calls { allocations: 240_001, reallocations: 41, reprepared_statements: 5 };
        let mut counts = Counts::default();
        counts.add_profile(&Profile { instructions: 840_000_010, calls: Some(calls) }, 20);
        let figures = counts.figures();
        assert_eq!(figures[0], ("search_instructions", Some(42.0)));
        assert_eq!(figures[1], ("search_allocations", Some(12_000.0)));
        assert_eq!(figures[3], ("search_reprepared", Some(0.25)));
        assert_eq!((figures[2].1, figures[4].1), (None, None), "they are counted elsewhere");

        let mut without_symbols = Counts::default();
        without_symbols.add_profile(&Profile { instructions: 100, calls: None }, 20);
        let expected = Counts { instructions_per_search: Some(5), ..Counts::default() };
        assert_eq!(without_symbols, expected);
    }

    #[test]
    fn statements_are_lines_of_the_driver() {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("{{\"fields\":{{}},{STATEMENT}}}\n");
        std::fs::write(folder.path().join("django.log"), line.repeat(3) + "{\"target\":\"server\"}\n")
            .unwrap();
        std::fs::write(folder.path().join("tasks-search-worker.log.1"), line.repeat(2)).unwrap();
        assert_eq!(count_statements(folder.path()).unwrap(), 5);
        assert!(count_statements(&folder.path().join("missing")).is_err());
    }
}
