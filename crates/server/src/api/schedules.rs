//! Schedules of recurring tasks. Administrators read them, change their interval, and disable them.

use super::merge_patch::merge;
use super::pagination::{ListRequest, Listing, Paging};
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::ports::{EditableRecord, Schedule};
use domain::schedule::ScheduleSpec;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_schedules)).routes(routes!(read_schedule, change_schedule))
}

/// A schedule.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Schedule)]
struct ScheduleView {
    /// The task that it starts.
    name: String,
    every_seconds: u64,
    next_run: DateTime<Utc>,
    /// Null until it has run once.
    last_run: Option<DateTime<Utc>>,
    enabled: bool,
}

impl From<Schedule> for ScheduleView {
    fn from(schedule: Schedule) -> Self {
        let Schedule { name, every, next_due, last_taken, enabled } = schedule;
        Self { name, every_seconds: every.as_secs(), next_run: next_due, last_run: last_taken, enabled }
    }
}

/// All schedules.
#[utoipa::path(get, path = "/svc/schedules/", tag = "service", params(Paging), responses(
    (status = 200, description = "Schedules by name.", body = Listing<ScheduleView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_schedules(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/schedules/")?;
    let schedules = state.store.schedules().await?;
    Ok(list.answer_from(schedules.into_iter().map(ScheduleView::from).collect()))
}

/// One schedule.
#[utoipa::path(get, path = "/svc/schedules/{id}/", tag = "service", params(("id" = String, Path, description = "Name of the schedule.")),
    responses((status = 200, description = "The schedule.", body = ScheduleView),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_schedule(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(name): ApiPath<String>,
) -> Result<Versioned<ScheduleView>, ApiError> {
    let view = async { named(&state, &name).await.map(ScheduleView::from) };
    versioned(&state, EditableRecord::Schedule(name.clone()), view).await
}

/// Changes the given fields of a schedule. It is next due one interval from now.
#[utoipa::path(patch, path = "/svc/schedules/{id}/", tag = "service", params(("id" = String, Path, description = "Name of the schedule.")),
    request_body = ScheduleSpec, responses(
    (status = 200, description = "Changed.", body = ScheduleView),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn change_schedule(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(name): ApiPath<String>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<ScheduleView>, ApiError> {
    let record = EditableRecord::Schedule(name.clone());
    let (state, audited, given, name) = (&state, &audited, &given, &name);
    let load = || versioned(state, record.clone(), named(state, name));
    let save = move |Versioned { version, body: stored }: Versioned<Schedule>| async move {
        let every_seconds = i64::try_from(stored.every.as_secs()).unwrap_or(i64::MAX);
        let before = ScheduleSpec { every_seconds, enabled: stored.enabled };
        let spec = merge(&before, given.clone())?;
        if spec == before {
            return Ok(Versioned::new(version, stored.into())); // without a change the next run is not postponed
        }
        let spec = spec.check().into_result(spec).map_err(ApiError::invalid)?;
        let (at_version, now) = (audited.at(Some(version)), state.clock.now());
        let changed = at_version.change_schedule(name, spec.every(), spec.enabled, now).await?;
        Ok(Versioned::after(version, changed.into()))
    };
    edit(&if_match, load, save).await
}

/// There are only a few, so all are read.
async fn named(state: &AppState, name: &str) -> Result<Schedule, ApiError> {
    let all = state.store.schedules().await?;
    all.into_iter().find(|schedule| schedule.name == name).ok_or_else(|| ApiError::of(ErrorCode::NotFound))
}
