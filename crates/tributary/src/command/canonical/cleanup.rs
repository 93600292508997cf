//! `tributary cleanup_stale_canonical_runs`: elections that nobody decided for long leave the review queue.

use crate::command::Place;
use crate::command::cache::counted;
use crate::terminal;
use clap::Args;
use corpus::canonical::STALE_AFTER_DAYS;

/// Longest time that may be named: a hundred years.
const DAYS_MAX: i64 = 36_500;

/// Make elections stale that nobody decided for long. What they chose is chosen again by the next search. The service does
/// the same every day.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary cleanup_stale_canonical_runs --dry-run     how many there are
  tributary cleanup_stale_canonical_runs
  tributary cleanup_stale_canonical_runs --days 7")]
pub struct Cleanup {
    /// Those that are older than so many days.
    #[arg(long, default_value_t = STALE_AFTER_DAYS, value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
    days: u32,
    /// Only count them.
    #[arg(long)]
    dry_run: bool,
}

impl Cleanup {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        let count = wired.corpus.retire_runs(self.days, self.dry_run).await?;
        let (elections, age) = (counted(count, "open election"), counted(self.days.into(), "day"));
        terminal::line(match self.dry_run {
            true => format!("{elections} older than {age} would become stale. Nothing was changed."),
            false => format!("{elections} older than {age} became stale."),
        });
        wired.store.close().await;
        Ok(())
    }
}
