//! `tributary upgrade_corpus_to_hybrid`: words for the vectors of the cache, once.

use super::{counted, progress};
use crate::command::Place;
use crate::terminal;
use clap::Args;

/// Give the vectors of the semantic cache their words, once, before SVC_CORPUS_HYBRID is set. Running it again is fine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary upgrade_corpus_to_hybrid
  SVC_CORPUS_HYBRID=True tributary serve")]
pub struct Upgrade {}

impl Upgrade {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        let done = wired.corpus.upgrade_to_hybrid(&progress).await?;
        terminal::progress("");
        terminal::line(format!(
            "{} of {} have their words{}.",
            counted(done.pieces, "piece"),
            counted(done.documents, "document"),
            if done.was_hybrid { " again; the collection was hybrid before" } else { " now" }
        ));
        if !wired.settings.corpus_hybrid {
            terminal::line("Set SVC_CORPUS_HYBRID=True and start the service again to search by them.");
        }
        wired.store.close().await;
        Ok(())
    }
}
