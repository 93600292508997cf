//! Corpus (semantic cache): cached documents, who may see them, and how they appear in results.

mod acl_token;
mod address;
mod backends;
mod cache_status;
mod cluster;
mod egress;
mod election;
mod matter;
mod pin;
mod reason;
mod result_status;
mod signal;
mod string_enum;
mod topic;
mod visibility;

pub use acl_token::AclToken;
pub use address::{DocumentAddress, URL_CHARS_MAX};
pub use backends::{QdrantMode, StorageBackend, VectorBackend};
pub use cache_status::{Badge, CacheStatus, PinInfo};
pub use cluster::{ClusterMark, ClusterMember, DecidedBy, VersionStatus};
pub use egress::{
    Channel, EgressEvent, EventStatus, MatchMethod, NewEvent, NewScan, Scan, ScanCounts, ScanStatus,
};
pub use election::{
    COMMENT_CHARS_MAX, Factors, Member, MemberRole, NewRun, RejectReason, Rejection, Run, RunStatus,
    Thresholds, Weights,
};
pub use matter::{MATTER_CHARS_MAX, MatterTag};
pub use pin::{NewPin, Pin, PinAction, PinEvent, PinVia};
pub use reason::{FormatKind, Reason};
pub use result_status::{CANDIDATES_MAX, apply_version_statuses, candidates};
pub use signal::{
    Grant, IndexedContent, Liveness, NewSignal, Origin, Signal, SignalState, SourceKind, StoredChunk,
};

pub use topic::{QUERY_CHARS_MAX, Scope, Topic, query_key};
pub use visibility::{OwnedVisibility, Visibility};

/// The name of the provider that searches the corpus.
pub const PROVIDER_NAME: &str = "Files - Tributary Cache";
/// The connector of that provider.
pub const CONNECTOR_NAME: &str = "TributaryCorpusConnector";
/// The vector collection.
pub const COLLECTION: &str = "swirl_corpus";
