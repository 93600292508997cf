//! Branding: several brandings are kept, one of them at most is in use.

use super::StoreError;
use crate::branding::{Branding, BrandingSpec};
use crate::ids::BrandingId;
use crate::instant::Instant;
use async_trait::async_trait;

#[async_trait]
pub trait BrandingStore: Send + Sync {
    /// The new one is in use. A taken name is `Taken("name")`.
    async fn create_branding(&self, spec: BrandingSpec, now: Instant) -> Result<Branding, StoreError>;
    async fn branding(&self, id: BrandingId) -> Result<Branding, StoreError>;
    /// All of them by id.
    async fn brandings(&self) -> Result<Vec<Branding>, StoreError>;
    /// The one in use.
    async fn active_branding(&self) -> Result<Option<Branding>, StoreError>;
    /// What was saved last is in use.
    async fn replace_branding(
        &self,
        id: BrandingId,
        spec: BrandingSpec,
        now: Instant,
    ) -> Result<Branding, StoreError>;
    /// From now on this one is in use.
    async fn activate_branding(&self, id: BrandingId, now: Instant) -> Result<Branding, StoreError>;
    async fn delete_branding(&self, id: BrandingId) -> Result<(), StoreError>;
}
