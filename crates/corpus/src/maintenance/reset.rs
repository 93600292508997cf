//! Removes all documents, or those of a matter.

use super::error::MaintenanceError;
use super::iterate::{DocumentBatches, Progress, count};
use super::reconcile::Repair;
use crate::{CacheParts, SemanticCache};
use domain::corpus::{MatterTag, OwnedVisibility, Signal};
use domain::ports::{BodyKey, SignalFilter, StoreError};

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    pub documents: u64,
    pub pieces: u64,
    /// Texts that no other document needed.
    pub bodies: u64,
}

impl SemanticCache {
    /// Number of documents that a reset would remove.
    pub async fn to_be_reset(&self, matter_tag: Option<&MatterTag>) -> Result<u64, StoreError> {
        let filter = SignalFilter {
            matter_tag: matter_tag.cloned(),
            ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
        };
        Ok(self.parts.store.find_signals(&filter, 0, 1).await?.total)
    }

    /// Removes documents with their chunks, texts and grants. Without a tag everything is removed from all stores.
    pub async fn reset(
        &self,
        matter_tag: Option<&MatterTag>,
        progress: Progress<'_>,
    ) -> Result<Removal, MaintenanceError> {
        let parts = &self.parts;
        let total = count(&*parts.store).await?;
        let mut removal = Removal::default();
        let (mut seen, mut batches) = (0, DocumentBatches::over(&*parts.store));
        loop {
            let some = batches.next().await?;
            if some.is_empty() {
                break;
            }
            seen += some.len() as u64;
            let has_tag = |signal: &Signal| matter_tag.is_none_or(|tag| tag.is_among(&signal.matter_tags));
            let wanted: Vec<Signal> = some.into_iter().filter(has_tag).collect();
            remove(parts, &wanted, &mut removal).await?;
            progress(seen, total.max(seen));
        }
        if matter_tag.is_none() {
            // Remove leftovers of an interrupted removal as well.
            self.reconcile(Repair::All).await?;
        }
        Ok(removal)
    }
}

/// Records are removed first: then nobody finds the documents, whatever happens to the rest.
async fn remove(
    parts: &CacheParts,
    documents: &[Signal],
    removal: &mut Removal,
) -> Result<(), MaintenanceError> {
    let mut bodies: Vec<BodyKey> = Vec::new();
    let mut ids = Vec::new();
    for signal in documents {
        match parts.store.remove_signal(signal.signal_id).await {
            Ok(unneeded) => bodies.extend(unneeded),
            Err(StoreError::NotFound) => continue,
            Err(error) => return Err(error.into()),
        }
        ids.push(signal.signal_id);
        removal.documents += 1;
        removal.pieces += u64::from(signal.chunk_count);
    }
    if !ids.is_empty() {
        parts.vectors.remove(&ids).await?;
    }
    for key in bodies {
        // The same text may have been ingested again in the meantime.
        if !parts.store.has_body(&key).await? {
            parts.bodies.delete(&key).await?;
            removal.bodies += 1;
        }
    }
    Ok(())
}
