//! A newtype for each kind of id, so that ids are not confused.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, utoipa::ToSchema,
        )]
        #[serde(transparent)]
        #[schema(value_type = i64)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// Id of a Search.
    SearchId,
    /// Number of a run of a search, from 1.
    RunNumber,
    /// Id of a SearchProvider.
    ProviderId,
    /// Id of a saved result: its `swirl_id`.
    ResultId,
    /// Id of a user.
    UserId,
    /// Id of a group.
    GroupId,
    /// Id of an API token (never the token itself).
    TokenId,
    /// Id of a queued task.
    TaskId,
    /// Id of a Query Transform.
    TransformId,
    /// Id of a pipeline record.
    PipelineId,
    /// Id of an authenticator.
    AuthenticatorId,
    /// Id of a user's connection to an authenticator.
    ConnectionId,
    /// Id of an AIProvider.
    AiProviderId,
    /// Id of a prompt record.
    PromptId,
    /// Id of a chat.
    ChatId,
    /// Id of a message of a chat.
    MessageId,
    /// Id of a branding.
    BrandingId,
    /// Id of a document in the semantic cache: its `signal_id`.
    SignalId,
    /// Id of an election: its `run_id`.
    RunId,
    /// Id of a pin.
    PinId,
    /// Id of an egress scan: its `scan_id`.
    ScanId,
    /// Id of an egress event: its `event_id`.
    EventId,
}

impl RunNumber {
    pub const FIRST: Self = Self(1);
}
