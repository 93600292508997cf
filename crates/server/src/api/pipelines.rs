//! Pipelines: which post-result processors run, and in which order. Users read them; administrators change them.

use super::merge_patch::merge;
use super::pagination::{ListRequest, Listing, Paging};
use crate::audit::AuditedStore;
use crate::auth::{Admin, Caller};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::ids::PipelineId;
use domain::pipeline::{Pipeline, PipelineSpec};
use domain::ports::EditableRecord;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_pipelines)).routes(routes!(
        read_pipeline,
        replace_pipeline,
        change_pipeline
    ))
}

/// A pipeline.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Pipeline)]
struct PipelineView {
    id: PipelineId,
    /// `System Default Post-Result Pipeline` serves every search that names no post-result processors of its own.
    name: String,
    /// Executed in order.
    processors: Vec<String>,
    date_updated: DateTime<Utc>,
}

impl From<Pipeline> for PipelineView {
    fn from(pipeline: Pipeline) -> Self {
        let Pipeline { id, name, processors, date_updated } = pipeline;
        Self { id, name, processors, date_updated }
    }
}

/// All pipelines.
#[utoipa::path(get, path = "/svc/pipelines/", tag = "providers", params(Paging), responses(
    (status = 200, description = "Pipelines.", body = Listing<PipelineView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody)))]
async fn list_pipelines(
    _caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/pipelines/")?;
    let pipelines = state.store.pipelines().await?;
    Ok(list.answer_from(pipelines.into_iter().map(PipelineView::from).collect()))
}

/// One pipeline.
#[utoipa::path(get, path = "/svc/pipelines/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the pipeline.")),
    responses((status = 200, description = "The pipeline.", body = PipelineView),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_pipeline(
    _caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<PipelineView>, ApiError> {
    let view = async { state.store.pipeline(PipelineId(id)).await.map(PipelineView::from) };
    versioned(&state, EditableRecord::Pipeline(PipelineId(id)), view).await
}

/// Replaces the processors of a pipeline. Later runs use them.
#[utoipa::path(put, path = "/svc/pipelines/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the pipeline.")),
    request_body = PipelineSpec, responses(
    (status = 200, description = "Replaced.", body = PipelineView),
    (status = 400, description = "Invalid; for an unknown name the closest known one is suggested.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn replace_pipeline(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<PipelineSpec>,
) -> Result<Versioned<PipelineView>, ApiError> {
    let load = || load(&state, PipelineId(id));
    let save = |stored| save(&state, &audited, stored, spec.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of a pipeline.
#[utoipa::path(patch, path = "/svc/pipelines/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the pipeline.")),
    request_body = PipelineSpec, responses(
    (status = 200, description = "Changed.", body = PipelineView),
    (status = 400, description = "Invalid; for an unknown name the closest known one is suggested.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn change_pipeline(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<PipelineView>, ApiError> {
    let (state, audited, given) = (&state, &audited, &given);
    let load = || load(state, PipelineId(id));
    let save = move |stored: Versioned<Pipeline>| async move {
        let spec = merge(&PipelineSpec { processors: stored.body.processors.clone() }, given.clone())?;
        save(state, audited, stored, spec).await
    };
    edit(&if_match, load, save).await
}

async fn load(state: &AppState, id: PipelineId) -> Result<Versioned<Pipeline>, ApiError> {
    versioned(state, EditableRecord::Pipeline(id), state.store.pipeline(id)).await
}

async fn save(
    state: &AppState,
    audited: &AuditedStore,
    Versioned { version, body: stored }: Versioned<Pipeline>,
    spec: PipelineSpec,
) -> Result<Versioned<PipelineView>, ApiError> {
    let spec = state.plugins.check_pipeline(&spec).into_result(spec).map_err(ApiError::invalid)?;
    let saved = audited.at(Some(version)).replace_pipeline(stored.id, spec, state.clock.now()).await?;
    Ok(Versioned::after(version, saved.into()))
}
