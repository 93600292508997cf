//! What searches store and read.

use domain::ports::{
    IdempotencyStore, PipelineStore, PreferenceStore, ProviderStore, QueryTransformStore, RateLimitStore,
    ReconcileStore, ResultStore, SearchRecordStore, SearchRunStore, SearchStore, StorageStore, SummaryStore,
    TaskStore, UserStore, VersionStore,
};

/// The records that searches, their providers and their results need.
pub trait FederationStore:
    IdempotencyStore
    + PipelineStore
    + PreferenceStore
    + ProviderStore
    + QueryTransformStore
    + RateLimitStore
    + ReconcileStore
    + ResultStore
    + SearchRecordStore
    + SearchRunStore
    + SearchStore
    + StorageStore
    + SummaryStore
    + TaskStore
    + UserStore
    + VersionStore
{
}

impl<T> FederationStore for T where
    T: ?Sized
        + IdempotencyStore
        + PipelineStore
        + PreferenceStore
        + ProviderStore
        + QueryTransformStore
        + RateLimitStore
        + ReconcileStore
        + ResultStore
        + SearchRecordStore
        + SearchRunStore
        + SearchStore
        + StorageStore
        + SummaryStore
        + TaskStore
        + UserStore
        + VersionStore
{
}
