//! `cache` on a result: that it comes from the cache, and how far it can be believed.

use super::{Liveness, Signal, SignalState};
use crate::ids::SignalId;
use crate::instant::Instant;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The word on the badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub enum Badge {
    #[default]
    Cached,
    Pinned,
    #[serde(rename = "Auto-selected")]
    AutoSelected,
    Alternate,
}

/// What a result from the cache says of its document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CacheMark {
    pub signal_id: SignalId,
    pub state: SignalState,
    pub badge: Badge,
    /// When the copy was last known to be what the source has.
    pub last_verified: Option<DateTime<Utc>>,
    pub liveness: Liveness,
    /// True when that was longer ago than `SVC_CACHE_LIVENESS_RECHECK_SECONDS`.
    pub stale: bool,
    pub shared_externally: bool,
    pub matter_tags: Vec<String>,
}

impl CacheMark {
    /// The mark of a document as it stands now.
    pub fn of(signal: &Signal, now: Instant, recheck: Duration) -> Self {
        let age = |verified: Instant| (now - verified).to_std().unwrap_or_default();
        Self {
            signal_id: signal.signal_id,
            state: signal.state,
            badge: match signal.state {
                SignalState::Pinned => Badge::Pinned,
                SignalState::Known | SignalState::Indexed => Badge::Cached,
            },
            last_verified: signal.last_verified,
            liveness: signal.liveness,
            stale: signal.last_verified.is_none_or(|verified| age(verified) > recheck),
            shared_externally: false,
            matter_tags: signal.matter_tags.clone(),
        }
    }
}
