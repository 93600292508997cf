//! `tributary reindex_corpus`: re-embeds all documents after a change of the embedding model.

use super::{counted, progress};
use crate::command::CliContext;
use crate::terminal;
use clap::Args;

/// Re-embed all documents of the semantic cache with the current embedding model. Nothing is fetched.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary reindex_corpus
  tributary reindex_corpus --data-dir /var/lib/tributary")]
pub struct Reindex {}

impl Reindex {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let done = app.corpus.reindex(&progress).await?;
        terminal::progress("");
        terminal::line(format!(
            "{} of {} were embedded by {} ({} dimensions).",
            counted(done.pieces, "chunk"),
            counted(done.documents, "document"),
            done.model,
            done.dimension
        ));
        if done.skipped > 0 {
            terminal::line(format!(
                "{} changed meanwhile and kept their new vectors.",
                counted(done.skipped, "document")
            ));
        }
        app.store.close().await;
        Ok(())
    }
}
