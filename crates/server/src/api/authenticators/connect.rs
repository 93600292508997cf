//! Connecting an account of one's own, and taking it away again.

use super::{by_id_or_idp, needed};
use crate::AppState;
use crate::auth::{Caller, oidc};
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody, Refusal};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::ui::local_path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::audit::{Action, AuditEvent, Kind};
use domain::authenticator::{Authenticator, FlowPurpose};
use domain::contracts::{FlowStart, OAuthError};
use domain::user::Principal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ConnectQuery {
    /// A path of this service where the browser goes at the end.
    #[param(example = "/")]
    next: String,
}

/// Where to go.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ConnectView {
    /// Open it in the browser in which you are signed in here, within ten minutes.
    auth_url: String,
}

/// Begins to connect an account of yours. It ends in the browser.
#[utoipa::path(post, path = "/svc/authenticators/{id}/connect/", tag = "people",
    params(("id" = String, Path, description = "Idp or id of the authenticator."), ConnectQuery), responses(
    (status = 200, description = "Where the browser has to go.", body = ConnectView),
    (status = 404, description = "Unknown, not in use, or not needed by any source of yours.", body = ErrorBody),
    (status = 422, description = "The authenticator is not set up rightly.", body = ErrorBody)))]
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

/// Takes your account away, here at once, and at the service if it has a place for that.
#[utoipa::path(delete, path = "/svc/authenticators/{id}/connection/", tag = "people",
    params(("id" = String, Path, description = "Idp or id of the authenticator.")), responses(
    (status = 204, description = "Disconnected."),
    (status = 404, description = "Unknown, or nothing was connected.", body = ErrorBody)))]
pub async fn disconnect(
    caller: Caller,
    changes: Changes,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    let authenticator = by_id_or_idp(&state, &id).await?;
    if !state.oauth.disconnect(caller.principal.user, &authenticator).await.map_err(refusal)? {
        return Err(ApiError::of(Refusal::NotFound));
    }
    let idp = &authenticator.spec.idp;
    changes.note(AuditEvent::of(Action::Deleted, Kind::Connection, Some(authenticator.id.0), idp)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Where the browser comes back to.
pub fn redirect_uri(authenticator: &Authenticator, links: &Links) -> String {
    let spec = &authenticator.spec;
    let origin = if spec.app_uri.is_empty() { links.origin() } else { &spec.app_uri };
    format!("{origin}{}", spec.callback())
}

/// An administrator may try every authenticator; others connect what their sources need.
async fn usable(state: &AppState, principal: &Principal, word: &str) -> Result<Authenticator, ApiError> {
    let one = by_id_or_idp(state, word).await?;
    let is_needed =
        principal.is_admin || needed(state, principal).await?.iter().any(|other| other.id == one.id);
    if one.spec.active && is_needed { Ok(one) } else { Err(ApiError::of(Refusal::NotFound)) }
}

fn refusal(error: OAuthError) -> ApiError {
    match oidc::refused(error) {
        Ok(sentence) => ApiError::saying(Refusal::Impossible, format!("{sentence}.")),
        Err(error) => error,
    }
}
