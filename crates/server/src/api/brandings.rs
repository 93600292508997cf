//! Brandings, for administrators: several can be stored; the one saved or activated last is active.

use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::branding::{BRANDINGS_MAX, Branding, BrandingSpec};
use domain::ids::BrandingId;
use domain::ports::EditableRecord;
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(list_brandings, create_branding))
        .routes(routes!(read_branding, replace_branding, delete_branding))
        .routes(routes!(activate_branding))
}

/// A branding.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Branding)]
struct BrandingView {
    id: BrandingId,
    /// `logo_light` and `logo_dark` are empty in a list.
    #[serde(flatten)]
    spec: BrandingSpec,
    has_logo_light: bool,
    has_logo_dark: bool,
    /// It is the active one.
    active: bool,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

impl From<Branding> for BrandingView {
    fn from(one: Branding) -> Self {
        Self {
            id: one.id,
            has_logo_light: !one.spec.logo_light.is_empty(),
            has_logo_dark: !one.spec.logo_dark.is_empty(),
            spec: one.spec,
            active: one.active,
            date_created: one.date_created,
            date_updated: one.date_updated,
        }
    }
}

impl BrandingView {
    fn without_logos(mut self) -> Self {
        self.spec.logo_light.clear();
        self.spec.logo_dark.clear();
        self
    }
}

/// All brandings, without their logos.
#[utoipa::path(get, path = "/svc/brandings/", tag = "service", responses(
    (status = 200, description = "Brandings by id.", body = [BrandingView]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_brandings(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<Vec<BrandingView>>, ApiError> {
    let all = state.store.brandings().await?;
    Ok(Json(all.into_iter().map(|one| BrandingView::from(one).without_logos()).collect()))
}

/// Creates a branding and activates it.
#[utoipa::path(post, path = "/svc/brandings/", tag = "service", request_body = BrandingSpec, responses(
    (status = 201, description = "Created and active.", body = BrandingView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is already taken, or there are 20 already.", body = ErrorBody)))]
async fn create_branding(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<BrandingSpec>,
) -> Result<(StatusCode, Versioned<BrandingView>), ApiError> {
    let spec = spec.check().into_result(spec).map_err(ApiError::invalid)?;
    if state.store.brandings().await?.len() >= BRANDINGS_MAX {
        let sentence = format!("At most {BRANDINGS_MAX} brandings can be stored; delete one first.");
        return Err(ApiError::with_detail(ErrorCode::Conflict, sentence));
    }
    let made = audited.store().create_branding(spec, state.clock.now()).await?;
    state.brands.forget();
    Ok((StatusCode::CREATED, Versioned::first(made.into())))
}

/// One branding with its logos.
#[utoipa::path(get, path = "/svc/brandings/{id}/", tag = "service", params(("id" = i64, Path, description = "Id of the branding.")),
    responses((status = 200, description = "The branding.", body = BrandingView),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_branding(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<BrandingView>, ApiError> {
    let view = async { state.store.branding(BrandingId(id)).await.map(BrandingView::from) };
    versioned(&state, EditableRecord::Branding(BrandingId(id)), view).await
}

/// Replaces a branding and activates it.
#[utoipa::path(put, path = "/svc/brandings/{id}/", tag = "service", params(("id" = i64, Path, description = "Id of the branding.")),
    request_body = BrandingSpec, responses(
    (status = 200, description = "Replaced and active.", body = BrandingView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
async fn replace_branding(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<BrandingSpec>,
) -> Result<Versioned<BrandingView>, ApiError> {
    let (state, audited, spec) = (&state, &audited, &spec);
    let load = || load(state, BrandingId(id));
    let save = move |Versioned { version, body: stored }: Versioned<Branding>| async move {
        let spec = spec.check().into_result(spec.clone()).map_err(ApiError::invalid)?;
        let now = state.clock.now();
        let changed = audited.at(Some(version)).replace_branding(stored.id, spec, now).await?;
        Ok(Versioned::after(version, changed.into()))
    };
    let changed = edit(&if_match, load, save).await?;
    state.brands.forget();
    Ok(changed)
}

/// Activates a branding.
#[utoipa::path(post, path = "/svc/brandings/{id}/activate/", tag = "service", params(("id" = i64, Path, description = "Id of the branding.")),
    responses((status = 200, description = "It is active.", body = BrandingView),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn activate_branding(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<BrandingView>, ApiError> {
    let (state, audited) = (&state, &audited);
    let load = || load(state, BrandingId(id));
    let save = move |Versioned { version, body: stored }: Versioned<Branding>| async move {
        let active = audited.at(Some(version)).activate_branding(stored.id, state.clock.now()).await?;
        Ok(Versioned::after(version, active.into()))
    };
    let active = edit(&if_match, load, save).await?;
    state.brands.forget();
    Ok(active)
}

async fn load(state: &AppState, id: BrandingId) -> Result<Versioned<Branding>, ApiError> {
    versioned(state, EditableRecord::Branding(id), state.store.branding(id)).await
}

/// Deletes a branding. Without an active one, the default branding is used.
#[utoipa::path(delete, path = "/svc/brandings/{id}/", tag = "service", params(("id" = i64, Path, description = "Id of the branding.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn delete_branding(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&state, &if_match, EditableRecord::Branding(BrandingId(id))).await?;
    audited.at(version).delete_branding(BrandingId(id)).await?;
    state.brands.forget();
    Ok(StatusCode::NO_CONTENT)
}
