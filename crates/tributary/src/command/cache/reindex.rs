//! `tributary reindex_corpus`: all pieces are read again, after another reader model was chosen.

use super::{counted, progress};
use crate::command::Place;
use crate::terminal;
use clap::Args;

/// Read all pieces of the semantic cache again with the reader model of now. Nothing is fetched.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary reindex_corpus
  tributary reindex_corpus --data-dir /var/lib/tributary")]
pub struct Reindex {}

impl Reindex {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        let done = wired.corpus.reindex(&progress).await?;
        terminal::progress("");
        terminal::line(format!(
            "{} of {} were read by {} ({} dimensions).",
            counted(done.pieces, "piece"),
            counted(done.documents, "document"),
            done.model,
            done.dimension
        ));
        if done.skipped > 0 {
            terminal::line(format!(
                "{} changed meanwhile and kept the vectors that came with the change.",
                counted(done.skipped, "document")
            ));
        }
        wired.store.close().await;
        Ok(())
    }
}
