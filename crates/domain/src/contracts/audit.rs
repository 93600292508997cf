//! The audit log as the store keeps it.

use super::{Page, Store, StoreError};
use crate::audit::{AuditEntry, AuditEvent, AuditFilter, AuditReport, Author};
use async_trait::async_trait;
use std::sync::Arc;

#[async_trait]
pub trait AuditStore: Send + Sync {
    /// The same records for one author. Through it, every change of a provider, transform, pipeline, schedule, user,
    /// group or token writes its entry in the same transaction: both are there, or neither is.
    fn on_behalf_of(&self, author: Author) -> Arc<dyn Store>;
    /// Writes an entry for what changes no record here. Entries are numbered 1, 2, 3… however many write at once.
    async fn note(&self, author: &Author, event: AuditEvent) -> Result<AuditEntry, StoreError>;
    /// Entries, newest first.
    async fn audit_entries(
        &self,
        filter: &AuditFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<AuditEntry>, StoreError>;
    /// Reads the whole log: an entry that was changed, put in or taken out is named, the last one too.
    async fn verify_audit(&self) -> Result<AuditReport, StoreError>;
}
