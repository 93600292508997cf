//! The pin that counts for a topic and a person.

use crate::CacheParts;
use domain::contracts::StoreError;
use domain::corpus::{AclToken, Pin, Signal, Topic};
use domain::ids::SignalId;

/// Of the pins of this query, the one of the strongest scope whose document somebody with these tokens may see: a matter's
/// before the firm's. A pin of a document that they may not see is none for them.
pub async fn pinned(
    parts: &CacheParts,
    tokens: &[AclToken],
    topic: Topic<'_>,
) -> Result<Option<(Pin, Signal)>, StoreError> {
    let key = topic.key();
    if key.is_empty() {
        return Ok(None);
    }
    let pins = parts.store.pins_for(&key, &topic.scopes()).await?;
    if pins.is_empty() {
        return Ok(None);
    }
    let ids: Vec<SignalId> = pins.iter().map(|pin| pin.signal_id).collect();
    let mut seen = parts.store.signals(&ids, Some(tokens)).await?;
    let found = pins.into_iter().find_map(|pin| {
        let place = seen.iter().position(|signal| signal.signal_id == pin.signal_id)?;
        Some((pin, seen.swap_remove(place)))
    });
    Ok(found)
}
