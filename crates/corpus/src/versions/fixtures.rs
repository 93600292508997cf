//! Documents for tests of versions.

use chrono::DateTime;
use domain::corpus::{Liveness, Origin, Signal, SignalState, SourceKind};
use domain::ids::SignalId;

/// An indexed, live web document with its own text.
pub fn signal(id: i64, title: &str) -> Signal {
    Signal {
        signal_id: SignalId(id),
        url: format!("https://a.example/{id}"),
        url_hash: id.to_string(),
        source_provider_id: None,
        source_provider: String::new(),
        source_kind: SourceKind::Web,
        external_id: String::new(),
        external_version: String::new(),
        title: title.to_owned(),
        author: String::new(),
        mime: String::new(),
        ext: String::new(),
        size: 0,
        file_bytes: 0,
        language: String::new(),
        content_hash: format!("hash {id}"),
        simhash: String::new(),
        state: SignalState::Indexed,
        origin: Origin::Rag,
        matter_tags: Vec::new(),
        is_supplied: false,
        date_published: "unknown".to_owned(),
        first_seen: DateTime::default(),
        indexed_at: None,
        last_verified: None,
        last_retrieved: DateTime::default(),
        liveness: Liveness::Alive,
        liveness_checked: None,
        liveness_http: None,
        lineage_id: None,
        version_label: String::new(),
        supersedes: None,
        superseded_by: None,
        chunk_count: 0,
        embedding_model: "model".to_owned(),
        embedding_dim: 0,
        body_key: None,
        body_bytes: 0,
        body_expires: None,
        rejections: 0,
        notices: Vec::new(),
    }
}
