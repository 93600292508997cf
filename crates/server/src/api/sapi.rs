//! Endpoints for the AI controls of a search page.

use super::rag_search::{RESULT_LIST_MAX, RagRequest, missing_summary, time_max};
use super::search::{is_prefetch, own_search};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::state::AppState;
use crate::throttle::Class;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::ai_provider::{AiProvider, Role};
use domain::ids::{AiProviderId, SearchId};
use domain::summary::{SummaryDetails, SummaryRequest};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use syntax::suggest;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read_answer))
        .routes(routes!(read_chat_exists))
        .routes(routes!(read_ai_providers))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct AnswerQuery {
    /// A finished search of yours.
    search_id: i64,
    /// `swirl_id`s or ranks of results, separated by commas. Without it: all results.
    #[serde(default)]
    #[param(example = "1,2")]
    rag_items: Option<String>,
    /// Seconds that the summary may take.
    #[serde(default)]
    rag_timeout: Option<i64>,
    /// Instructions for the style of the summary.
    #[serde(default)]
    ai_instructions: Option<String>,
    /// Name of a prompt; see `/svc/prompts/`.
    #[serde(default)]
    prompt: Option<String>,
    /// Id of the AIProvider to use.
    #[serde(default)]
    ai_provider: Option<i64>,
}

/// An AI summary without the results.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct DetailAnswer {
    /// The summary; empty if no result supports one.
    message: String,
    additional_content: SummaryDetails,
    /// Why there is no summary: a code for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// Why there is no summary: a message for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// The AI summary of a search, stored or generated now, without the results.
#[utoipa::path(get, path = "/svc/sapi/detail-search-rag/", tag = "answers", params(AnswerQuery), responses(
    (status = 200, description = "The summary and its sources.", body = DetailAnswer),
    (status = 204, description = "A prefetch: nothing was generated."),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 404, description = "Unknown search, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "It was canceled, or the search was started again.", body = ErrorBody),
    (status = 429, description = "Too many requests; `retry_after` says when to try again.", body = ErrorBody),
    (status = 502, description = "`ai_provider_error`: the model failed.", body = ErrorBody),
    (status = 503, description = "The search is still running, or `no_ai_provider`: no model is active for summaries.", body = ErrorBody),
    (status = 504, description = "`rag_timeout`: it took too long.", body = ErrorBody)))]
async fn read_answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    method: Method,
    headers: HeaderMap,
    ApiQuery(query): ApiQuery<AnswerQuery>,
) -> Result<Response, ApiError> {
    let rag_request = query.rag_request(&state)?;
    let search = own_search(&state, &caller.principal, SearchId(query.search_id)).await?;
    if is_prefetch(&headers) || method == Method::HEAD {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    state.throttles.take(Class::Rag, caller.principal.user, address)?;
    let answer = match state.summaries.answer(&search, &rag_request.summary, rag_request.time_max).await {
        Ok(answer) => DetailAnswer {
            message: answer.row.body,
            additional_content: answer.row.additional_content.map(|details| *details).unwrap_or_default(),
            code: None,
            detail: None,
        },
        Err(error) => {
            let ai = missing_summary(error)?;
            DetailAnswer {
                message: String::new(),
                additional_content: SummaryDetails::default(),
                code: ai.code,
                detail: ai.message,
            }
        }
    };
    Ok(Json(answer).into_response())
}

/// Which kinds of models are available to you.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct AiControls {
    /// A model for the chat is active.
    is_chat_ai_provider_exists: bool,
    /// A model for AI summaries is active.
    is_rag_ai_provider_exists: bool,
}

/// Whether AI controls make sense for you: whether models for the chat and for AI summaries are active.
#[utoipa::path(get, path = "/svc/sapi/is_chat_ai_provider_exists/", tag = "answers",
    responses((status = 200, description = "The capabilities.", body = AiControls)))]
async fn read_chat_exists(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<Json<AiControls>, ApiError> {
    let providers = usable_models(&state, &caller).await?;
    let has = |role: Role| providers.iter().any(|provider| provider.spec.serves(role));
    Ok(Json(AiControls {
        is_chat_ai_provider_exists: has(Role::Chat),
        is_rag_ai_provider_exists: has(Role::Rag),
    }))
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct ProvidersQuery {
    /// Only models with this role, such as `rag` or `chat`.
    #[param(example = "rag")]
    tag: Option<String>,
}

/// An available model.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ModelChoice {
    id: AiProviderId,
    name: String,
    model: String,
    /// Its roles.
    tags: Vec<String>,
    /// The roles that it serves by default.
    defaults: Vec<String>,
}

/// The active models that you may choose from, by id.
#[utoipa::path(get, path = "/svc/sapi/ai_providers/", tag = "answers", params(ProvidersQuery), responses(
    (status = 200, description = "The models.", body = Vec<ModelChoice>),
    (status = 400, description = "There is no such role.", body = ErrorBody)))]
async fn read_ai_providers(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiQuery(query): ApiQuery<ProvidersQuery>,
) -> Result<Json<Vec<ModelChoice>>, ApiError> {
    let role = match query.tag.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(name) => Some(Role::of_name(name).ok_or_else(|| {
            ApiError::invalid_field("tag", suggest::unknown("role", name, Role::ALL.map(Role::as_str)))
        })?),
    };
    let providers = usable_models(&state, &caller).await?.into_iter();
    let chosen = providers.filter(|provider| role.is_none_or(|role| provider.spec.serves(role)));
    let shown = |provider: AiProvider| ModelChoice {
        id: provider.id,
        name: provider.spec.name,
        model: provider.spec.model,
        tags: provider.spec.tags,
        defaults: provider.spec.defaults,
    };
    Ok(Json(chosen.map(shown).collect()))
}

/// The active models that the caller may use.
pub async fn usable_models(state: &AppState, caller: &Caller) -> Result<Vec<AiProvider>, ApiError> {
    let mut providers = state.store.ai_providers().await?;
    let user = Some(caller.principal.user);
    providers.retain(|provider| provider.spec.active && provider.is_for(user));
    Ok(providers)
}

impl AnswerQuery {
    fn rag_request(&self, state: &AppState) -> Result<RagRequest, ApiError> {
        let summary = SummaryRequest {
            items: numbers(self.rag_items.as_deref().unwrap_or_default())?,
            instructions: self.ai_instructions.clone().unwrap_or_default(),
            prompt: self.prompt.clone().unwrap_or_default(),
            ai_provider: self.ai_provider.map(AiProviderId),
            instead_of: None,
        };
        Ok(RagRequest { summary, time_max: time_max(state, self.rag_timeout)? })
    }
}

fn numbers(text: &str) -> Result<Vec<i64>, ApiError> {
    let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
    let read: Result<Vec<i64>, _> = pieces.map(str::parse).collect();
    match read {
        Ok(items) if items.len() <= RESULT_LIST_MAX => Ok(items),
        _ => {
            let sentence = format!("Use at most {RESULT_LIST_MAX} whole numbers, separated by commas.");
            Err(ApiError::invalid_field("rag_items", sentence))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_url() {
        for (text, expected) in
            [("", Some(vec![])), ("1, 2,,3", Some(vec![1, 2, 3])), ("1,two", None), ("1.5", None)]
        {
            assert_eq!(numbers(text).ok(), expected, "{text}");
        }
        let many = vec!["1"; RESULT_LIST_MAX + 1].join(",");
        assert!(numbers(&many).is_err() && numbers(&many[2..]).is_ok());
    }
}
