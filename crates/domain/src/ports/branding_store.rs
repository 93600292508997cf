//! Storage of brandings; at most one of them is active.

use super::StoreError;
use crate::branding::{Branding, BrandingSpec};
use crate::ids::BrandingId;
use crate::instant::Instant;
use async_trait::async_trait;

#[async_trait]
pub trait BrandingStore: BrandingEdits {
    /// Activates the new branding. A name that is in use is `Taken("name")`.
    async fn create_branding(&self, spec: BrandingSpec, now: Instant) -> Result<Branding, StoreError>;
    async fn branding(&self, id: BrandingId) -> Result<Branding, StoreError>;
    /// All brandings by id.
    async fn brandings(&self) -> Result<Vec<Branding>, StoreError>;
    async fn active_branding(&self) -> Result<Option<Branding>, StoreError>;
}

/// Edits and deletions of brandings; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait BrandingEdits: Send + Sync {
    /// Activates the replaced branding.
    async fn replace_branding(
        &self,
        id: BrandingId,
        spec: BrandingSpec,
        now: Instant,
    ) -> Result<Branding, StoreError>;
    async fn activate_branding(&self, id: BrandingId, now: Instant) -> Result<Branding, StoreError>;
    async fn delete_branding(&self, id: BrandingId) -> Result<(), StoreError>;
}
