//! The record of one cached document, and the right of one person to see it.

use super::DocumentAddress;
use super::words::words;
use crate::contracts::BodyKey;
use crate::ids::{ProviderId, SignalId, UserId};
use crate::instant::Instant;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

words! {
    /// How far a document has come.
    SignalState {
        /// It was seen, and somebody wants it; its text is not here.
        Known = "known",
        /// Its text is here and is found.
        Indexed = "indexed",
        /// And it is the answer to a query, by somebody's decision.
        Pinned = "pinned",
    }
}

words! {
    /// What brought a document into the cache.
    Origin {
        /// Its page was fetched for an answer.
        Rag = "rag",
        /// Somebody asked for it to be kept.
        Ingest = "ingest",
        /// It was among the best results of a search, and `SVC_EAGER_FEDERATED_PROMOTE_ENABLED` is set.
        Eager = "eager",
        /// It was opened from the results of a search.
        Search = "search",
    }
}

words! {
    /// What the source last said when it was asked whether the document is still there.
    Liveness {
        Alive = "alive",
        /// It said 404 or 410, and nothing else.
        Gone = "gone",
        /// It was not asked, or gave no clear answer.
        Unknown = "unknown",
    }
}

words! {
    /// What kind of place a document comes from.
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

/// One cached document.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Signal {
    pub signal_id: SignalId,
    /// Normalised.
    pub url: String,
    /// SHA-256 of `url` in hexadecimal. There is one record for each address, provider and text.
    pub url_hash: String,
    pub source_provider_id: Option<ProviderId>,
    /// The provider's name when the document was first seen; empty without `source_provider_id`.
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
    /// Ending of the file's name without the dot.
    pub ext: String,
    /// Characters of the text.
    pub size: u64,
    /// Bytes of the file that the text was read from; 0: not known.
    pub file_bytes: u64,
    /// ISO 639-1, or empty.
    pub language: String,
    /// SHA-256 of the normalised text in hexadecimal; empty while it is not here.
    pub content_hash: String,
    /// In hexadecimal; empty while the text is not here.
    pub simhash: String,
    pub state: SignalState,
    pub origin: Origin,
    /// Those that the person who reads it gave it; those of everybody where nobody reads.
    pub matter_tags: Vec<String>,
    /// The text came from the person who asked for it to be kept, not from the source: only they see it.
    pub is_supplied: bool,
    /// As the source said it; `unknown` otherwise.
    pub date_published: String,
    pub first_seen: DateTime<Utc>,
    pub indexed_at: Option<DateTime<Utc>>,
    pub last_verified: Option<DateTime<Utc>>,
    pub last_retrieved: DateTime<Utc>,
    pub liveness: Liveness,
    pub liveness_checked: Option<DateTime<Utc>>,
    pub liveness_http: Option<u16>,
    /// Documents with the same are versions of each other: the id of the oldest of them.
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
    /// Why the person who reads it could not have its text, the newest last; of everybody where nobody reads.
    pub messages: Vec<String>,
}

/// A document that is seen: what is known of it before its text is here.
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
    /// Added to those that the person gave it; nobody else sees them.
    pub matter_tags: Vec<String>,
    /// The record of this address and provider that the person sees already.
    pub known: Option<SignalId>,
    /// The person brings the text.
    pub is_supplied: bool,
}

/// A piece of a document, with its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// From 0.
    pub number: u32,
    /// Where it stands in the text, in characters; the end is not part of it.
    pub start: u32,
    pub end: u32,
    /// The headings above it, outermost first.
    pub heading: String,
    pub text: String,
    /// Of unit length.
    pub vector: Vec<f32>,
}

/// What was read of a document, written as one.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedContent {
    /// The provider that gave this text: whoever may ask it sees the record, and whoever may ask another does not. None: a
    /// person typed the address, and the record belongs to those who were given its text.
    pub source_provider_id: Option<ProviderId>,
    pub source_provider: String,
    pub content_hash: String,
    pub simhash: String,
    pub external_version: String,
    /// Empty keeps what is there.
    pub title: String,
    pub author: String,
    pub mime: String,
    pub ext: String,
    pub size: u64,
    /// Bytes of the file that the text was read from; 0: not known.
    pub file_bytes: u64,
    pub language: String,
    pub is_supplied: bool,
    pub version_label: String,
    pub embedding_model: String,
    pub body_key: Option<BodyKey>,
    pub body_bytes: u64,
    pub body_expires: Option<Instant>,
    pub chunks: Vec<StoredChunk>,
    /// People beside the retriever who see whatever this provider gave to anybody: they see the new text in place of an
    /// older one.
    pub followers: Vec<UserId>,
}

/// One person's right to see one document, earned by retrieving it with their own credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grant {
    pub signal_id: SignalId,
    pub user_id: UserId,
    /// The authenticator whose token was used; empty: none was needed.
    pub idp: String,
    /// The provider whose account, credentials or template gave this person a document that is attributed to nobody: it is
    /// not fetched again without the account, and the provider's other users get nothing by it.
    pub account_provider_id: Option<ProviderId>,
    pub granted_at: Instant,
    /// When the source last let this person have it.
    pub last_ok: Option<Instant>,
    pub revoked_at: Option<Instant>,
    /// The text that the source gave this person. The right is to this text and to no other: the same address may show
    /// everybody something else.
    pub content_hash: String,
    /// Why this person could not have a text, the newest last. Nobody else is told.
    pub messages: Vec<String>,
}

impl Grant {
    /// It opens the document as it is now.
    pub fn opens(&self, signal: &Signal) -> bool {
        self.revoked_at.is_none()
            && !signal.content_hash.is_empty()
            && self.content_hash == signal.content_hash
    }
}
