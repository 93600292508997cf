//! The caller's documents in the cache.

use crate::api::pagination::{ListRequest, Listing, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::corpus::{Liveness, MatterTag, Origin, OwnedVisibility, Signal, SignalState, SourceKind};
use domain::ids::{ProviderId, SignalId};
use domain::notice;
use domain::ports::SignalFilter;
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use syntax::suggest;

pub const TEXT_CHARS_MAX: usize = 200;

/// A document in the cache.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CachedDocument {
    signal_id: SignalId,
    title: String,
    url: String,
    /// Name of the provider that it came from; empty if it was ingested by its address.
    source_provider: String,
    state: SignalState,
    origin: Origin,
    liveness: Liveness,
    /// When the copy was last known to match the source.
    last_verified: Option<DateTime<Utc>>,
    /// `last_verified` is older than `SVC_CACHE_LIVENESS_RECHECK_SECONDS`.
    stale: bool,
    indexed_at: Option<DateTime<Utc>>,
    /// Compressed size of the full text in the storage.
    body_bytes: u64,
    /// Indexed chunks.
    chunk_count: u32,
    /// Your tags of the document.
    matter_tags: Vec<String>,
}

/// A document in the cache, with all details.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CachedDocumentDetails {
    #[serde(flatten)]
    document: CachedDocument,
    source_provider_id: Option<ProviderId>,
    source_kind: SourceKind,
    author: String,
    #[schema(example = "application/pdf")]
    mime: String,
    /// ISO 639-1, or empty.
    language: String,
    /// Characters of the text.
    size: u64,
    /// A user supplied the text, not the source: only that user sees it.
    is_supplied: bool,
    date_published: String,
    /// When you first had it; for a document that you see through its source: when anyone first had it.
    first_seen: DateTime<Utc>,
    last_retrieved: DateTime<Utc>,
    /// When the source was last checked, and the result.
    liveness_checked: Option<DateTime<Utc>>,
    liveness_http: Option<u16>,
    /// When the full text leaves the storage; its chunks can still be found after that.
    body_expires: Option<DateTime<Utc>>,
    lineage: Lineage,
    /// Why the text could not be fetched, newest last.
    messages: Vec<String>,
}

/// Its position among its versions.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Lineage {
    /// Documents with the same value are versions of each other.
    lineage_id: Option<SignalId>,
    #[schema(example = "v2")]
    version_label: String,
    supersedes: Option<SignalId>,
    superseded_by: Option<SignalId>,
}

impl CachedDocument {
    fn of(state: &AppState, signal: &Signal) -> Self {
        let mark = state.corpus.mark(signal);
        Self {
            signal_id: signal.signal_id,
            title: signal.title.clone(),
            url: signal.url.clone(),
            source_provider: signal.source_provider.clone(),
            state: signal.state,
            origin: signal.origin,
            liveness: signal.liveness,
            last_verified: signal.last_verified,
            stale: mark.stale,
            indexed_at: signal.indexed_at,
            body_bytes: signal.body_bytes,
            chunk_count: signal.chunk_count,
            matter_tags: signal.matter_tags.clone(),
        }
    }
}

impl CachedDocumentDetails {
    fn of(state: &AppState, signal: Signal) -> Self {
        Self {
            document: CachedDocument::of(state, &signal),
            source_provider_id: signal.source_provider_id,
            source_kind: signal.source_kind,
            author: signal.author,
            mime: signal.mime,
            language: signal.language,
            size: signal.size,
            is_supplied: signal.is_supplied,
            date_published: signal.date_published,
            first_seen: signal.first_seen,
            last_retrieved: signal.last_retrieved,
            liveness_checked: signal.liveness_checked,
            liveness_http: signal.liveness_http,
            body_expires: signal.body_expires,
            lineage: Lineage {
                lineage_id: signal.lineage_id,
                version_label: signal.version_label,
                supersedes: signal.supersedes,
                superseded_by: signal.superseded_by,
            },
            messages: notice::lines(&signal.notices),
        }
    }
}

/// Filter of the list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct DocumentParams {
    /// Words in its title or address.
    text: Option<String>,
    /// `known`, `indexed` or `pinned`.
    state: Option<String>,
    /// Only documents of this matter, with or without `matter:`.
    matter_tag: Option<String>,
}

impl DocumentParams {
    fn filter(&self) -> Result<SignalFilter, ApiError> {
        let given = |text: &Option<String>| text.as_deref().map(str::trim).unwrap_or_default().to_owned();
        let mut errors = FieldErrors::default();
        let is_short = self.text.as_ref().is_none_or(|text| text.chars().count() <= TEXT_CHARS_MAX);
        errors.check(is_short, "text", || format!("At most {TEXT_CHARS_MAX} characters are allowed."));
        let matter_tag = Some(given(&self.matter_tag)).filter(|tag| !tag.is_empty());
        let matter_tag = matter_tag.and_then(|tag| MatterTag::read(&mut errors, "matter_tag", &tag));
        errors.into_result(()).map_err(ApiError::invalid)?;
        let state = match given(&self.state).as_str() {
            "" => None,
            name => Some(SignalState::parse(name).ok_or_else(|| {
                let known = SignalState::ALL.iter().map(|state| state.as_str());
                ApiError::invalid_field("state", suggest::unknown("state", name, known))
            })?),
        };
        Ok(SignalFilter {
            state,
            matter_tag,
            words: given(&self.text),
            // The cache sets the tokens of the user.
            ..SignalFilter::visible_to(OwnedVisibility::To(Vec::new()))
        })
    }

    /// The path of the list with its filter, for the links to its pages.
    fn path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let texts = [("text", &self.text), ("state", &self.state), ("matter_tag", &self.matter_tag)];
        query.extend_pairs(texts.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
        match query.finish() {
            none if none.is_empty() => "/cache/".to_owned(),
            query => format!("/cache/?{query}"),
        }
    }
}

/// The documents in the semantic cache that you may see, last retrieved first.
#[utoipa::path(get, path = "/svc/cache/", tag = "cache", params(DocumentParams, Paging), responses(
    (status = 200, description = "Documents.", body = Listing<CachedDocument>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody)))]
pub async fn read_documents(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(params): ApiQuery<DocumentParams>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, &params.path())?;
    let (user, filter) = (caller.principal.user, params.filter()?);
    let page = state.corpus.documents_of(user, filter, list.offset(), list.limit()).await?;
    let items = page.items.iter().map(|signal| CachedDocument::of(&state, signal)).collect();
    Ok(list.answer::<CachedDocument>(items, page.total))
}

/// One document of the semantic cache.
#[utoipa::path(get, path = "/svc/cache/{id}/", tag = "cache",
    params(("id" = i64, Path, description = "`signal_id` of the document.")), responses(
    (status = 200, description = "The document.", body = CachedDocumentDetails),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody)))]
pub async fn read_document(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<CachedDocumentDetails>, ApiError> {
    let signal = state.corpus.document_of(caller.principal.user, SignalId(id)).await?;
    Ok(Json(CachedDocumentDetails::of(&state, signal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_parsed_and_kept_in_links() {
        let params = |text: &str, state: &str, tag: &str| DocumentParams {
            text: Some(text.to_owned()).filter(|text| !text.is_empty()),
            state: Some(state.to_owned()).filter(|text| !text.is_empty()),
            matter_tag: Some(tag.to_owned()).filter(|text| !text.is_empty()),
        };
        let read = params(" rivers ", "indexed", "a b").filter().expect("a filter");
        assert_eq!((read.words.as_str(), read.state), ("rivers", Some(SignalState::Indexed)));
        assert_eq!(read.matter_tag, MatterTag::parse("a b"));
        let prefixed = params("", "", "MATTER:a b").filter().expect("a filter");
        assert_eq!(prefixed.matter_tag, read.matter_tag);
        assert_eq!(
            read.visible_to,
            OwnedVisibility::To(Vec::new()),
            "who may see them is not the client's to say"
        );
        assert_eq!(
            params("", "", "").filter().expect("a filter"),
            SignalFilter::visible_to(OwnedVisibility::To(Vec::new()))
        );
        let long = "x".repeat(TEXT_CHARS_MAX);
        assert!(params(&long, "", &long).filter().is_ok());
        for bad in [
            params("", "lost", ""),
            params(&(long.clone() + "x"), "", ""),
            params("", "", &(long + "x")),
            params("", "", "matter:"),
        ] {
            assert!(bad.filter().is_err());
        }
        assert_eq!(params("", "", "").path(), "/cache/");
        assert_eq!(params("a b", "known", "").path(), "/cache/?text=a+b&state=known");
    }
}
