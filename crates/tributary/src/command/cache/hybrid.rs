//! `tributary upgrade_corpus_to_hybrid`: adds sparse vectors to the semantic cache.

use super::{counted, progress};
use crate::command::CliContext;
use crate::terminal;
use clap::Args;

/// Add sparse (BM25) vectors to the semantic cache of an earlier version. Run once before setting SVC_CORPUS_HYBRID;
/// running it again is harmless.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary upgrade_corpus_to_hybrid
  SVC_CORPUS_HYBRID=True tributary serve")]
pub struct Upgrade {}

impl Upgrade {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let done = app.corpus.upgrade_to_hybrid(&progress).await?;
        terminal::progress("");
        terminal::line(format!(
            "{} of {} have sparse vectors{}.",
            counted(done.pieces, "chunk"),
            counted(done.documents, "document"),
            if done.was_hybrid { "; the collection was already hybrid" } else { "" }
        ));
        terminal::line("Searches of the cache use them from now on.");
        app.store.close().await;
        Ok(())
    }
}
