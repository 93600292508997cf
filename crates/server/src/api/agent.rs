//! Capabilities of this installation, for programs that use it.

use super::egress;
use super::sapi::usable_models;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use chrono::NaiveDate;
use domain::VERSION;
use domain::ai_provider::{AiProvider, Role};
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read_status))
}

/// Capabilities of this installation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct AgentStatus {
    #[schema(example = "1.0.0")]
    version: &'static str,
    /// `enterprise` with a valid license, otherwise `community`.
    #[schema(example = "community")]
    edition: &'static str,
    features: Features,
    license: License,
    ai: Models,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Features {
    /// The semantic cache is available.
    cache: bool,
    /// A model for the chat is available.
    chat_api: bool,
    /// A model for summaries is available.
    rag: bool,
    /// Documents sent outside can be found: the cache is available, and a mailbox can be connected.
    egress: bool,
    /// The cache also searches by words.
    hybrid: bool,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AgentLicense)]
struct License {
    /// Empty without a valid license.
    owner: String,
    expires: Option<NaiveDate>,
    cache_expires: Option<NaiveDate>,
    days_left: Option<i64>,
}

/// Names of the models that serve you by default; null if there is none.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Models {
    rag: Option<String>,
    chat: Option<String>,
    reader: Option<String>,
}

/// Capabilities of this installation for you: version, features, license and models.
#[utoipa::path(get, path = "/svc/agent/status/", tag = "service",
    responses((status = 200, description = "The capabilities.", body = AgentStatus)))]
async fn read_status(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<Json<AgentStatus>, ApiError> {
    let models = usable_models(&state, &caller).await?;
    let license = state.corpus.license();
    let ai = Models {
        rag: first_for(&models, Role::Rag),
        chat: first_for(&models, Role::Chat),
        reader: first_for(&models, Role::Reader),
    };
    Ok(Json(AgentStatus {
        version: VERSION,
        edition: license.edition(),
        features: Features {
            cache: license.cache,
            chat_api: ai.chat.is_some(),
            rag: ai.rag.is_some(),
            egress: license.cache && has_mailbox(&state).await?,
            hybrid: state.corpus.searches_words().await?,
        },
        license: License {
            owner: license.owner,
            expires: license.expiration,
            cache_expires: license.cache_expiration,
            days_left: license.days_left,
        },
        ai,
    }))
}

/// True if a mailbox can be connected.
async fn has_mailbox(state: &AppState) -> Result<bool, ApiError> {
    let all = state.store.authenticators().await?;
    let is_there = |name: &str| all.iter().any(|one| one.spec.active && one.is_called(name));
    Ok(egress::authenticators(&state.settings).any(|(_, name)| is_there(name)))
}

/// The default model of the role, otherwise the first one that serves it.
fn first_for(models: &[AiProvider], role: Role) -> Option<String> {
    let serving = || models.iter().filter(|model| model.spec.serves(role));
    let chosen = serving().find(|model| model.spec.is_default_for(role)).or_else(|| serving().next());
    chosen.map(|model| model.spec.name.clone())
}
