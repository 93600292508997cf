//! Versions of one document among the results of a search, and the decision about them.

use super::string_enum::string_enum;
use super::{Badge, MemberRole};
use crate::ids::{RunId, SignalId};
use serde::{Deserialize, Serialize};

string_enum! {
    /// What decided between versions.
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
    /// Number of members that the user may see, including this one.
    pub size: u32,
    /// The role of this result among them; None while undecided.
    pub role: Option<MemberRole>,
    /// None while undecided.
    pub winner_signal_id: Option<SignalId>,
    /// None while undecided.
    pub decided_by: Option<DecidedBy>,
    /// The winner first, then by rank; includes this one.
    pub members: Vec<ClusterMember>,
}

/// A listed version.
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

/// The status of a document in one search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionStatus {
    pub badge: Badge,
    /// None: it has no other version among the results.
    pub cluster: Option<ClusterMark>,
    /// The deciding election, or the approved one behind a pin.
    pub run_id: Option<RunId>,
}
