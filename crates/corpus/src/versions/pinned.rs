//! The pin that applies to a topic and a person.

use crate::CacheParts;
use domain::corpus::{AclToken, Pin, Signal, Topic, Visibility};
use domain::ids::SignalId;
use domain::ports::StoreError;

/// Of the pins of this query, the one with the strongest scope whose document the holder of these tokens may see: a
/// matter before the firm. A pin of a hidden document does not apply.
pub async fn pinned(
    parts: &CacheParts,
    tokens: &[AclToken],
    topic: Topic<'_>,
) -> Result<Option<(Pin, Signal)>, StoreError> {
    let key = topic.key();
    if key.is_empty() {
        return Ok(None);
    }
    let scopes = topic.scopes();
    let mut pins = parts.store.pins_for(&key, &scopes).await?;
    if let Some(older) = topic.older_key().filter(|_| pins.is_empty()) {
        pins = parts.store.pins_for(&older, &scopes).await?;
    }
    if pins.is_empty() {
        return Ok(None);
    }
    let ids: Vec<SignalId> = pins.iter().map(|pin| pin.signal_id).collect();
    let mut seen = parts.store.signals(&ids, Visibility::To(tokens)).await?;
    let found = pins.into_iter().find_map(|pin| {
        let position = seen.iter().position(|signal| signal.signal_id == pin.signal_id)?;
        Some((pin, seen.swap_remove(position)))
    });
    Ok(found)
}
