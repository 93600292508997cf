//! `tributary cleanup_stale_canonical_runs`: marks old undecided elections as stale.

use crate::command::CliContext;
use crate::command::cache::counted;
use crate::terminal;
use clap::Args;
use corpus::canonical::STALE_AFTER_DAYS;
use domain::ports::WriteMode;

/// Maximum of `--days`: a hundred years.
const DAYS_MAX: i64 = 36_500;

/// Mark old undecided elections as stale, which removes them from the review queue. The next search holds a new
/// election. The service does the same every day.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary cleanup_stale_canonical_runs --dry-run     count them only
  tributary cleanup_stale_canonical_runs
  tributary cleanup_stale_canonical_runs --days 7")]
pub struct Cleanup {
    /// Minimum age in days.
    #[arg(long, default_value_t = STALE_AFTER_DAYS, value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
    days: u32,
    /// Only count them; change nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Cleanup {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let mode = if self.dry_run { WriteMode::Preview } else { WriteMode::Apply };
        let count = app.corpus.expire_runs(self.days, mode).await?;
        let (elections, age) = (counted(count, "open election"), counted(self.days, "day"));
        terminal::line(if self.dry_run {
            format!("{elections} older than {age} would be marked as stale. Nothing was changed.")
        } else {
            format!("{elections} older than {age} marked as stale.")
        });
        app.store.close().await;
        Ok(())
    }
}
