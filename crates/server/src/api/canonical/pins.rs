//! Pins: create, remove, list, and their history.

use super::errors::PinConflict;
use super::filters::PinFilter;
use super::view::{PinEventView, PinView};
use crate::api::pagination::{ListRequest, Paged, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiQuery, JsonOrNothing};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use corpus::canonical::PinRequest;
use domain::corpus::Scope;
use domain::ids::SignalId;
use domain::ports::ExistingPin;
use domain::search::QUERY_CHARS_MAX;
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const PINS: &str = "/canonical/pins/";
const HISTORY: &str = "/canonical/pins/history/";

/// A document to pin for a query.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct PinInput {
    #[schema(value_type = i64, required = true)]
    signal_id: Option<i64>,
    /// Case and whitespace do not matter.
    #[schema(value_type = String)]
    query: Option<String>,
    /// Replace another document.
    force: bool,
    /// `firm` by default, or `matter:<tag>`.
    scope: Option<String>,
}

/// Which pins of the document are removed; all by default.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct UnpinInput {
    /// Only the pin of this query.
    query: Option<String>,
    /// Only pins of this scope: `firm`, or `matter:<tag>`.
    scope: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Unpinned {
    /// Number of removed pins.
    removed: u64,
}

/// Pins a document for a query, for everyone who may see the document. For curators and administrators who may see it
/// themselves.
#[utoipa::path(post, path = "/svc/canonical/pin-for-query/", tag = "canonical",
    request_body(content = PinInput, example = json!({"signal_id": 7, "query": "master services agreement"})), responses(
    (status = 201, description = "The pin.", body = PinView),
    (status = 200, description = "It is already pinned for this query.", body = PinView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 403, description = "Neither a curator nor an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody),
    (status = 409, description = "`pin_exists`: another document is pinned for this query; `force` replaces it.",
        body = PinConflict),
    (status = 415, description = "The body is not JSON.", body = ErrorBody),
    (status = 422, description = "`not_indexed`: its text is not in the cache.", body = ErrorBody)))]
pub async fn pin_for_query(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiJson(input): ApiJson<PinInput>,
) -> Result<(StatusCode, Json<PinView>), ApiError> {
    let request = input.into_request()?;
    let pinned = state.corpus.pin(&caller.principal, request).await?;
    let status = if pinned.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let (pin, who) = (&pinned.pin.pin, &caller.principal.username);
    if pinned.is_new {
        let (signal, scope) = (pin.signal_id, &pin.scope);
        tracing::info!(signal.id = %signal, "the cached document {signal} was pinned for {scope} by {who}");
    }
    Ok((status, Json(pinned.pin.into())))
}

/// Removes pins of a document, all of them if the body is omitted. There is no penalty: the next search holds a new
/// election, and the same document may win.
#[utoipa::path(post, path = "/svc/canonical/{id}/unpin/", tag = "canonical",
    params(("id" = i64, Path, description = "`signal_id` of the document.")),
    request_body(content = UnpinInput, example = json!({"query": "master services agreement"})), responses(
    (status = 200, description = "Number of removed pins; 0 if there was none.", body = Unpinned),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 403, description = "Neither a curator nor an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody)))]
pub async fn unpin(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    JsonOrNothing(input): JsonOrNothing<UnpinInput>,
) -> Result<Json<Unpinned>, ApiError> {
    let (query, scope) = input.checked()?;
    let signal = SignalId(id);
    let removed = state.corpus.unpin(&caller.principal, signal, query.as_deref(), scope.as_ref()).await?;
    let who = &caller.principal.username;
    tracing::info!(signal.id = %signal, "{removed} pins of the cached document {signal} were removed by {who}");
    Ok(Json(Unpinned { removed }))
}

/// For curators and administrators: the pins of documents that they may see, newest first.
#[utoipa::path(get, path = "/svc/canonical/pins/", tag = "canonical", params(PinFilter, Paging), responses(
    (status = 200, description = "A page of pins.", body = Paged<PinView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Neither a curator nor an administrator.", body = ErrorBody)))]
pub async fn list_pins(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(filter): ApiQuery<PinFilter>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, &filter.path(PINS))?;
    let query = filter.to_query(list.offset(), list.limit())?;
    let page = state.corpus.pins(&caller.principal, &query).await?;
    Ok(list.answer(page.items.into_iter().map(PinView::from).collect(), page.total))
}

/// For curators and administrators: the history of the pins of documents that they may see, newest first.
#[utoipa::path(get, path = "/svc/canonical/pins/history/", tag = "canonical", params(PinFilter, Paging), responses(
    (status = 200, description = "A page of changes.", body = Paged<PinEventView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Neither a curator nor an administrator.", body = ErrorBody)))]
pub async fn list_pin_history(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(filter): ApiQuery<PinFilter>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, &filter.path(HISTORY))?;
    let query = filter.to_query(list.offset(), list.limit())?;
    let page = state.corpus.pin_history(&caller.principal, &query).await?;
    Ok(list.answer(page.items.into_iter().map(PinEventView::from).collect(), page.total))
}

impl PinInput {
    fn into_request(self) -> Result<PinRequest, ApiError> {
        let mut errors = FieldErrors::default();
        let query = self.query.unwrap_or_default().trim().to_owned();
        errors.check(self.signal_id.is_some(), "signal_id", || "Name a document.".to_owned());
        errors.check(!query.is_empty(), "query", || "A query is needed.".to_owned());
        errors.check_text("query", &query, QUERY_CHARS_MAX);
        let request = PinRequest {
            signal_id: SignalId(self.signal_id.unwrap_or_default()),
            query,
            scope: Scope::read(&mut errors, "scope", self.scope.as_deref().unwrap_or_default()),
            existing: ExistingPin::of_force(self.force),
        };
        errors.into_result(request).map_err(ApiError::invalid)
    }
}

impl UnpinInput {
    /// The query and the scope. An empty one would match nothing, or everything.
    fn checked(self) -> Result<(Option<String>, Option<Scope>), ApiError> {
        let mut errors = FieldErrors::default();
        for (field, text) in [("query", &self.query), ("scope", &self.scope)] {
            let is_empty = text.as_ref().is_some_and(|text| text.trim().is_empty());
            errors.check(!is_empty, field, || format!("Name a {field}, or leave it out for all."));
        }
        errors.check_text("query", self.query.as_deref().unwrap_or_default(), QUERY_CHARS_MAX);
        let scope = self.scope.as_deref().map(|scope| Scope::read(&mut errors, "scope", scope));
        errors.into_result((self.query, scope)).map_err(ApiError::invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pin_requests_are_complete() {
        let input = |id: Option<i64>, query: &str, scope: Option<&str>| PinInput {
            signal_id: id,
            query: Some(query.to_owned()),
            force: false,
            scope: scope.map(str::to_owned),
        };
        let request = input(Some(7), " The MSA ", Some("matter:acme")).into_request().expect("a request");
        assert_eq!((request.signal_id, request.query.as_str()), (SignalId(7), "The MSA"));
        assert_eq!(Some(request.scope), Scope::parse("acme"));
        assert_eq!(input(Some(7), "msa", None).into_request().expect("a request").scope, Scope::Firm);
        assert!(input(Some(7), &"x".repeat(QUERY_CHARS_MAX), None).into_request().is_ok());
        for bad in [
            input(None, "msa", None),
            input(Some(7), " ", None),
            input(Some(7), "msa", Some("matter:")),
            input(Some(7), &"x".repeat(QUERY_CHARS_MAX + 1), None),
            PinInput::default(),
        ] {
            assert!(bad.into_request().is_err());
        }
    }

    #[test]
    fn unpin_requests_name_what_they_mean() {
        let long = "x".repeat(QUERY_CHARS_MAX + 1);
        for (query, scope, wrong) in [
            (None, None, ""),
            (Some("msa"), Some("Firm"), ""),
            (Some("msa"), Some("MATTER:acme"), ""),
            (Some(" "), None, "query"),
            (Some(long.as_str()), None, "query"),
            (None, Some(""), "scope"),
            (None, Some("matter:"), "scope"),
        ] {
            let input = UnpinInput { query: query.map(str::to_owned), scope: scope.map(str::to_owned) };
            match input.checked() {
                Ok((_, parsed)) => {
                    assert_eq!((wrong, parsed), ("", scope.and_then(Scope::parse)), "{query:?} {scope:?}");
                }
                Err(error) => {
                    let detail = error.detail();
                    assert!(!wrong.is_empty() && detail.starts_with(wrong), "{query:?} {scope:?}: {detail}");
                }
            }
        }
    }
}
