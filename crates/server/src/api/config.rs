//! Configuration that a page loads first: names, labels, limits and thresholds.

use crate::auth::Caller;
use crate::error::ApiError;
use crate::normalize_path::Prefix;
use crate::state::AppState;
use axum::extract::State;
use axum::{Extension, Json};
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Shown when a summary takes too long.
const TIMEOUT_TEXT: &str = "The answer takes too long. Try again, or with fewer results.";
/// The role of models that write summaries.
const RAG: &str = "rag";
const CHAT: &str = "chat";

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read_config))
}

/// The configuration of pages.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct PageConfig {
    web_config: WebConfig,
    oidc_config: Vec<SignInService>,
    rag_config: RagConfig,
    /// A result with this confidence or more has a star.
    minimum_confidence_score: f64,
    /// A result without a confidence and with this score or more has a star.
    minimum_score: f64,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct WebConfig {
    /// The product's name in the branding.
    #[schema(example = "Tributary")]
    name: String,
    version: &'static str,
    /// The prefix of the API.
    #[schema(example = "/svc")]
    api: String,
    /// Labels of the branding; empty if it has none.
    button: String,
    placeholder: String,
    ai_label: String,
    select_label: String,
    /// No page sets a cookie that would need consent.
    cookie_consent_display: bool,
}

/// A service that users can sign in with.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct SignInService {
    name: String,
    #[schema(example = "/svc/oidc/hub/login/")]
    href: String,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct RagConfig {
    /// A model for summaries is available.
    available: bool,
    /// A model for the chat is available.
    chat: bool,
    /// Seconds that a summary may take.
    timeout: u64,
    timeout_text: &'static str,
}

/// The configuration of pages: names, labels, sign-in services, limits of summaries and the thresholds of stars.
#[utoipa::path(get, path = "/api/config/default/", tag = "service", operation_id = "read_config",
    responses((status = 200, description = "The configuration.", body = PageConfig)))]
async fn read_config(
    _caller: Caller,
    State(state): State<Arc<AppState>>,
    prefix: Option<Extension<Prefix>>,
) -> Result<Json<PageConfig>, ApiError> {
    let (models, authenticators) =
        tokio::try_join!(state.store.ai_providers(), state.store.authenticators())?;
    let is_there = |role: &str| {
        models.iter().any(|model| model.spec.active && model.spec.tags.iter().any(|tag| tag == role))
    };
    let api = prefix.map(|Extension(prefix)| prefix).unwrap_or_default().0;
    let services = authenticators.into_iter().filter(|one| one.spec.active && one.spec.sign_in);
    let service = |one: domain::authenticator::Authenticator| SignInService {
        href: format!("{api}/oidc/{}/login/", one.spec.idp),
        name: one.spec.name,
    };
    let (brand, settings) = (state.brand().await.view.clone(), &state.settings);
    Ok(Json(PageConfig {
        oidc_config: services.map(service).collect(),
        rag_config: RagConfig {
            available: is_there(RAG),
            chat: is_there(CHAT),
            timeout: settings.rag_timeout.0.as_secs(),
            timeout_text: TIMEOUT_TEXT,
        },
        minimum_confidence_score: settings.minimum_confidence_score.0,
        minimum_score: settings.minimum_score,
        web_config: WebConfig {
            name: brand.name,
            version: domain::VERSION,
            api,
            button: brand.button,
            placeholder: brand.placeholder,
            ai_label: brand.ai_label,
            select_label: brand.select_label,
            cookie_consent_display: false,
        },
    }))
}
