//! Storage of the audit log.

use super::{Page, Store, StoreError};
use crate::audit::{AuditEntry, AuditEvent, AuditFilter, AuditReport, Author};
use async_trait::async_trait;
use std::sync::Arc;

#[async_trait]
pub trait AuditStore: Send + Sync {
    /// This store for one author. Every change of a provider, transform, pipeline, schedule, user, group or token
    /// through it writes an audit entry in the same transaction: both are stored or neither.
    fn on_behalf_of(&self, author: Author) -> Arc<dyn Store>;
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
