//! `tributary init_qdrant` and `tributary init_storage`: what must be there before the first document.

use super::counted;
use crate::command::Place;
use crate::terminal;
use clap::Args;

/// Make the collection of vectors of the semantic cache where it is missing. The service does the same at start.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  SVC_QDRANT_MODE=external SVC_QDRANT_URL=http://qdrant:6333 tributary init_qdrant")]
pub struct InitQdrant {}

/// Make the folder or the bucket of the semantic cache's texts where it is missing. The service does the same at start.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  SVC_STORAGE_BACKEND=s3 SVC_STORAGE_ENDPOINT=http://seaweed:8333 tributary init_storage")]
pub struct InitStorage {}

impl InitQdrant {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        let state = wired.corpus.prepare_vectors().await?;
        terminal::line(format!(
            "The collection {} is ready: {}, {} dimensions, {} words.",
            domain::corpus::COLLECTION,
            counted(state.chunks, "piece"),
            state.dimension.map_or_else(|| "any number of".to_owned(), |count| count.to_string()),
            if state.is_hybrid { "with" } else { "without" }
        ));
        wired.store.close().await;
        Ok(())
    }
}

impl InitStorage {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        wired.corpus.prepare_bodies().await?;
        let backend = wired.settings.storage_backend.as_str();
        terminal::line(format!("The storage of texts ({backend}) is ready."));
        wired.store.close().await;
        Ok(())
    }
}
