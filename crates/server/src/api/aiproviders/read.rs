//! Reading AIProviders.

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
use domain::ai_provider::{AiProvider, Role};
use domain::ids::AiProviderId;
use domain::ports::EditableRecord;
use domain::prompt::PromptParts;
use domain::user::Principal;
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::suggest;

/// An AIProvider. The key is never shown.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AIProvider)]
pub struct AiProviderView {
    id: AiProviderId,
    #[schema(example = "OpenAI")]
    name: String,
    /// User name of the owner; empty for a bundled one.
    owner: String,
    shared: bool,
    active: bool,
    /// A key is stored.
    api_key_set: bool,
    #[schema(example = "gpt-5")]
    model: String,
    /// With `roles`, which are the tags. Secrets are masked; users who are not administrators see only the roles.
    #[schema(value_type = Object)]
    config: Map<String, Value>,
    /// Roles that it can serve.
    tags: Vec<String>,
    /// Roles that it serves by default.
    defaults: Vec<String>,
    /// Absent for users who are not administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_overrides: Option<BTreeMap<String, PromptParts>>,
    /// Fields whose stored values cannot be read, because the record was encrypted with another key, for example after
    /// a restore without the key. The model is not used until they are entered again. Absent if all can be read, and
    /// for users who are not administrators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable_fields: Vec<String>,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

impl AiProviderView {
    pub fn of(provider: &AiProvider, owner: String, principal: &Principal) -> Self {
        let spec = provider.spec.masked();
        let mut config = spec.config;
        if !principal.is_admin {
            config.retain(|key, _| key == "roles");
        }
        Self {
            id: provider.id,
            name: spec.name,
            owner,
            shared: spec.shared,
            active: spec.active,
            api_key_set: !provider.spec.api_key.is_empty(),
            model: spec.model,
            config,
            tags: spec.tags,
            defaults: spec.defaults,
            prompt_overrides: principal.is_admin.then_some(spec.prompt_overrides),
            unreadable_fields: if principal.is_admin { provider.unreadable_fields() } else { Vec::new() },
            date_created: provider.date_created,
            date_updated: provider.date_updated,
        }
    }
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ProvidersQuery {
    /// Only AIProviders that can serve this role.
    #[param(example = "rag")]
    tag: Option<String>,
    /// An alias of `tag`.
    role: Option<String>,
    /// Page number, from 1.
    page: Option<u32>,
    /// Items on one page, 1 to 100.
    items: Option<u32>,
}

impl ProvidersQuery {
    /// The parameter that names a role, and the role.
    fn role(&self) -> Result<Option<(&'static str, Role)>, ApiError> {
        let given = [("tag", &self.tag), ("role", &self.role)];
        let Some((field, name)) = given.into_iter().find_map(|(field, name)| Some((field, name.as_ref()?)))
        else {
            return Ok(None);
        };
        role(field, name).map(|role| Some((field, role)))
    }
}

/// The role of this name.
pub fn role(field: &str, name: &str) -> Result<Role, ApiError> {
    Role::of_name(name).ok_or_else(|| {
        let mut errors = FieldErrors::default();
        errors.add(field, suggest::unknown("role", name, Role::ALL.map(Role::as_str)));
        ApiError::invalid(errors)
    })
}

/// The AIProviders that you may use; all of them for administrators.
#[utoipa::path(get, path = "/svc/aiproviders/", tag = "answers", params(ProvidersQuery), responses(
    (status = 200, description = "AIProviders, last updated first.", body = Listing<AiProviderView>),
    (status = 400, description = "Unknown role.", body = ErrorBody)))]
pub async fn list_aiproviders(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(query): ApiQuery<ProvidersQuery>,
) -> Result<Response, ApiError> {
    let wanted = query.role()?;
    let resource = match wanted {
        Some((field, role)) => format!("/aiproviders/?{field}={}", role.as_str()),
        None => "/aiproviders/".to_owned(),
    };
    let list = ListRequest::read(Paging { page: query.page, items: query.items }, &links, &resource)?;
    let mut providers = state.store.ai_providers().await?;
    providers.retain(|one| may_see(&caller.principal, one));
    providers.retain(|one| wanted.is_none_or(|(_, role)| one.spec.serves(role)));
    providers.sort_by_key(|one| Reverse((one.date_updated, one.id)));
    let mut owners = OwnerNames::default();
    let mut views = Vec::new();
    for provider in &providers {
        let owner = owner_of(&mut owners, &state, provider).await?;
        views.push(AiProviderView::of(provider, owner, &caller.principal));
    }
    Ok(list.answer_from(views))
}

/// One AIProvider.
#[utoipa::path(get, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")), responses(
    (status = 200, description = "The AIProvider.", body = AiProviderView),
    (status = 404, description = "Unknown, or not available to you.", body = ErrorBody)))]
pub async fn read_aiprovider(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let view = async {
        let provider = state.store.ai_provider(AiProviderId(id)).await?;
        if may_see(&caller.principal, &provider) {
            show(&state, &provider, &caller.principal).await
        } else {
            Err(ApiError::of(ErrorCode::NotFound))
        }
    };
    versioned(&state, EditableRecord::AiProvider(AiProviderId(id)), view).await
}

pub async fn show(
    state: &AppState,
    provider: &AiProvider,
    principal: &Principal,
) -> Result<AiProviderView, ApiError> {
    let owner = owner_of(&mut OwnerNames::default(), state, provider).await?;
    Ok(AiProviderView::of(provider, owner, principal))
}

fn may_see(principal: &Principal, provider: &AiProvider) -> bool {
    principal.is_admin || provider.is_for(Some(principal.user))
}

async fn owner_of(
    owners: &mut OwnerNames,
    state: &AppState,
    provider: &AiProvider,
) -> Result<String, ApiError> {
    match provider.owner {
        Some(owner) => owners.name(&*state.store, owner).await,
        None => Ok(String::new()),
    }
}
