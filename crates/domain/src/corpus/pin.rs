//! A pin: somebody decided that this document is the answer to this query.

use super::Scope;
use super::words::words;
use crate::ids::{PinId, RunId, SignalId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

words! {
    /// How a pin came about.
    PinVia {
        /// By hand.
        Manual = "manual",
        /// A run was approved.
        Approval = "approval",
    }
}

words! {
    /// What happened to the pin of a query.
    PinAction {
        Pinned = "pinned",
        /// Another document took its place.
        Replaced = "replaced",
        Unpinned = "unpinned",
        /// Its document left the cache.
        Removed = "removed",
    }
}

/// A pin. There is one at most for each query and scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Pin {
    pub id: PinId,
    pub query_key: String,
    /// As it was given.
    pub query: String,
    /// `firm`, or `matter:<tag>`.
    #[schema(value_type = String, example = "firm")]
    pub scope: Scope,
    pub signal_id: SignalId,
    /// None: that person is no longer here.
    pub pinned_by: Option<UserId>,
    pub pinned_at: DateTime<Utc>,
    pub via: PinVia,
    /// The run that was approved.
    pub run_id: Option<RunId>,
}

/// A pin that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPin {
    pub query: String,
    pub scope: Scope,
    pub signal_id: SignalId,
    pub pinned_by: UserId,
    pub via: PinVia,
    pub run_id: Option<RunId>,
}

/// One line of the history of pins, written with the change itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PinEvent {
    /// Grows by every change.
    pub id: i64,
    pub action: PinAction,
    pub query_key: String,
    #[schema(value_type = String, example = "firm")]
    pub scope: Scope,
    /// The document that is pinned by it, or was until then.
    pub signal_id: SignalId,
    /// The document that was pinned before, where another took its place.
    pub before: Option<SignalId>,
    /// None: that person is no longer here, or it was nobody.
    pub by: Option<UserId>,
    pub at: DateTime<Utc>,
    pub via: PinVia,
    pub run_id: Option<RunId>,
}
