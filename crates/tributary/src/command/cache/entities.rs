//! `tributary drop_entity_collection`: deletes an obsolete collection from the vector store.

use super::counted;
use crate::command::CliContext;
use crate::corpus::build as corpus_build;
use crate::terminal;
use clap::Args;
use corpus::maintenance::{ENTITY_COLLECTION, drop_collection};
use domain::ports::WriteMode;

/// Delete the obsolete collection `swirl_entities` from the Qdrant server; without --yes, only show what would be
/// deleted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary drop_entity_collection           show what would be deleted
  tributary drop_entity_collection --yes")]
pub struct DropEntities {
    /// Delete the collection.
    #[arg(long)]
    yes: bool,
}

impl DropEntities {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let settings = cli.load_settings(&[])?.settings;
        let Some(vectors) = corpus_build::collection(&settings, ENTITY_COLLECTION)? else {
            terminal::line(format!(
                "No collection {ENTITY_COLLECTION}: the vectors are not stored in a Qdrant server (SVC_QDRANT_MODE)."
            ));
            return Ok(());
        };
        let mode = if self.yes { WriteMode::Apply } else { WriteMode::Preview };
        let said = match drop_collection(&*vectors, mode).await? {
            None => format!("The collection {ENTITY_COLLECTION} does not exist or is empty."),
            Some(pieces) if self.yes => {
                format!("Deleted {ENTITY_COLLECTION} with {}.", counted(pieces, "chunk"))
            }
            Some(pieces) => format!(
                "Would delete {ENTITY_COLLECTION} with {}. Nothing was changed; use --yes to delete it.",
                counted(pieces, "chunk")
            ),
        };
        terminal::line(said);
        Ok(())
    }
}
