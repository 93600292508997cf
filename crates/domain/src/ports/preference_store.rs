//! Storage of ranking preferences.

use super::StoreError;
use crate::ids::UserId;
use crate::instant::Instant;
use crate::preferences::Preferences;
use async_trait::async_trait;

/// The preferences of each user; they are deleted with the user.
#[async_trait]
pub trait PreferenceStore: PreferenceEdits {
    /// Empty for a user without any.
    async fn preferences(&self, user: UserId) -> Result<Preferences, StoreError>;
}

/// Edits of preferences; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait PreferenceEdits: Send + Sync {
    /// Replaces what was stored.
    async fn save_preferences(
        &self,
        user: UserId,
        preferences: Preferences,
        now: Instant,
    ) -> Result<(), StoreError>;
}
