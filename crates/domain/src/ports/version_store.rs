//! Versions of editable records, and conditional edits.

use super::{
    AiProviderEdits, AuthenticatorEdits, BrandingEdits, ChatEdits, PipelineEdits, PreferenceEdits,
    PromptEdits, ProviderEdits, QueryTransformEdits, ResultEdits, ScheduleEdits, SearchEdits, StoreError,
    UserEdits,
};
use crate::ids::{
    AiProviderId, AuthenticatorId, BrandingId, ChatId, GroupId, PipelineId, PromptId, ProviderId,
    TransformId, UserId,
};
use async_trait::async_trait;
use std::sync::Arc;

/// An editable record, by its key. Searches and results carry their version themselves: a search is compared by its
/// `date_updated` and a result by its content.
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

/// The version of a new record.
pub const FIRST_VERSION: i64 = 1;

#[async_trait]
pub trait VersionStore: Send + Sync {
    /// The version of a record. A new record has 1, and every edit adds exactly one. So does any other write that
    /// changes the record, such as a new name of a group for its members. Preferences that were never saved have 0.
    /// Read the version before the record: an edit with an outdated version is then rejected instead of overwriting a
    /// change that nobody has read.
    async fn version(&self, record: &EditableRecord) -> Result<i64, StoreError>;
    /// One edit or deletion of one record that succeeds only if the record has this version and is `Stale` otherwise.
    /// Comparison and write are one transaction.
    fn if_version(&self, version: i64) -> Arc<dyn RecordEdits>;
}

/// The edits and deletions that compare a version: those of every [`EditableRecord`], of results and of searches.
pub trait RecordEdits: AuditedEdits + ChatEdits + PreferenceEdits + ResultEdits + SearchEdits {}

/// Those among them that the audit log records if they have an author.
pub trait AuditedEdits:
    AiProviderEdits
    + AuthenticatorEdits
    + BrandingEdits
    + PipelineEdits
    + PromptEdits
    + ProviderEdits
    + QueryTransformEdits
    + ScheduleEdits
    + UserEdits
{
}
