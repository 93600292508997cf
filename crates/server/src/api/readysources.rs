//! The gallery of bundled sources: SearchProviders that come with the program, to be completed and saved.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::ApiPath;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::provider::ProviderSpec;
use domain::ready_source::ReadySource;
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_readysources)).routes(routes!(read_readysource))
}

/// A bundled source in the gallery.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ReadySource)]
struct ReadyView {
    #[schema(example = "arxiv")]
    slug: String,
    name: String,
    description: String,
    connector: String,
    /// The first one is its group.
    tags: Vec<String>,
    /// Fields to complete; `authenticator` if each user connects an account, `ai_model` if an AI model answers.
    #[schema(example = json!(["credentials"]))]
    needs: Vec<String>,
}

impl ReadyView {
    fn of(state: &AppState, source: &ReadySource) -> Self {
        let spec = &source.spec;
        Self {
            slug: source.slug.clone(),
            name: spec.name.clone(),
            description: spec.description.clone(),
            connector: spec.connector.clone(),
            tags: spec.tags.clone(),
            needs: source.setup_needs(state.plugins.connector(&spec.connector)),
        }
    }
}

/// Every bundled source, by group and name.
#[utoipa::path(get, path = "/svc/readysources/", tag = "providers", responses(
    (status = 200, description = "Bundled sources.", body = [ReadyView]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_readysources(_admin: Admin, State(state): State<Arc<AppState>>) -> Json<Vec<ReadyView>> {
    let sources = &state.instance_info.ready_sources;
    Json(sources.iter().map(|source| ReadyView::of(&state, source)).collect())
}

/// One bundled source as a SearchProvider for the form. Placeholders mark what must be completed.
#[utoipa::path(get, path = "/svc/readysources/{id}/", tag = "providers", params(("id" = String, Path, description = "Slug of the source.")),
    responses((status = 200, description = "The record.", body = ProviderSpec),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_readysource(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(slug): ApiPath<String>,
) -> Result<Json<ProviderSpec>, ApiError> {
    let found = state.instance_info.ready_sources.iter().find(|source| source.slug == slug);
    found.map(|source| Json(source.spec.clone())).ok_or_else(|| ApiError::of(ErrorCode::NotFound))
}
