//! Storage of the audit log.

use super::{
    AiProviderStore, AuditedEdits, AuthenticatorStore, BrandingStore, IdentityStore, Page, PromptStore,
    ProviderStore, QueryTransformStore, StoreError, TokenStore, UserStore, VersionStore,
};
use crate::audit::{AuditEntry, AuditEvent, AuditFilter, AuditReport, Author};
use async_trait::async_trait;
use std::sync::Arc;

#[async_trait]
pub trait AuditStore: Send + Sync {
    /// The audited records for one author. Every change of them through it writes an audit entry in the same
    /// transaction: both are stored or neither.
    fn on_behalf_of(&self, author: Author) -> Arc<dyn AuditedRecords>;
    /// Writes an entry for an event that changes no stored record. Entries are numbered 1, 2, 3… without gaps, even
    /// with concurrent writers.
    async fn note(&self, author: &Author, event: AuditEvent) -> Result<AuditEntry, StoreError>;
    /// Entries, newest first.
    async fn audit_entries(
        &self,
        filter: &AuditFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<AuditEntry>, StoreError>;
    /// Reads the whole log and reports entries that were changed, inserted or removed, including the last one.
    async fn verify_audit(&self) -> Result<AuditReport, StoreError>;
}

/// The records whose changes the audit log contains: those that configure the service, and users, groups, tokens and
/// identities. Searches, results, chats and preferences are not among them.
pub trait AuditedRecords:
    AuditedEdits
    + AiProviderStore
    + AuthenticatorStore
    + BrandingStore
    + IdentityStore
    + PromptStore
    + ProviderStore
    + QueryTransformStore
    + TokenStore
    + UserStore
    + VersionStore
{
}
