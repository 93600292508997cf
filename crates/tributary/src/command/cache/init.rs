//! `tributary init_qdrant` and `tributary init_storage`: create the storage of the semantic cache.

use super::counted;
use crate::command::CliContext;
use crate::terminal;
use clap::Args;

/// Create the vector collection of the semantic cache if it is missing. The service does the same at startup.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  SVC_QDRANT_MODE=external SVC_QDRANT_URL=http://qdrant:6333 tributary init_qdrant")]
pub struct InitQdrant {}

/// Create the folder or bucket for the texts of the semantic cache if it is missing. The service does the same at
/// startup.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  SVC_STORAGE_BACKEND=s3 SVC_STORAGE_ENDPOINT=http://seaweed:8333 tributary init_storage")]
pub struct InitStorage {}

impl InitQdrant {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let state = app.corpus.prepare_vectors().await?;
        terminal::line(format!(
            "The collection {} is ready: {}, {} dimensions, {} sparse vectors.",
            domain::corpus::COLLECTION,
            counted(state.chunks, "chunk"),
            state.dimension.map_or_else(|| "any number of".to_owned(), |count| count.to_string()),
            if state.is_hybrid { "with" } else { "without" }
        ));
        app.store.close().await;
        Ok(())
    }
}

impl InitStorage {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        app.corpus.prepare_bodies().await?;
        let backend = app.settings.storage_backend.as_str();
        terminal::line(format!("The text storage ({backend}) is ready."));
        app.store.close().await;
        Ok(())
    }
}
