//! `tributary dedup_signal_url_hash`: cached records that are equal in address, source and text.

use super::counted;
use crate::command::Place;
use crate::terminal;
use clap::Args;

/// Find records of the semantic cache that are equal in address, source and text; with --apply, join them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary dedup_signal_url_hash            what would be done
  tributary dedup_signal_url_hash --apply")]
pub struct Dedup {
    /// Do it.
    #[arg(long)]
    apply: bool,
}

impl Dedup {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        let found = wired.corpus.dedup(self.apply).await?;
        for (from, into) in &found.named {
            terminal::line(format!("document {from} is document {into}"));
        }
        let more = found.merged - found.named.len() as u64;
        if more > 0 {
            terminal::line(format!("and {more} more"));
        }
        let (joined, renamed) = match found.is_applied {
            true => ("joined with others", "got their address in its present form"),
            false => ("would be joined with others", "would get their address in its present form"),
        };
        terminal::line(format!(
            "{} looked at: {} {joined}, {} {renamed}, {} left because their address cannot be read.",
            counted(found.documents, "document"),
            found.merged,
            found.readdressed,
            found.unreadable
        ));
        if !found.is_applied && found.merged + found.readdressed > 0 {
            terminal::line("Nothing was changed; --apply does it.");
        }
        wired.store.close().await;
        Ok(())
    }
}
