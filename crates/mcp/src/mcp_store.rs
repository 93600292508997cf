//! What the tools store and read.

use domain::ports::{
    AuthenticatorStore, ChatStore, ConnectionStore, HealthStore, ProviderStore, SearchStore,
};

/// The records that the tools and resources need.
pub trait McpStore:
    AuthenticatorStore + ChatStore + ConnectionStore + HealthStore + ProviderStore + SearchStore
{
}

impl<T> McpStore for T where
    T: ?Sized + AuthenticatorStore + ChatStore + ConnectionStore + HealthStore + ProviderStore + SearchStore
{
}
