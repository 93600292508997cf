//! `tributary dedup_signal_url_hash`: merges cached documents that share a canonical URL, source and text.

use super::counted;
use crate::command::CliContext;
use crate::terminal;
use clap::Args;
use domain::ports::WriteMode;

/// Find cached documents that share a canonical URL, source and text; with --apply, merge them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary dedup_signal_url_hash            show what would change
  tributary dedup_signal_url_hash --apply")]
pub struct Dedup {
    /// Apply the changes.
    #[arg(long)]
    apply: bool,
}

impl Dedup {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let mode = if self.apply { WriteMode::Apply } else { WriteMode::Preview };
        let found = app.corpus.dedup(mode).await?;
        for (from, into) in &found.named {
            terminal::line(format!("document {from} -> document {into}"));
        }
        let more = found.merged - found.named.len() as u64;
        if more > 0 {
            terminal::line(format!("and {more} more"));
        }
        let (joined, renamed) = if found.is_applied {
            ("merged", "got their canonical URL")
        } else {
            ("would be merged", "would get their canonical URL")
        };
        terminal::line(format!(
            "{} checked: {} {joined}, {} {renamed}, {} skipped because of an invalid URL.",
            counted(found.documents, "document"),
            found.merged,
            found.readdressed,
            found.unreadable
        ));
        if !found.is_applied && found.merged + found.readdressed > 0 {
            terminal::line("Nothing was changed; use --apply to apply the changes.");
        }
        app.store.close().await;
        Ok(())
    }
}
