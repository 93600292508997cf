//! Trying an AIProvider, active or not, before people depend on it.

use super::read::role;
use crate::AppState;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use axum::Json;
use axum::extract::State;
use domain::audit::{Action, AuditEvent, Kind};
use domain::ids::AiProviderId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct TrialQuery {
    /// What it is tried for; left out: the first of its roles.
    #[param(example = "rag")]
    role: Option<String>,
}

/// How the trial ended.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AIProviderTrial)]
pub struct TrialView {
    /// `OK` or `FAIL`.
    #[schema(example = "OK")]
    status: &'static str,
    #[schema(example = "OpenAI")]
    provider: String,
    #[schema(example = "gpt-5")]
    model: String,
    /// What it was tried for.
    #[schema(example = "rag")]
    role: &'static str,
    /// Seconds.
    time: f64,
    /// What the model gave.
    sample: Option<String>,
    /// Why it gave nothing.
    error: Option<String>,
}

/// Asks the model for very little: a word, a vector or two ranks. Nothing is kept.
#[utoipa::path(post, path = "/svc/aiproviders/{id}/test/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider."), TrialQuery), responses(
    (status = 200, description = "How it ended; `status` says whether the model answered.", body = TrialView),
    (status = 400, description = "Unknown role.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn test_aiprovider(
    _admin: Admin,
    changes: Changes,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiQuery(query): ApiQuery<TrialQuery>,
) -> Result<Json<TrialView>, ApiError> {
    let provider = state.store.ai_provider(AiProviderId(id)).await?;
    let role = query.role.as_deref().map(|name| role("role", name)).transpose()?;
    let (record_id, name) = (Some(provider.id.0), provider.spec.name.as_str());
    changes.note(AuditEvent::of(Action::Tested, Kind::AiProvider, record_id, name)).await?;
    let trial = state.trials.try_provider(&provider, role).await;
    Ok(Json(TrialView {
        status: if trial.outcome.is_ok() { "OK" } else { "FAIL" },
        provider: provider.spec.name,
        model: provider.spec.model,
        role: trial.role.as_str(),
        time: (trial.time * 1000.0).round() / 1000.0,
        sample: trial.outcome.as_ref().ok().cloned(),
        error: trial.outcome.err(),
    }))
}
