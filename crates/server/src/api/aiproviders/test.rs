//! Connection test of an AIProvider, active or not.

use super::read::role;
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::audit::{Action, AuditEvent, Kind};
use domain::ids::AiProviderId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct TestQuery {
    /// The role to test; by default the first of its roles.
    #[param(example = "rag")]
    role: Option<String>,
}

/// Result of the test.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AIProviderTrial)]
pub struct TestView {
    /// `OK` or `FAIL`.
    #[schema(example = "OK")]
    status: &'static str,
    #[schema(example = "OpenAI")]
    provider: String,
    #[schema(example = "gpt-5")]
    model: String,
    /// The tested role.
    #[schema(example = "rag")]
    role: &'static str,
    /// Seconds.
    time: f64,
    /// What the model returned.
    sample: Option<String>,
    /// Why it returned nothing.
    error: Option<String>,
}

/// Sends a minimal test request (one word, one embedding, or two rankings). Nothing is stored.
#[utoipa::path(post, path = "/svc/aiproviders/{id}/test/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider."), TestQuery), responses(
    (status = 200, description = "The result; `status` says whether the model responded.", body = TestView),
    (status = 400, description = "Unknown role.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn test_aiprovider(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiQuery(query): ApiQuery<TestQuery>,
) -> Result<Json<TestView>, ApiError> {
    let provider = state.store.ai_provider(AiProviderId(id)).await?;
    let role = query.role.as_deref().map(|name| role("role", name)).transpose()?;
    let (record_id, name) = (Some(provider.id.0), provider.spec.name.as_str());
    audited.note(AuditEvent::of(Action::Tested, Kind::AiProvider, record_id, name)).await?;
    let result = state.model_probe.probe(&provider, role).await;
    Ok(Json(TestView {
        status: if result.outcome.is_ok() { "OK" } else { "FAIL" },
        provider: provider.spec.name,
        model: provider.spec.model,
        role: result.role.as_str(),
        time: (result.time * 1000.0).round() / 1000.0,
        sample: result.outcome.as_ref().ok().cloned(),
        error: result.outcome.err().map(|error| error.message().to_owned()),
    }))
}
