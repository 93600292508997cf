//! A canonical election: which version of a document is the one that counts, and why.

use super::words::words;
use super::{Reason, Scope, reason};
use crate::ids::{RunId, SearchId, SignalId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Longest comment on a decision, in characters.
pub const COMMENT_CHARS_MAX: usize = 2_000;

words! {
    /// How far an election has come.
    RunStatus {
        /// It waits for somebody's decision.
        Pending = "pending",
        /// The same, and its winner is already shown first.
        AutoElected = "auto_elected",
        Approved = "approved",
        Rejected = "rejected",
        /// There is a newer one for the same query and documents.
        Superseded = "superseded",
        /// Nobody decided for a long time, or its winner left the cache.
        Stale = "stale",
    }
}

impl RunStatus {
    /// Somebody may still decide.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::AutoElected)
    }
}

words! {
    /// Why a winner was rejected.
    RejectReason {
        WrongVersion = "wrong_version",
        WrongDocument = "wrong_document",
        NotAuthoritative = "not_authoritative",
        Duplicate = "duplicate",
        Outdated = "outdated",
        Other = "other",
    }
}

words! {
    /// What a member is after an election.
    MemberRole {
        Winner = "winner",
        Alternate = "alternate",
        /// It could not be elected; its reasons say why.
        Ineligible = "ineligible",
    }
}

/// One number for each factor. As values of a member each is 0 to 1 (a rejection counts against it by its weight).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Factors {
    pub source_authority: f64,
    pub naming: f64,
    pub recency: f64,
    pub format: f64,
    pub egress_external: f64,
    pub pin: f64,
    pub rejection: f64,
}

impl Factors {
    pub const NAMES: [&'static str; 7] =
        ["source_authority", "naming", "recency", "format", "egress_external", "pin", "rejection"];

    /// In the order of `NAMES`.
    pub fn values(&self) -> [f64; 7] {
        [
            self.source_authority,
            self.naming,
            self.recency,
            self.format,
            self.egress_external,
            self.pin,
            self.rejection,
        ]
    }

    pub fn of(values: [f64; 7]) -> Self {
        let [source_authority, naming, recency, format, egress_external, pin, rejection] = values;
        Self { source_authority, naming, recency, format, egress_external, pin, rejection }
    }
}

/// What each factor weighs: `SVC_CANONICAL_WEIGHTS` over the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct Weights(pub Factors);

impl Default for Weights {
    fn default() -> Self {
        Self(Factors::of([3.0, 2.0, 2.0, 1.0, 1.5, 5.0, -4.0]))
    }
}

/// Below these a member cannot be elected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Gates)]
pub struct Thresholds {
    /// Least relevance.
    pub relevance_min: f64,
    /// Least share of the best relevance among the members.
    pub relevance_ratio: f64,
}

/// A member of an election with everything that its place follows from. What it is called and where it is stands on the
/// document, not here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Member {
    pub signal_id: SignalId,
    /// Its confidence for this query.
    pub relevance: f64,
    /// Its source said that it is gone.
    pub is_gone: bool,
    /// When it was published or changed, as far as it is known.
    pub dated: Option<DateTime<Utc>>,
    pub eligible: bool,
    /// Why it cannot be elected, and what its factors follow from.
    #[serde(deserialize_with = "reason::read")]
    pub reasons: Vec<Reason>,
    pub factors: Factors,
    pub score: f64,
    /// From 1; those that cannot be elected come last.
    pub rank: u32,
    pub role: MemberRole,
}

/// An election that was held.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    pub query: String,
    pub scope: Scope,
    /// The smallest id of its members.
    pub cluster_key: SignalId,
    /// Its winner is shown first at once.
    pub auto: bool,
    pub winner_signal_id: SignalId,
    /// By how much the winner is ahead; 0 where nobody else could be elected.
    pub margin: f64,
    /// By rank.
    pub members: Vec<Member>,
    pub weights: Weights,
    pub thresholds: Thresholds,
    pub search_id: SearchId,
    /// Whose search it was.
    pub search_owner: UserId,
}

/// An election in the records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    pub run_id: RunId,
    pub query: String,
    pub query_key: String,
    pub scope: Scope,
    pub cluster_key: SignalId,
    pub status: RunStatus,
    pub auto: bool,
    pub winner_signal_id: SignalId,
    pub margin: f64,
    pub members: Vec<Member>,
    pub weights: Weights,
    #[serde(rename = "gates")]
    pub thresholds: Thresholds,
    pub created_at: DateTime<Utc>,
    pub decided_by: Option<UserId>,
    pub decided_at: Option<DateTime<Utc>>,
    pub reject_reason: Option<RejectReason>,
    pub comment: String,
    pub search_id: SearchId,
    /// None: that person is no longer here.
    pub search_owner: Option<UserId>,
}

/// A document was rejected as the answer to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub signal_id: SignalId,
    pub query_key: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_keep_their_order() {
        let json = serde_json::to_value(Factors::of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])).expect("json");
        for (number, name) in (1..).zip(Factors::NAMES) {
            assert_eq!(json[name], f64::from(number), "{name}");
        }
        assert_eq!(Weights::default().0.egress_external, 1.5);
    }

    #[test]
    fn words_are_the_same_on_the_wire() {
        for status in RunStatus::ALL {
            assert_eq!(serde_json::to_value(status).expect("json"), status.as_str());
        }
        for reason in RejectReason::ALL {
            assert_eq!(serde_json::to_value(reason).expect("json"), reason.as_str());
        }
    }
}
