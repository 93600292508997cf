//! POST: holds, approves or rejects an election.

use super::errors::PinConflict;
use super::view::{ElectionsView, RunDetailView, RunView};
use crate::api::search::own_search;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath, JsonOrNothing};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use corpus::canonical::RunQuery;
use domain::corpus::{COMMENT_CHARS_MAX, RejectReason};
use domain::ids::{RunId, SearchId};
use domain::ports::{Corpus, ExistingPin};
use domain::validation::FieldErrors;
use serde::Deserialize;
use std::sync::Arc;
use syntax::suggest;

/// Approval of the winner.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ApproveInput {
    /// A comment for later readers; at most 2,000 characters.
    comment: Option<String>,
    /// Replace another document that is pinned for the query.
    force: bool,
}

/// Rejection of the winner.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct RejectInput {
    #[schema(value_type = RejectReason, required = true)]
    reason: String,
    /// A comment for later readers; at most 2,000 characters.
    comment: Option<String>,
}

/// The search to hold elections for.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ElectInput {
    /// A finished search of yours.
    #[schema(value_type = i64, required = true)]
    search_id: Option<i64>,
}

/// Approves the winner of an election: it is pinned for the election's query and scope, and the other members are its
/// alternates. For curators and administrators who may see the winner. The body may be omitted.
#[utoipa::path(post, path = "/svc/canonical/{id}/approve/", tag = "canonical",
    params(("id" = i64, Path, description = "`run_id` of the election.")),
    request_body(content = ApproveInput, example = json!({"comment": "Signed on 4 May."})), responses(
    (status = 200, description = "The election as it is now.", body = RunDetailView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 403, description = "Neither a curator nor an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody),
    (status = 409, description = "`already_decided`, or `pin_exists`: another document is pinned for the query; `force` \
        replaces it.", body = PinConflict),
    (status = 415, description = "The body is not JSON.", body = ErrorBody)))]
pub async fn approve_run(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    JsonOrNothing(input): JsonOrNothing<ApproveInput>,
) -> Result<Json<RunDetailView>, ApiError> {
    let comment = comment(input.comment)?;
    let existing = ExistingPin::of_force(input.force);
    let detail = state.corpus.approve(&caller.principal, RunId(id), &comment, existing).await?;
    let who = &caller.principal.username;
    tracing::info!(run.id = id, "the election {id} was approved by {who}");
    Ok(Json(detail.into()))
}

/// Rejects the winner of an election: it counts for less in later elections, most of all for the same query. For
/// curators and administrators who may see the winner.
#[utoipa::path(post, path = "/svc/canonical/{id}/reject/", tag = "canonical",
    params(("id" = i64, Path, description = "`run_id` of the election.")),
    request_body(content = RejectInput, example = json!({"reason": "outdated"})), responses(
    (status = 200, description = "The election as it is now.", body = RunDetailView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 403, description = "Neither a curator nor an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody),
    (status = 409, description = "`already_decided`.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody)))]
pub async fn reject_run(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiJson(input): ApiJson<RejectInput>,
) -> Result<Json<RunDetailView>, ApiError> {
    let reason = reason(&input.reason)?;
    let comment = comment(input.comment)?;
    let detail = state.corpus.reject(&caller.principal, RunId(id), reason, &comment).await?;
    let (who, why) = (&caller.principal.username, reason.as_str());
    tracing::info!(run.id = id, "the election {id} was rejected by {who}: {why}");
    Ok(Json(detail.into()))
}

/// Holds the elections of one of your own searches now, even if `SVC_CANONICAL_AUTO_ELECT_ENABLED` is off. Repeating it
/// returns the same elections.
#[utoipa::path(post, path = "/svc/canonical/elect/", tag = "canonical",
    request_body(content = ElectInput, example = json!({"search_id": 12})), responses(
    (status = 200, description = "The elections of the search.", body = ElectionsView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 404, description = "Not one of your searches.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody),
    (status = 503, description = "`not_ready`: the search is still running.", body = ErrorBody)))]
pub async fn elect(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiJson(input): ApiJson<ElectInput>,
) -> Result<Json<ElectionsView>, ApiError> {
    let id =
        input.search_id.ok_or_else(|| ApiError::invalid_field("search_id", "Name a search of yours."))?;
    if !state.corpus.is_open() {
        return Err(ApiError::of(ErrorCode::CacheUnlicensed));
    }
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let search_id = search.id;
    let held = state.federation.elector.elect(&search).await?;
    let query = RunQuery { limit: held.len() as u64, ids: Some(held), ..RunQuery::default() };
    let runs = state.corpus.runs(&caller.principal, &query).await?;
    Ok(Json(ElectionsView { search_id, results: runs.items.into_iter().map(RunView::from).collect() }))
}

fn comment(given: Option<String>) -> Result<String, ApiError> {
    let comment = given.map(|text| text.trim().to_owned()).unwrap_or_default();
    let mut errors = FieldErrors::default();
    errors.check_text("comment", &comment, COMMENT_CHARS_MAX);
    errors.into_result(comment).map_err(ApiError::invalid)
}

fn reason(given: &str) -> Result<RejectReason, ApiError> {
    RejectReason::parse(given).ok_or_else(|| {
        let known: Vec<&str> = RejectReason::ALL.iter().map(|reason| reason.as_str()).collect();
        let sentence = match given.trim() {
            "" => format!("A reason is needed: {}.", known.join(", ")),
            given => suggest::unknown("reason", given, known),
        };
        ApiError::invalid_field("reason", sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_their_limit_and_reasons_are_known() {
        assert_eq!(comment(None).expect("none"), "");
        assert_eq!(comment(Some(" signed ".to_owned())).expect("a comment"), "signed");
        assert!(comment(Some("x".repeat(COMMENT_CHARS_MAX))).is_ok());
        assert!(comment(Some("x".repeat(COMMENT_CHARS_MAX + 1))).is_err());
        for one in RejectReason::ALL {
            assert_eq!(reason(one.as_str()).expect("known"), *one);
        }
        let refused = reason("wrong_versions").expect_err("unknown");
        assert!(refused.detail().contains("Did you mean 'wrong_version'?"), "{}", refused.detail());
        let refused = reason("").expect_err("none");
        assert!(refused.detail().contains("A reason is needed: wrong_version, "), "{}", refused.detail());
    }
}
