//! `tributary drop_entity_collection`: a collection of earlier days out of the vector store.

use super::counted;
use crate::command::Place;
use crate::{cache_wiring, terminal};
use clap::Args;
use corpus::upkeep::{ENTITY_COLLECTION, drop_collection};

/// Remove the collection `swirl_entities`, which nobody reads any more, from the Qdrant server; without --yes, say what
/// would be removed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary drop_entity_collection           what would be removed
  tributary drop_entity_collection --yes")]
pub struct DropEntities {
    /// Do it.
    #[arg(long)]
    yes: bool,
}

impl DropEntities {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let settings = place.read(&[])?.settings;
        let Some(vectors) = cache_wiring::collection(&settings, ENTITY_COLLECTION)? else {
            terminal::line(format!(
                "There is no {ENTITY_COLLECTION}: the vectors are not in a Qdrant server (SVC_QDRANT_MODE)."
            ));
            return Ok(());
        };
        let said = match drop_collection(&*vectors, self.yes).await? {
            None => format!("There is no collection {ENTITY_COLLECTION}, or nothing is in it."),
            Some(pieces) if self.yes => {
                format!("Removed {ENTITY_COLLECTION} with {}.", counted(pieces, "piece"))
            }
            Some(pieces) => format!(
                "{ENTITY_COLLECTION} with {} would be removed. Nothing was changed; --yes does it.",
                counted(pieces, "piece")
            ),
        };
        terminal::line(said);
        Ok(())
    }
}
