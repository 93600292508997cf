//! Versions of one document among the results of a search, and what is decided about them.

use super::words::words;
use super::{Badge, MemberRole};
use crate::ids::{RunId, SignalId};
use serde::{Deserialize, Serialize};

words! {
    /// What chose among versions.
    DecidedBy {
        Pin = "pin",
        Election = "election",
    }
}

/// The versions that a result belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClusterMark {
    /// The smallest id of its members.
    pub key: SignalId,
    /// Members that the asker may see, this one among them.
    pub size: u32,
    /// What this result is among them; None while nothing is decided.
    pub role: Option<MemberRole>,
    /// None while nothing is decided.
    pub winner_signal_id: Option<SignalId>,
    /// None while nothing is decided.
    pub decided_by: Option<DecidedBy>,
    /// The winner first, then by rank; this one is among them.
    pub members: Vec<ClusterMember>,
}

/// A version as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ClusterMember {
    pub signal_id: SignalId,
    pub title: String,
    pub url: String,
    /// Such as `v2` or `final`; may be empty.
    pub version_label: String,
    /// As in a result.
    pub date: String,
}

/// How a document stands in one search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub badge: Badge,
    /// None: it has no other version among the results.
    pub cluster: Option<ClusterMark>,
    /// The election that said so, or the approved one behind a pin.
    pub run_id: Option<RunId>,
}
