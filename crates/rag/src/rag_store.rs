//! What summaries and chats store and read.

use domain::ports::{ChatStore, PromptStore, ProviderStore, SummaryStore, UserStore, VersionStore};

/// The records that summaries and chats need.
pub trait RagStore:
    ChatStore + PromptStore + ProviderStore + SummaryStore + UserStore + VersionStore
{
}

impl<T> RagStore for T where
    T: ?Sized + ChatStore + PromptStore + ProviderStore + SummaryStore + UserStore + VersionStore
{
}
