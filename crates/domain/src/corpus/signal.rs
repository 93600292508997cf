//! Cached documents, and grants of users to see them.

use super::DocumentAddress;
use super::string_enum::string_enum;
use crate::ids::{ProviderId, SignalId, UserId};
use crate::instant::Instant;
use crate::notice::{self, Notice};
use crate::ports::BodyKey;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

string_enum! {
    /// State of a document.
    SignalState {
        /// It was requested; there is no text yet.
        Known = "known",
        /// Its text is stored and searchable.
        Indexed = "indexed",
        /// Indexed, and pinned as the answer to a query.
        Pinned = "pinned",
    }
}

string_enum! {
    /// Why a document was added.
    Origin {
        /// Its page was fetched for a summary.
        Rag = "rag",
        /// A user requested it.
        Ingest = "ingest",
        /// It was among the best results of a search, and `SVC_EAGER_FEDERATED_PROMOTE_ENABLED` is set.
        Eager = "eager",
        /// It was opened from the results of a search.
        Search = "search",
    }
}

string_enum! {
    /// Whether the document still exists at its source, according to the last check.
    Liveness {
        Alive = "alive",
        /// The response was 404 or 410; nothing else counts.
        Gone = "gone",
        /// Not checked, or without a clear response.
        Unknown = "unknown",
    }
}

string_enum! {
    /// The kind of the document's source.
    SourceKind {
        Web = "web",
        Mail = "mail",
        Drive = "drive",
        Dms = "dms",
        Chat = "chat",
        Wiki = "wiki",
        Db = "db",
    }
}

/// A cached document.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Signal {
    pub signal_id: SignalId,
    /// Normalized.
    pub url: String,
    /// SHA-256 of `url` in hexadecimal. There is one record for each URL, provider and text.
    pub url_hash: String,
    pub source_provider_id: Option<ProviderId>,
    /// The provider's name when the document was added; empty without `source_provider_id`.
    pub source_provider: String,
    pub source_kind: SourceKind,
    /// The source's own id of the document; may be empty.
    pub external_id: String,
    /// The source's own version: its version number, ETag or Last-Modified; may be empty.
    pub external_version: String,
    pub title: String,
    pub author: String,
    /// Media type without parameters.
    pub mime: String,
    /// File extension without the dot.
    pub ext: String,
    /// Length of the text in characters.
    pub size: u64,
    /// Size of the file that the text was extracted from, in bytes; 0: unknown.
    pub file_bytes: u64,
    /// ISO 639-1, or empty.
    pub language: String,
    /// SHA-256 of the normalized text in hexadecimal; empty without a text.
    pub content_hash: String,
    /// In hexadecimal; empty without a text.
    pub simhash: String,
    pub state: SignalState,
    pub origin: Origin,
    /// The tags of the user who reads it; of all users if read without a user.
    pub matter_tags: Vec<String>,
    /// The text was supplied by the user who requested it, not by the source: only that user sees it.
    pub is_supplied: bool,
    /// As reported by the source; `unknown` otherwise.
    pub date_published: String,
    pub first_seen: DateTime<Utc>,
    pub indexed_at: Option<DateTime<Utc>>,
    pub last_verified: Option<DateTime<Utc>>,
    pub last_retrieved: DateTime<Utc>,
    pub liveness: Liveness,
    pub liveness_checked: Option<DateTime<Utc>>,
    pub liveness_http: Option<u16>,
    /// Documents with the same lineage are versions of each other: the id of the oldest one.
    pub lineage_id: Option<SignalId>,
    /// Such as `v2` or `final`; may be empty.
    pub version_label: String,
    pub supersedes: Option<SignalId>,
    pub superseded_by: Option<SignalId>,
    pub chunk_count: u32,
    pub embedding_model: String,
    pub embedding_dim: u32,
    /// None: the text is not in the object storage (any more).
    #[serde(skip)]
    #[schema(ignore)]
    pub body_key: Option<BodyKey>,
    /// Compressed.
    pub body_bytes: u64,
    pub body_expires: Option<DateTime<Utc>>,
    pub rejections: u32,
    /// Why the user who reads it could not get its text, newest last; of all users if read without a user.
    #[serde(rename = "messages", serialize_with = "notice::serialize_lines")]
    #[schema(value_type = Vec<String>)]
    pub notices: Vec<Notice>,
}

/// A document before its text is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSignal {
    pub address: DocumentAddress,
    pub source_provider_id: Option<ProviderId>,
    pub source_provider: String,
    pub source_kind: SourceKind,
    pub external_id: String,
    pub title: String,
    pub author: String,
    pub date_published: String,
    pub origin: Origin,
    /// Added to the user's own tags, which nobody else sees.
    pub matter_tags: Vec<String>,
    /// The existing record of this URL and provider that the user sees.
    pub known: Option<SignalId>,
    /// The user supplies the text.
    pub is_supplied: bool,
}

/// A chunk of a document with its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// From 0.
    pub number: u32,
    /// Position in the text, in characters; the end is exclusive.
    pub start: u32,
    pub end: u32,
    /// The headings above it, outermost first.
    pub heading: String,
    pub text: String,
    /// Of unit length.
    pub vector: Vec<f32>,
}

impl StoredChunk {
    /// The text whose words are indexed: the headings and the chunk, and with the first chunk the title of the document.
    /// With every chunk, a long document whose title matches would take the places of all others.
    pub fn indexed_text(&self, title: &str) -> String {
        let title = if self.number == 0 { title } else { "" };
        let lines = [title, &self.heading, &self.text];
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// The extracted content of a document, written atomically.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedContent {
    /// The provider that returned this text: users who may search it see the record, users of another one do not. None:
    /// a user typed the URL, and the record belongs to those who retrieved its text.
    pub source_provider_id: Option<ProviderId>,
    pub source_provider: String,
    pub content_hash: String,
    pub simhash: String,
    pub external_version: String,
    /// Empty keeps the existing one.
    pub title: String,
    pub author: String,
    pub mime: String,
    pub ext: String,
    pub size: u64,
    /// Size of the file that the text was extracted from, in bytes; 0: unknown.
    pub file_bytes: u64,
    pub language: String,
    pub is_supplied: bool,
    pub version_label: String,
    pub embedding_model: String,
    pub body_key: Option<BodyKey>,
    pub body_bytes: u64,
    pub body_expires: Option<Instant>,
    pub chunks: Vec<StoredChunk>,
    /// Other users who see whatever this provider returned to anybody: they see the new text in place of an older one.
    pub followers: Vec<UserId>,
}

/// A user's right to see one document, acquired by retrieving it with their own credentials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grant {
    pub signal_id: SignalId,
    pub user_id: UserId,
    /// The authenticator whose token was used; empty: none was needed.
    pub idp: String,
    /// The provider whose account, credentials or template returned a document that is attributed to no provider: it is
    /// not fetched again without the account, and other users of the provider get no access by it.
    pub account_provider_id: Option<ProviderId>,
    pub granted_at: Instant,
    /// When the source last granted access to this user.
    pub last_ok: Option<Instant>,
    pub revoked_at: Option<Instant>,
    /// The text that the source returned to this user. The grant is for this text only, because the same URL may show
    /// other users something else.
    pub content_hash: String,
    /// Why this user could not get a text, newest last. Visible to no other user.
    #[serde(rename = "messages", serialize_with = "notice::serialize_lines")]
    pub notices: Vec<Notice>,
}

impl Grant {
    /// Whether it grants access to the current text of the document.
    pub fn opens(&self, signal: &Signal) -> bool {
        self.revoked_at.is_none()
            && !signal.content_hash.is_empty()
            && self.content_hash == signal.content_hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_indexed_once() {
        let text = |number, heading: &str, title: &str| {
            let (heading, text) = (heading.to_owned(), "It rose.".to_owned());
            StoredChunk { number, start: 0, end: 8, heading, text, vector: Vec::new() }.indexed_text(title)
        };
        assert_eq!(text(0, "Floods > Spring", "River"), "River\nFloods > Spring\nIt rose.");
        assert_eq!(text(1, "Floods > Spring", "River"), "Floods > Spring\nIt rose.");
        assert_eq!(text(0, "", ""), "It rose.");
    }
}
