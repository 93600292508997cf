//! Storage of search providers.

use super::StoreError;
use crate::ids::{ProviderId, UserId};
use crate::instant::Instant;
use crate::provider::{ProviderSpec, SearchProvider};
use async_trait::async_trait;

#[async_trait]
pub trait ProviderStore: ProviderEdits {
    /// Stores all specs or none. `spec.credentials` is encrypted. A name that is in use is `Taken("name")`.
    async fn create_providers(
        &self,
        specs: Vec<ProviderSpec>,
        owner: UserId,
        now: Instant,
    ) -> Result<Vec<SearchProvider>, StoreError>;
    async fn provider(&self, id: ProviderId) -> Result<SearchProvider, StoreError>;
    /// All providers by id. Callers filter by `Principal::may_see`.
    async fn providers(&self) -> Result<Vec<SearchProvider>, StoreError>;
}

/// Edits and deletions of providers; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait ProviderEdits: Send + Sync {
    /// Replaces the provider. If `spec.credentials` is empty, the stored secret is kept.
    async fn replace_provider(
        &self,
        id: ProviderId,
        spec: ProviderSpec,
        now: Instant,
    ) -> Result<SearchProvider, StoreError>;
    /// Deletes the provider. Saved results keep its name; its cached documents remain for the users with a grant.
    async fn delete_provider(&self, id: ProviderId) -> Result<(), StoreError>;
}
