//! AI summaries of finished searches: generated, streamed, and cancelled.

mod rag_params;
mod rating;
mod stream;

pub use rag_params::{LenientBool, RagRequest, TIMEOUT_S, missing_summary, summarize, time_max};
pub use stream::{accepts_events, answer_stream};

use super::search::{is_prefetch, log_view, mixed_json, own_search};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::links::Links;
use crate::state::AppState;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::ids::{AiProviderId, SearchId};
use domain::mixed::MixedResponse;
use domain::summary::SummaryRequest;
use federation::{FederationError, MixRequest};
use serde::Deserialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Most numbers in `result_list`.
pub const RESULT_LIST_MAX: usize = 500;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(create_answer))
        .routes(routes!(cancel_answer))
        .routes(routes!(rating::rate_answer))
}

/// Request of an AI summary.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct RagSearchInput {
    /// A finished search of yours.
    search_id: i64,
    /// `swirl_id`s of its results; if none of them is one, ranks in its list. By default all results.
    #[serde(default)]
    result_list: Vec<i64>,
    /// Instructions for the style of the summary; at most 2,000 characters are used.
    #[serde(default)]
    ai_instructions: Option<String>,
    /// Name of a prompt; see `/svc/prompts/`.
    #[serde(default)]
    prompt: Option<String>,
    /// Id of the AIProvider to use.
    #[serde(default)]
    ai_provider: Option<i64>,
    /// Seconds that the summary may take.
    #[serde(default)]
    rag_timeout: Option<i64>,
    /// True: generates a new summary, which replaces the stored one.
    #[serde(default)]
    renew: bool,
}

/// Generates the AI summary of a finished search, and returns the first page of its results with the summary.
///
/// The stored summary is returned for an equivalent request, unless `renew` is true. With `Accept: text/event-stream`
/// the summary is streamed: `status`, `source`, `delta`, `citations`, and `done` with the whole item, or `error`.
#[utoipa::path(post, path = "/svc/rag-search/", tag = "answers", request_body(content = RagSearchInput,
        example = json!({"search_id": 7, "result_list": [3, 5], "ai_instructions": "In two sentences."})),
    responses(
    (status = 200, description = "The results with the summary; `info.ai` has the reason if there is none.", body = MixedResponse),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown search, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "It was canceled, or the search was started again.", body = ErrorBody),
    (status = 429, description = "Too many requests; `retry_after` says when to try again.", body = ErrorBody),
    (status = 502, description = "`ai_provider_error`: the model failed.", body = ErrorBody),
    (status = 503, description = "The search is still running, or `no_ai_provider`: no model is active for summaries.", body = ErrorBody),
    (status = 504, description = "`rag_timeout`: it took too long.", body = ErrorBody)))]
async fn create_answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    address: ClientAddress,
    headers: HeaderMap,
    ApiJson(input): ApiJson<RagSearchInput>,
) -> Result<Response, ApiError> {
    let mut rag_request = input.rag_request(&state)?;
    let search = own_search(&state, &caller.principal, SearchId(input.search_id)).await?;
    if is_prefetch(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    state.throttles.take(Class::Rag, caller.principal.user, address)?;
    if input.renew {
        rag_request.summary.instead_of =
            state.federation.reader.saved_summary(&search).await?.map(|stored| stored.row.swirl_id);
    }
    if accepts_events(&headers) {
        // An error cannot be returned after the stream has begun.
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status).into());
        }
        let permit = state.throttles.streams.enter(caller.principal.user)?;
        return Ok(answer_stream(&state, &search, &rag_request, None, permit));
    }
    let ai = match state.summaries.answer(&search, &rag_request.summary, rag_request.time_max).await {
        Ok(_) => domain::mixed::AiInfo::ok(),
        Err(error) => missing_summary(error)?,
    };
    let request = MixRequest { base_url: links.base(), summary: Some(ai), ..MixRequest::default() };
    let mixed = state.federation.mixer.mix(&search, &request).await?;
    log_view(&search, &mixed);
    mixed_json(&mixed)
}

/// Cancels the summary of a search that is being generated: fetches and the request to the model. Without one, nothing
/// happens.
#[utoipa::path(delete, path = "/svc/rag-search/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 204, description = "No summary is being generated."),
    (status = 404, description = "Unknown search, or it belongs to someone else.", body = ErrorBody)))]
async fn cancel_answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    state.summaries.cancel(search.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl RagSearchInput {
    fn rag_request(&self, state: &AppState) -> Result<RagRequest, ApiError> {
        if self.result_list.len() > RESULT_LIST_MAX {
            let sentence = format!("At most {RESULT_LIST_MAX} numbers are allowed.");
            return Err(ApiError::invalid_field("result_list", sentence));
        }
        let summary = SummaryRequest {
            items: self.result_list.clone(),
            instructions: self.ai_instructions.clone().unwrap_or_default(),
            prompt: self.prompt.clone().unwrap_or_default(),
            ai_provider: self.ai_provider.map(AiProviderId),
            instead_of: None,
        };
        Ok(RagRequest { summary, time_max: time_max(state, self.rag_timeout)? })
    }
}
