//! Pins: decisions that a document is the answer to a query.

use super::Scope;
use super::string_enum::string_enum;
use crate::ids::{PinId, RunId, SignalId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

string_enum! {
    /// How a pin was created.
    PinVia {
        /// By hand.
        Manual = "manual",
        /// By approval of an election.
        Approval = "approval",
    }
}

string_enum! {
    /// A change of the pin of a query.
    PinAction {
        Pinned = "pinned",
        /// Another document replaced it.
        Replaced = "replaced",
        Unpinned = "unpinned",
        /// Its document was removed from the cache.
        Removed = "removed",
    }
}

/// A pin. There is at most one for each query and scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Pin {
    pub id: PinId,
    pub query_key: String,
    /// As entered.
    pub query: String,
    /// `firm`, or `matter:<tag>`.
    #[schema(value_type = String, example = "firm")]
    pub scope: Scope,
    pub signal_id: SignalId,
    /// None: the user was deleted.
    pub pinned_by: Option<UserId>,
    pub pinned_at: DateTime<Utc>,
    pub via: PinVia,
    /// The approved election.
    pub run_id: Option<RunId>,
}

/// A requested pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPin {
    pub query: String,
    pub scope: Scope,
    pub signal_id: SignalId,
    pub pinned_by: UserId,
    pub via: PinVia,
    pub run_id: Option<RunId>,
}

/// An entry of the history of pins, written together with the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PinEvent {
    /// Increases with every change.
    pub id: i64,
    pub action: PinAction,
    pub query_key: String,
    #[schema(value_type = String, example = "firm")]
    pub scope: Scope,
    /// The document that is pinned by it, or was until then.
    pub signal_id: SignalId,
    /// The document that was pinned before, if it was replaced.
    pub before: Option<SignalId>,
    /// None: the user was deleted, or there was none.
    pub by: Option<UserId>,
    pub at: DateTime<Utc>,
    pub via: PinVia,
    pub run_id: Option<RunId>,
}
