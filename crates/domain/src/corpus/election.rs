//! Elections: which version of a document counts, and why.

use super::string_enum::string_enum;
use super::{Reason, Scope, reason};
use crate::ids::{RunId, SearchId, SignalId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Maximum length of a comment on a decision, in characters.
pub const COMMENT_CHARS_MAX: usize = 2_000;

string_enum! {
    /// Status of an election.
    RunStatus {
        /// It waits for a decision.
        Pending = "pending",
        /// It waits for a decision, and its winner is already shown first.
        AutoElected = "auto_elected",
        Approved = "approved",
        Rejected = "rejected",
        /// There is a newer one for the same query and documents.
        Superseded = "superseded",
        /// Left undecided for too long, or its winner was removed from the cache.
        Stale = "stale",
    }
}

impl RunStatus {
    /// It can still be decided.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::AutoElected)
    }
}

string_enum! {
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

string_enum! {
    /// The role of a member after an election.
    MemberRole {
        Winner = "winner",
        Alternate = "alternate",
        /// It could not be elected; its reasons explain why.
        Ineligible = "ineligible",
    }
}

/// A number for each factor. As values of a member, each is 0 to 1 (a rejection counts against it by its weight).
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

/// The weight of each factor: `SVC_CANONICAL_WEIGHTS` over the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct Weights(pub Factors);

impl Default for Weights {
    fn default() -> Self {
        Self(Factors::of([3.0, 2.0, 2.0, 1.0, 1.5, 5.0, -4.0]))
    }
}

/// Minimum values of an eligible member.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Gates)]
pub struct Thresholds {
    /// Minimum relevance.
    pub relevance_min: f64,
    /// Minimum ratio to the best relevance among the members.
    pub relevance_ratio: f64,
}

/// A member of an election with everything that determines its rank. Its title and URL are in the document, not here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Member {
    pub signal_id: SignalId,
    /// Its confidence for this query.
    pub relevance: f64,
    /// Its source reported that it no longer exists.
    pub is_gone: bool,
    /// When it was published or changed, if known.
    pub dated: Option<DateTime<Utc>>,
    pub eligible: bool,
    /// Why it is not eligible, and the reasons for its factors.
    #[serde(deserialize_with = "reason::read")]
    pub reasons: Vec<Reason>,
    pub factors: Factors,
    pub score: f64,
    /// From 1; ineligible members come last.
    pub rank: u32,
    pub role: MemberRole,
}

/// The result of an election.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    pub query: String,
    pub scope: Scope,
    /// The smallest id of its members.
    pub cluster_key: SignalId,
    /// Its winner is immediately shown first.
    pub auto: bool,
    pub winner_signal_id: SignalId,
    /// The lead of the winner; 0 if no other member is eligible.
    pub margin: f64,
    /// By rank.
    pub members: Vec<Member>,
    pub weights: Weights,
    pub thresholds: Thresholds,
    pub search_id: SearchId,
    /// The owner of the search.
    pub search_owner: UserId,
}

/// A recorded election.
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
    /// None: the user was deleted.
    pub search_owner: Option<UserId>,
}

/// A rejection of a document for a query.
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
