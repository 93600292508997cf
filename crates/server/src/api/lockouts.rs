//! Lockouts after too many failed sign-ins, in this process, and their reset by administrators.

use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::ApiPath;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::audit::{Action, AuditEvent, Kind};
use serde::Serialize;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Users read per page when names are looked up.
const FIND_STEP: u64 = 100;
/// Most users whose names are looked up.
const USERS_MAX: u64 = 10_000;
/// Name of a reset of all lockouts in the audit log.
const EVERYBODY: &str = "everybody";

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_lockouts, reset_lockouts)).routes(routes!(reset_lockout))
}

/// A lockout.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Lockout)]
struct LockoutView {
    /// Name of a user. Empty for names of no user, and for an address as a whole.
    username: String,
    /// Address of the client. Empty for a name that is locked out everywhere.
    #[schema(example = "192.0.2.7")]
    address: String,
    /// Seconds until the next attempt.
    seconds: u64,
}

/// The present lockouts of this process.
#[utoipa::path(get, path = "/svc/lockouts/", tag = "people", responses(
    (status = 200, description = "Lockouts.", body = [LockoutView]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_lockouts(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<Vec<LockoutView>>, ApiError> {
    let lockouts = state.throttles.sign_in.lockouts(&usernames(&state).await?);
    let view = |one: crate::throttle::Lockout| LockoutView {
        username: one.name.unwrap_or_default(),
        address: one.address.unwrap_or_default(),
        seconds: one.wait.as_secs(),
    };
    Ok(Json(lockouts.into_iter().map(view).collect()))
}

/// Resets all lockouts.
#[utoipa::path(delete, path = "/svc/lockouts/", tag = "people", responses(
    (status = 204, description = "All failures were cleared."),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn reset_lockouts(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
) -> Result<StatusCode, ApiError> {
    audited.note(AuditEvent::of(Action::Reset, Kind::SignIn, None, EVERYBODY)).await?;
    state.throttles.sign_in.forget_all();
    Ok(StatusCode::NO_CONTENT)
}

/// Resets the lockouts of one user, from all addresses.
#[utoipa::path(delete, path = "/svc/lockouts/{id}/", tag = "people", params(("id" = String, Path, description = "The user's name.")),
    responses((status = 204, description = "The user's failures were cleared."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "There is no such user.", body = ErrorBody)))]
async fn reset_lockout(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiPath(username): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    // No database stores a NUL.
    if username.contains('\0') {
        return Err(ApiError::of(ErrorCode::NotFound));
    }
    let user = state.store.user_by_name(&username).await?;
    audited.note(AuditEvent::of(Action::Reset, Kind::SignIn, Some(user.id.0), &user.username)).await?;
    state.throttles.sign_in.forget_name(&user.username);
    Ok(StatusCode::NO_CONTENT)
}

async fn usernames(state: &AppState) -> Result<Vec<String>, ApiError> {
    let mut names = Vec::new();
    for offset in (0..USERS_MAX).step_by(FIND_STEP as usize) {
        let page = state.store.users(offset, FIND_STEP).await?;
        names.extend(page.items.into_iter().map(|user| user.username));
        if offset + FIND_STEP >= page.total {
            break;
        }
    }
    Ok(names)
}
