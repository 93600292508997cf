//! Lineages: documents with the same text or the same id at their source.

use crate::CacheParts;
use domain::corpus::Visibility;
use domain::ids::SignalId;
use domain::ports::StoreError;

/// Most documents of a lineage that are considered.
const RELATIVES_MAX: usize = 100;

/// Computes the lineage of a document. All documents with the same text or the same id at their source have the id of
/// the oldest as their lineage id.
pub async fn recompute(parts: &CacheParts, id: SignalId) -> Result<(), StoreError> {
    let signal = parts.store.signal(id).await?;
    let mut relatives = parts.store.relatives(&signal).await?;
    relatives.truncate(RELATIVES_MAX);
    let family = parts.store.signals(&relatives, Visibility::Unrestricted).await?;
    let oldest = family.iter().map(|one| one.lineage_id.unwrap_or(one.signal_id)).chain([id]).min();
    let lineage = oldest.unwrap_or(id);
    if signal.lineage_id != Some(lineage) {
        parts.store.set_lineage(id, lineage, &signal.version_label).await?;
    }
    for one in family.iter().filter(|one| one.lineage_id != Some(lineage)) {
        match parts.store.set_lineage(one.signal_id, lineage, &one.version_label).await {
            Ok(()) | Err(StoreError::NotFound) => {} // removed in the meantime
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
