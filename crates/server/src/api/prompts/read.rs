//! Reading prompts.

use crate::api::owner_names::OwnerNames;
use crate::api::pagination::{ListRequest, Listing, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{Versioned, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::ids::PromptId;
use domain::ports::EditableRecord;
use domain::prompt::{PromptRecord, PromptSpec, TAGS};
use domain::user::Principal;
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use syntax::suggest;

/// A prompt.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Prompt)]
pub struct PromptView {
    id: PromptId,
    /// User name of the owner; empty for a standard one.
    owner: String,
    /// It is bundled with the program and restored at every start.
    standard: bool,
    #[serde(flatten)]
    spec: PromptSpec,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct PromptsQuery {
    /// Only prompts with this tag.
    #[param(example = "search-rag")]
    tag: Option<String>,
    /// Page number, from 1.
    page: Option<u32>,
    /// Items on one page, 1 to 100.
    items: Option<u32>,
}

/// The prompts that you may use: the standard ones, the shared ones, and your own.
#[utoipa::path(get, path = "/svc/prompts/", tag = "answers", params(PromptsQuery), responses(
    (status = 200, description = "Prompts by id.", body = Listing<PromptView>),
    (status = 400, description = "Unknown tag.", body = ErrorBody)))]
pub async fn list_prompts(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(query): ApiQuery<PromptsQuery>,
) -> Result<Response, ApiError> {
    let mut resource = "/prompts/".to_owned();
    if let Some(tag) = &query.tag {
        let mut errors = FieldErrors::default();
        errors.check(TAGS.contains(&tag.as_str()), "tag", || suggest::unknown("tag", tag, TAGS));
        errors.into_result(()).map_err(ApiError::invalid)?;
        resource.push_str(&format!("?tag={tag}"));
    }
    let list = ListRequest::read(Paging { page: query.page, items: query.items }, &links, &resource)?;
    let mut owners = OwnerNames::default();
    let mut views = Vec::new();
    for prompt in state.store.prompts().await? {
        let is_wanted = query.tag.as_ref().is_none_or(|tag| prompt.spec.tags.contains(tag));
        if is_wanted && prompt.is_for(Some(caller.principal.user)) {
            views.push(PromptView::of(&mut owners, &state, prompt).await?);
        }
    }
    Ok(list.answer_from(views))
}

/// One prompt.
#[utoipa::path(get, path = "/svc/prompts/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the prompt.")), responses(
    (status = 200, description = "The prompt.", body = PromptView),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn read_prompt(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<PromptView>, ApiError> {
    let view = async { show(&state, visible(&state, PromptId(id), &caller.principal).await?).await };
    versioned(&state, EditableRecord::Prompt(PromptId(id)), view).await
}

/// The prompt, if this user may use it.
pub async fn visible(
    state: &AppState,
    id: PromptId,
    principal: &Principal,
) -> Result<PromptRecord, ApiError> {
    let prompt = state.store.prompt(id).await?;
    if prompt.is_for(Some(principal.user)) { Ok(prompt) } else { Err(ApiError::of(ErrorCode::NotFound)) }
}

pub async fn show(state: &AppState, prompt: PromptRecord) -> Result<PromptView, ApiError> {
    PromptView::of(&mut OwnerNames::default(), state, prompt).await
}

impl PromptView {
    async fn of(owners: &mut OwnerNames, state: &AppState, prompt: PromptRecord) -> Result<Self, ApiError> {
        let owner = match prompt.owner {
            Some(owner) => owners.name(&*state.store, owner).await?,
            None => String::new(),
        };
        let PromptRecord { id, owner: whose, spec, date_created, date_updated } = prompt;
        Ok(Self { id, owner, standard: whose.is_none(), spec, date_created, date_updated })
    }
}
