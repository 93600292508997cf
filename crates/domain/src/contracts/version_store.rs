//! Versions of the records that people edit, and edits that hold only for the version that was read.

use super::{Store, StoreError};
use crate::ids::{
    AiProviderId, AuthenticatorId, BrandingId, ChatId, GroupId, PipelineId, PromptId, ProviderId,
    TransformId, UserId,
};
use async_trait::async_trait;
use std::sync::Arc;

/// A record that people edit, by its key. Searches and results are not among them: a search is compared by its
/// `date_updated` and a result by its content, so both bring their version along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditableRecord {
    AiProvider(AiProviderId),
    Authenticator(AuthenticatorId),
    Branding(BrandingId),
    Chat(ChatId),
    Group(GroupId),
    Pipeline(PipelineId),
    Preferences(UserId),
    Prompt(PromptId),
    Provider(ProviderId),
    Schedule(String),
    Transform(TransformId),
    User(UserId),
}

/// The version of a record that was just created.
pub const FIRST_VERSION: i64 = 1;

#[async_trait]
pub trait VersionStore: Send + Sync {
    /// The version of a record. A new record has 1, and every edit adds exactly one. A write that changes the record
    /// beside its own edits, such as a new name of a group for its members, adds one too. Preferences that were never
    /// saved have 0. Read the version before the record: then an edit by a version that is too old is refused, and never
    /// made on top of something that nobody read.
    async fn version(&self, record: &EditableRecord) -> Result<i64, StoreError>;
    /// This store for one edit or deletion of one record: it is made only while the record has this version, and is
    /// `Stale` otherwise. Comparing and writing are one transaction.
    fn if_version(&self, version: i64) -> Arc<dyn Store>;
}
