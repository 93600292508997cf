//! The semantic cache: what is kept of a document that somebody retrieved, who may see it, and how it shows on results.

mod acl;
mod address;
mod backends;
mod cluster;
mod egress;
mod election;
mod license_policy;
mod listed;
mod mark;
mod pin;
mod reason;
mod signal;
mod topic;
mod words;

pub use acl::AclToken;
pub use address::{DocumentAddress, URL_CHARS_MAX};
pub use backends::{QdrantMode, StorageBackend, VectorBackend};
pub use cluster::{ClusterMark, ClusterMember, DecidedBy, Standing};
pub use egress::{
    Channel, EgressEvent, EventStatus, MatchMethod, NewEvent, NewScan, Scan, ScanCounts, ScanStatus,
};
pub use election::{
    COMMENT_CHARS_MAX, Factors, Member, MemberRole, NewRun, RejectReason, Rejection, Run, RunStatus,
    Thresholds, Weights,
};
pub use license_policy::LicensePolicy;
pub use listed::{CANDIDATES_MAX, candidates, stand};
pub use mark::{Badge, CacheMark};
pub use pin::{NewPin, Pin, PinAction, PinEvent, PinVia};
pub use reason::{FormatKind, Reason};
pub use signal::{
    Grant, IndexedContent, Liveness, NewSignal, Origin, Signal, SignalState, SourceKind, StoredChunk,
};

pub use topic::{QUERY_CHARS_MAX, Scope, Topic, query_key};

/// The name of the source that is the cache itself.
pub const PROVIDER_NAME: &str = "Files - Tributary Cache";
/// The connector of that source.
pub const CONNECTOR_NAME: &str = "TributaryCorpusConnector";
/// The collection of vectors.
pub const COLLECTION: &str = "swirl_corpus";
/// A tag of a search that begins so names a matter.
pub const MATTER_PREFIX: &str = "matter:";
