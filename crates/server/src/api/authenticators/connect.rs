//! Connecting and disconnecting a user's own account.

use super::lookup::{by_id_or_idp, needed};
use crate::audit::AuditedStore;
use crate::auth::{Caller, oidc};
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::state::AppState;
use crate::ui::local_path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::audit::{Action, AuditEvent, Kind};
use domain::authenticator::{Authenticator, FlowPurpose};
use domain::ports::{FlowStart, OAuthError};
use domain::user::Principal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ConnectQuery {
    /// A path of this service that the browser is redirected to at the end.
    #[param(example = "/")]
    next: String,
}

/// Where to continue.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ConnectView {
    /// Open it within ten minutes in a browser that is signed in here.
    auth_url: String,
}

/// Starts to connect your account. The flow continues in the browser.
#[utoipa::path(post, path = "/svc/authenticators/{id}/connect/", tag = "people",
    params(("id" = String, Path, description = "Idp or id of the authenticator."), ConnectQuery), responses(
    (status = 200, description = "The URL to open in the browser.", body = ConnectView),
    (status = 404, description = "Unknown, not active, or not needed by any of your sources.", body = ErrorBody),
    (status = 422, description = "The authenticator is not configured correctly.", body = ErrorBody)))]
pub async fn connect(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<ConnectQuery>,
) -> Result<Json<ConnectView>, ApiError> {
    let authenticator = usable(&state, &caller.principal, &id).await?;
    let start = FlowStart {
        redirect_uri: redirect_uri(&authenticator, &links),
        authenticator,
        purpose: FlowPurpose::Connect(caller.principal.user),
        browser: String::new(),
        next: local_path(&query.next).to_owned(),
    };
    let auth_url = state.oauth.begin(start).await.map_err(refusal)?.into();
    Ok(Json(ConnectView { auth_url }))
}

/// Disconnects your account here, and revokes the token at the service if it supports that.
#[utoipa::path(delete, path = "/svc/authenticators/{id}/connection/", tag = "people",
    params(("id" = String, Path, description = "Idp or id of the authenticator.")), responses(
    (status = 204, description = "Disconnected."),
    (status = 404, description = "Unknown, or nothing was connected.", body = ErrorBody)))]
pub async fn disconnect(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    let authenticator = by_id_or_idp(&state, &id).await?;
    if !state.oauth.disconnect(caller.principal.user, &authenticator).await.map_err(refusal)? {
        return Err(ApiError::of(ErrorCode::NotFound));
    }
    let idp = &authenticator.spec.idp;
    audited.note(AuditEvent::of(Action::Deleted, Kind::Connection, Some(authenticator.id.0), idp)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The callback URL.
pub fn redirect_uri(authenticator: &Authenticator, links: &Links) -> String {
    let spec = &authenticator.spec;
    let origin = if spec.app_uri.is_empty() { links.origin() } else { &spec.app_uri };
    format!("{origin}{}", spec.callback())
}

/// Administrators may test every authenticator; others connect what their sources need.
async fn usable(state: &AppState, principal: &Principal, word: &str) -> Result<Authenticator, ApiError> {
    let one = by_id_or_idp(state, word).await?;
    let is_needed =
        principal.is_admin || needed(state, principal).await?.iter().any(|other| other.id == one.id);
    if one.spec.active && is_needed { Ok(one) } else { Err(ApiError::of(ErrorCode::NotFound)) }
}

fn refusal(error: OAuthError) -> ApiError {
    match oidc::refused(error) {
        Ok(sentence) => ApiError::with_detail(ErrorCode::Impossible, format!("{sentence}.")),
        Err(error) => error,
    }
}
