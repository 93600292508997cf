//! What the cache stores and reads.

use domain::ports::{
    CanonicalStore, EgressStore, ProviderStore, ReconcileStore, ResultStore, SearchStore, SignalStore,
    UserStore,
};

/// The records that the cache needs.
pub trait CorpusStore:
    CanonicalStore
    + EgressStore
    + ProviderStore
    + ReconcileStore
    + ResultStore
    + SearchStore
    + SignalStore
    + UserStore
{
}

impl<T> CorpusStore for T where
    T: ?Sized
        + CanonicalStore
        + EgressStore
        + ProviderStore
        + ReconcileStore
        + ResultStore
        + SearchStore
        + SignalStore
        + UserStore
{
}
