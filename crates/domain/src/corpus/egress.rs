//! Egress scans: scans of a user's own sent mail, and the documents that were found in it.

use super::string_enum::string_enum;
use crate::ids::{EventId, ScanId, SignalId, UserId};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

string_enum! {
    /// The mailbox to read.
    Channel {
        /// Microsoft Graph.
        Outlook = "outlook",
        Gmail = "gmail",
    }
}

string_enum! {
    ScanStatus {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl ScanStatus {
    /// It has finished or failed.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

string_enum! {
    /// A user's decision on a match.
    EventStatus {
        /// Undecided.
        Candidate = "candidate",
        Confirmed = "confirmed",
        Dismissed = "dismissed",
    }
}

string_enum! {
    /// How a document was recognized in a message.
    MatchMethod {
        /// A link in it leads to the document.
        LinkExact = "link_exact",
        /// An attachment has the same text.
        AttachmentHash = "attachment_hash",
        /// An attachment is the same item of a drive.
        AttachmentId = "attachment_id",
        /// An attachment has the same name and size.
        FilenameSize = "filename_size",
        /// An attachment has nearly the same text.
        ContentSimilarity = "content_similarity",
    }
}

impl MatchMethod {
    /// Confidence of a match, 0 to 1.
    pub fn confidence(self) -> f64 {
        match self {
            Self::LinkExact | Self::AttachmentHash | Self::AttachmentId => 1.0,
            Self::FilenameSize => 0.8,
            Self::ContentSimilarity => 0.7,
        }
    }

    /// The initial status: exact matches need no confirmation.
    pub fn initial_status(self) -> EventStatus {
        match self {
            Self::LinkExact | Self::AttachmentHash | Self::AttachmentId => EventStatus::Confirmed,
            Self::FilenameSize | Self::ContentSimilarity => EventStatus::Candidate,
        }
    }
}

/// A requested scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewScan {
    pub user: UserId,
    pub channel: Channel,
    /// Only documents of this matter, without `matter:`; empty: all.
    pub matter_tag: String,
    /// First and last day, both inclusive.
    pub date_from: Option<NaiveDate>,
    pub date_to: Option<NaiveDate>,
}

/// Progress of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ScanCounts {
    pub messages_seen: u64,
    /// Those with an external recipient.
    pub messages_external: u64,
    /// Exact matches.
    pub matches: u64,
    /// Matches that wait for a decision.
    pub candidates: u64,
}

/// An egress scan of one user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Scan {
    pub scan_id: ScanId,
    pub user: UserId,
    pub channel: Channel,
    pub status: ScanStatus,
    pub matter_tag: String,
    pub date_from: Option<NaiveDate>,
    pub date_to: Option<NaiveDate>,
    #[serde(flatten)]
    pub counts: ScanCounts,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    /// Why it failed; empty otherwise. Contains nothing of any message.
    pub error: String,
    /// There were more messages than `SVC_EGRESS_MAX_MESSAGES`.
    pub truncated: bool,
}

/// A document that was recognized in a message. Nothing else of the message is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub signal_id: SignalId,
    pub signal_title: String,
    /// Registrable domains in lower case, unique.
    pub external_domains: Vec<String>,
    pub sent_at: DateTime<Utc>,
    pub method: MatchMethod,
    /// A keyed hash of the mailbox's id of the message, so that a later scan does not create a second event for it.
    pub message_key: String,
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct EgressEvent {
    pub event_id: EventId,
    pub scan_id: ScanId,
    /// None: the document was removed from the cache.
    pub signal_id: Option<SignalId>,
    pub signal_title: String,
    pub external_domains: Vec<String>,
    pub channel: Channel,
    pub sent_at: DateTime<Utc>,
    pub match_method: MatchMethod,
    pub confidence: f64,
    pub status: EventStatus,
    pub decided_at: Option<DateTime<Utc>>,
    /// The owner of the mailbox.
    #[serde(skip)]
    #[schema(ignore)]
    pub user: UserId,
}
