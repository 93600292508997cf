//! AI summaries of searches: made over a search that is there, told while they are made, and cancelled.

mod asked;
mod rating;
mod stream;

pub use asked::{Asked, Wanted, answered, time_max, why};
pub use stream::{accepts_events, answer_stream};

use super::search::{is_prefetch, log_view, own_search};
use crate::AppState;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::links::Links;
use crate::throttle::Class;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::answer::AnswerWish;
use domain::ids::{AiProviderId, SearchId};
use domain::mixed::MixedResponse;
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

/// What an AI summary is asked for.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct RagSearchInput {
    /// A search of yours that has ended.
    search_id: i64,
    /// `swirl_id`s of its results; if none of them is one, ranks in its list. Without it: all results.
    #[serde(default)]
    #[schema(max_items = 500)]
    result_list: Vec<i64>,
    /// Wishes for the style of the answer; at most 2,000 characters are used.
    #[serde(default)]
    ai_instructions: Option<String>,
    /// Name of a prompt; see `/svc/prompts/`.
    #[serde(default)]
    prompt: Option<String>,
    /// Id of the AIProvider that is to answer.
    #[serde(default)]
    ai_provider: Option<i64>,
    /// Seconds that the answer may take.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 180)]
    rag_timeout: Option<i64>,
    /// True: a new summary, which takes the place of the stored one.
    #[serde(default)]
    renew: bool,
}

/// Makes the AI summary of a search that has ended, and answers the first page of its results with the summary.
///
/// The same wish is answered from what is stored, unless `renew` is true. With `Accept: text/event-stream` the
/// answer is told while it is made: `status`, `source`, `delta`, `citations`, and `done` with the whole row, or `error`.
#[utoipa::path(post, path = "/svc/rag-search/", tag = "answers", request_body(content = RagSearchInput,
        example = json!({"search_id": 7, "result_list": [3, 5], "ai_instructions": "In two sentences."})),
    responses(
    (status = 200, description = "The results with the summary; `info.ai` says why there is none.", body = MixedResponse),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown search, or someone else's.", body = ErrorBody),
    (status = 409, description = "It was cancelled, or the search has started again.", body = ErrorBody),
    (status = 429, description = "You ask too often; `retry_after` says when to try again.", body = ErrorBody),
    (status = 502, description = "`ai_provider_error`: the model failed.", body = ErrorBody),
    (status = 503, description = "The search still runs, or `no_ai_provider`: none is active for this.", body = ErrorBody),
    (status = 504, description = "`rag_timeout`: it took too long.", body = ErrorBody)))]
async fn create_answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    (address, headers): (ClientAddress, HeaderMap),
    ApiJson(input): ApiJson<RagSearchInput>,
) -> Result<Response, ApiError> {
    let mut asked = input.asked(&state)?;
    let search = own_search(&state, &caller.principal, SearchId(input.search_id)).await?;
    if is_prefetch(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    state.throttles.take(Class::Rag, caller.principal.user, address)?;
    if input.renew {
        asked.wish.instead_of =
            state.federation.saved_answer(&search).await?.map(|stored| stored.row.swirl_id);
    }
    if accepts_events(&headers) {
        // A stream that has begun cannot be refused any more.
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status).into());
        }
        let place = state.throttles.streams.enter(caller.principal.user)?;
        return Ok(answer_stream(&state, &search, &asked, None, place));
    }
    let ai = match state.answers.answer(&search, &asked.wish, asked.time_max).await {
        Ok(_) => domain::mixed::AiInfo::ok(),
        Err(error) => why(error)?,
    };
    let request = MixRequest { base_url: links.base(), answered: Some(ai), ..MixRequest::default() };
    let mixed = state.federation.mix(&search, &request).await?;
    log_view(&search, &mixed);
    Ok(Json(mixed).into_response())
}

/// Ends what is being made for a search: fetches and the request to the model. Nothing happens when nothing is made.
#[utoipa::path(delete, path = "/svc/rag-search/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 204, description = "Nothing is made any more."),
    (status = 404, description = "Unknown search, or someone else's.", body = ErrorBody)))]
async fn cancel_answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    state.answers.cancel(search.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl RagSearchInput {
    fn asked(&self, state: &AppState) -> Result<Asked, ApiError> {
        if self.result_list.len() > RESULT_LIST_MAX {
            let sentence = format!("At most {RESULT_LIST_MAX} numbers are allowed.");
            return Err(ApiError::invalid_field("result_list", sentence));
        }
        let wish = AnswerWish {
            items: self.result_list.clone(),
            instructions: self.ai_instructions.clone().unwrap_or_default(),
            prompt: self.prompt.clone().unwrap_or_default(),
            ai_provider: self.ai_provider.map(AiProviderId),
            instead_of: None,
        };
        Ok(Asked { wish, time_max: time_max(state, self.rag_timeout)? })
    }
}
