//! The row of a document: read whole, changed as the domain type, written back whole.

use crate::db::{Tx, on_tx, rows_affected};
use crate::json::{plain, to_column, to_count};
use crate::row::row;
use crate::sql::text::folded;
use domain::corpus::{Liveness, Origin, Signal, SignalState, SourceKind};
use domain::ids::{ProviderId, SignalId};
use domain::instant::Instant;
use domain::ports::{BodyKey, StoreError};

/// Longest title, author or other line, in characters.
pub(super) const LINE_CHARS_MAX: usize = 1_000;
/// Longest id at a source, in bytes: a longer one is not stored, because a truncated one could be another document's.
const EXTERNAL_ID_BYTES_MAX: usize = 1_000;

macro_rules! columns {
    () => {
        "signals.id, url, url_hash, source_provider_id, source_provider, source_kind, external_id, external_version, \
         title, author, mime, ext, size, language, signals.content_hash, simhash, state, origin, is_supplied, \
         date_published, first_seen, indexed_at, last_verified, last_retrieved, liveness, \
         liveness_checked, liveness_http, lineage_id, version_label, supersedes, superseded_by, chunk_count, \
         embedding_model, embedding_dim, body_key, body_bytes, body_expires, rejections, \
         file_bytes"
    };
}
pub(super) use columns;

row! {
    pub(super) struct SignalRow {
        id: i64,
        url: String,
        url_hash: String,
        source_provider_id: Option<i64>,
        source_provider: String,
        source_kind: String,
        external_id: String,
        external_version: String,
        title: String,
        author: String,
        mime: String,
        ext: String,
        size: i64,
        language: String,
        content_hash: String,
        simhash: String,
        state: String,
        origin: String,
        is_supplied: bool,
        date_published: String,
        first_seen: Instant,
        indexed_at: Option<Instant>,
        last_verified: Option<Instant>,
        last_retrieved: Instant,
        liveness: String,
        liveness_checked: Option<Instant>,
        liveness_http: Option<i64>,
        lineage_id: Option<i64>,
        version_label: String,
        supersedes: Option<i64>,
        superseded_by: Option<i64>,
        chunk_count: i64,
        embedding_model: String,
        embedding_dim: i64,
        body_key: Option<String>,
        body_bytes: i64,
        body_expires: Option<Instant>,
        rejections: i64,
        file_bytes: i64,
    }
}

impl TryFrom<SignalRow> for Signal {
    type Error = StoreError;

    fn try_from(row: SignalRow) -> Result<Self, StoreError> {
        let signal_id = SignalId(row.id);
        let unreadable = || StoreError::failed(format!("the cached document {signal_id} is not readable"));
        Ok(Self {
            signal_id,
            url: row.url,
            url_hash: row.url_hash,
            source_provider_id: row.source_provider_id.map(ProviderId),
            source_provider: row.source_provider,
            source_kind: SourceKind::parse(&row.source_kind).ok_or_else(unreadable)?,
            external_id: row.external_id,
            external_version: row.external_version,
            title: row.title,
            author: row.author,
            mime: row.mime,
            ext: row.ext,
            size: to_count(row.size),
            file_bytes: to_count(row.file_bytes),
            language: row.language,
            content_hash: row.content_hash,
            simhash: row.simhash,
            state: SignalState::parse(&row.state).ok_or_else(unreadable)?,
            origin: Origin::parse(&row.origin).ok_or_else(unreadable)?,
            matter_tags: Vec::new(),
            is_supplied: row.is_supplied,
            date_published: row.date_published,
            first_seen: row.first_seen,
            indexed_at: row.indexed_at,
            last_verified: row.last_verified,
            last_retrieved: row.last_retrieved,
            liveness: Liveness::parse(&row.liveness).ok_or_else(unreadable)?,
            liveness_checked: row.liveness_checked,
            liveness_http: row.liveness_http.and_then(|code| u16::try_from(code).ok()),
            lineage_id: row.lineage_id.map(SignalId),
            version_label: row.version_label,
            supersedes: row.supersedes.map(SignalId),
            superseded_by: row.superseded_by.map(SignalId),
            chunk_count: to_small(row.chunk_count),
            embedding_model: row.embedding_model,
            embedding_dim: to_small(row.embedding_dim),
            body_key: row.body_key.as_deref().and_then(BodyKey::parse),
            body_bytes: to_count(row.body_bytes),
            body_expires: row.body_expires,
            rejections: to_small(row.rejections),
            notices: Vec::new(),
        })
    }
}

/// The document within this transaction, without personal tags and messages.
pub(super) async fn load(tx: &mut Tx, id: SignalId) -> Result<Signal, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM signals WHERE id = $1");
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT).bind(id.0).fetch_one(db))?.try_into()
}

/// Writes the document back, except its identity (see `identity`) and personal tags and messages.
pub(super) async fn save(tx: &mut Tx, signal: &Signal) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE signals SET url = $2, url_hash = $3, source_provider_id = $4, source_provider = $5, \
         external_id = $6, external_version = $7, title = $8, author = $9, mime = $10, ext = $11, size = $12, \
         language = $13, content_hash = $14, simhash = $15, state = $16, is_supplied = $17, date_published = $18, \
         indexed_at = $19, last_verified = $20, last_retrieved = $21, liveness = $22, liveness_checked = $23, \
         liveness_http = $24, lineage_id = $25, version_label = $26, chunk_count = $27, embedding_model = $28, \
         embedding_dim = $29, body_key = $30, body_bytes = $31, body_expires = $32, found_by = $33, \
         file_bytes = $34 \
         WHERE id = $1";
    let (title, author) = (line(&signal.title), line(&signal.author));
    let found_by = format!("{}\n{}", folded(&title), folded(&signal.url));
    let rows = on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(signal.signal_id.0)
        .bind(signal.url.as_str())
        .bind(signal.url_hash.as_str())
        .bind(signal.source_provider_id.map(|id| id.0))
        .bind(line(&signal.source_provider))
        .bind(external_id(&signal.external_id))
        .bind(line(&signal.external_version))
        .bind(title.as_str())
        .bind(author.as_str())
        .bind(line(&signal.mime))
        .bind(line(&signal.ext))
        .bind(to_column(signal.size))
        .bind(line(&signal.language))
        .bind(signal.content_hash.as_str())
        .bind(signal.simhash.as_str())
        .bind(signal.state.as_str())
        .bind(signal.is_supplied)
        .bind(line(&signal.date_published))
        .bind(signal.indexed_at)
        .bind(signal.last_verified)
        .bind(signal.last_retrieved)
        .bind(signal.liveness.as_str())
        .bind(signal.liveness_checked)
        .bind(signal.liveness_http.map(i64::from))
        .bind(signal.lineage_id.map(|id| id.0))
        .bind(line(&signal.version_label))
        .bind(i64::from(signal.chunk_count))
        .bind(line(&signal.embedding_model))
        .bind(i64::from(signal.embedding_dim))
        .bind(signal.body_key.as_ref().map(BodyKey::as_str))
        .bind(to_column(signal.body_bytes))
        .bind(signal.body_expires)
        .bind(found_by.as_str())
        .bind(to_column(signal.file_bytes))
        .execute(db)))?;
    if rows == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}

/// The body, unless a document references it.
pub(super) async fn unneeded(tx: &mut Tx, key: Option<BodyKey>) -> Result<Option<BodyKey>, StoreError> {
    const TEXT: &str = "SELECT COUNT(*) FROM signals WHERE body_key = $1";
    let Some(key) = key else { return Ok(None) };
    let users: i64 = on_tx!(tx, db => sqlx::query_scalar(TEXT).bind(key.as_str()).fetch_one(db))?;
    Ok((users == 0).then_some(key))
}

/// A truncated single line.
pub(in crate::sql) fn line(text: &str) -> String {
    plain(text).chars().take(LINE_CHARS_MAX).collect()
}

/// The id of a document at its source, if valid.
pub(super) fn external_id(id: &str) -> String {
    if id.len() > EXTERNAL_ID_BYTES_MAX { String::new() } else { plain(id) }
}

fn to_small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
