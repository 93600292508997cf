//! What went outside: a scan of a person's own sent mail, and the documents that were found in it.

use super::words::words;
use crate::ids::{EventId, ScanId, SignalId, UserId};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

words! {
    /// Which mailbox is read.
    Channel {
        /// Microsoft Graph.
        Outlook = "outlook",
        Gmail = "gmail",
    }
}

words! {
    ScanStatus {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl ScanStatus {
    /// Nothing more comes of it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

words! {
    /// What a person says of a match.
    EventStatus {
        /// Nobody looked yet.
        Candidate = "candidate",
        Confirmed = "confirmed",
        Dismissed = "dismissed",
    }
}

words! {
    /// How a document was recognised in a message.
    MatchMethod {
        /// A link in it leads to the document.
        LinkExact = "link_exact",
        /// An attachment has the same text.
        AttachmentHash = "attachment_hash",
        /// An attachment is the same item of a drive.
        AttachmentId = "attachment_id",
        /// An attachment has the same name and size.
        FilenameSize = "filename_size",
        /// An attachment says nearly the same.
        ContentSimilarity = "content_similarity",
    }
}

impl MatchMethod {
    /// How sure a match is, 0 to 1.
    pub fn confidence(self) -> f64 {
        match self {
            Self::LinkExact | Self::AttachmentHash | Self::AttachmentId => 1.0,
            Self::FilenameSize => 0.8,
            Self::ContentSimilarity => 0.7,
        }
    }

    /// What is exact needs nobody to confirm it.
    pub fn born(self) -> EventStatus {
        match self {
            Self::LinkExact | Self::AttachmentHash | Self::AttachmentId => EventStatus::Confirmed,
            Self::FilenameSize | Self::ContentSimilarity => EventStatus::Candidate,
        }
    }
}

/// A scan that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewScan {
    pub user: UserId,
    pub channel: Channel,
    /// Only documents of this matter, without `matter:`; empty: all.
    pub matter_tag: String,
    /// Both days are part of it.
    pub date_from: Option<NaiveDate>,
    pub date_to: Option<NaiveDate>,
}

/// What a scan has seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ScanCounts {
    pub messages_seen: u64,
    /// Those with a recipient outside.
    pub messages_external: u64,
    /// Exact matches.
    pub matches: u64,
    /// Matches that wait for a decision.
    pub candidates: u64,
}

/// A scan of one person's own sent mail.
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
    /// Why it failed; empty otherwise. Nothing of any message.
    pub error: String,
    /// There were more messages than `SVC_EGRESS_MAX_MESSAGES`.
    pub truncated: bool,
}

/// A document that was recognised in a message. Nothing else of the message is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub signal_id: SignalId,
    pub signal_title: String,
    /// Registrable domains in lower case, each once.
    pub external_domains: Vec<String>,
    pub sent_at: DateTime<Utc>,
    pub method: MatchMethod,
    /// A keyed hash of the mailbox's id of the message, so that a later scan makes no second event of it.
    pub message_key: String,
}

/// The same in the records.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct EgressEvent {
    pub event_id: EventId,
    pub scan_id: ScanId,
    /// None: the document left the cache.
    pub signal_id: Option<SignalId>,
    pub signal_title: String,
    pub external_domains: Vec<String>,
    pub channel: Channel,
    pub sent_at: DateTime<Utc>,
    pub match_method: MatchMethod,
    pub confidence: f64,
    pub status: EventStatus,
    pub decided_at: Option<DateTime<Utc>>,
    /// Whose mail it was.
    #[serde(skip)]
    #[schema(ignore)]
    pub user: UserId,
}
