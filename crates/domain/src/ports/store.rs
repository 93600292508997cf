//! The whole of storage as one trait.

use super::{
    ActivityStore, AiProviderStore, AuditStore, AuthenticatorStore, BrandingStore, CanonicalStore, ChatStore,
    ConnectionStore, EgressStore, HealthStore, IdempotencyStore, IdentityStore, OutboxStore, PipelineStore,
    PreferenceStore, PromptStore, ProviderStore, QueryTransformStore, RateLimitStore, ReconcileStore,
    RecordEdits, ResultStore, ScheduleStore, SearchRecordStore, SearchRunStore, SearchStore, SeedStore,
    SessionStore, SignalStore, StorageStore, SummaryStore, TaskStore, TokenStore, UserStore, VersionStore,
};

/// All storage ports together, for the crates that build the service or serve every record of it. Other crates name
/// the ports that they use.
pub trait Store:
    SearchStore
    + ResultStore
    + ProviderStore
    + QueryTransformStore
    + PipelineStore
    + ScheduleStore
    + UserStore
    + TokenStore
    + SessionStore
    + TaskStore
    + OutboxStore
    + ReconcileStore
    + AuditStore
    + AuthenticatorStore
    + ConnectionStore
    + IdentityStore
    + AiProviderStore
    + PromptStore
    + SeedStore
    + SummaryStore
    + ChatStore
    + ActivityStore
    + BrandingStore
    + PreferenceStore
    + SearchRecordStore
    + SearchRunStore
    + SignalStore
    + CanonicalStore
    + EgressStore
    + VersionStore
    + RecordEdits
    + IdempotencyStore
    + RateLimitStore
    + StorageStore
    + HealthStore
{
}
