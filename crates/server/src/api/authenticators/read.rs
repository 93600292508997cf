//! Reading authenticators: records for administrators, the state of their own connections for all users.

use super::lookup::{by_id_or_idp, needed};
use crate::api::pagination::{ListRequest, Listing, Paging};
use crate::auth::{Admin, Caller};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{Versioned, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::authenticator::{Authenticator, AuthenticatorSpec};
use domain::ids::{AuthenticatorId, UserId};
use domain::ports::EditableRecord;
use serde::Serialize;
use std::sync::Arc;

/// The caller's connection.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub struct ConnectionView {
    /// Your account is connected, and the token is valid or can be refreshed.
    connected: bool,
    /// When the token expires; it is refreshed automatically if the service allows that.
    expires_at: Option<DateTime<Utc>>,
    /// The account name, as far as the service reports it.
    account: String,
}

/// An authenticator as users see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = NeededAuthenticator)]
pub struct NeededView {
    #[schema(example = "microsoft")]
    idp: String,
    #[schema(example = "Microsoft")]
    name: String,
    #[serde(flatten)]
    connection: ConnectionView,
}

/// An authenticator as administrators see it, with their own connection.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Authenticator)]
pub struct AuthenticatorView {
    id: AuthenticatorId,
    /// `client_secret` and secrets in parameters are masked.
    #[serde(flatten)]
    spec: AuthenticatorSpec,
    #[serde(flatten)]
    connection: ConnectionView,
    /// Fields whose stored values cannot be read, because the record was encrypted with another key, for example after
    /// a restore without the key. Nobody can connect or sign in with it until they are entered again. Absent if all can
    /// be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable_fields: Vec<String>,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

/// The two forms of a list.
#[derive(utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes the two shapes; each is written by itself")]
enum EitherView {
    Administrators(Box<AuthenticatorView>),
    Everybodys(NeededView),
}

/// The authenticators that your sources need, and whether you are connected; all records for administrators.
#[utoipa::path(get, path = "/svc/authenticators/", tag = "people", params(Paging),
    responses((status = 200, description = "Authenticators by id.", body = Listing<EitherView>)))]
pub async fn list_authenticators(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/authenticators/")?;
    let principal = &caller.principal;
    if principal.is_admin {
        let mut views = Vec::new();
        for one in state.store.authenticators().await? {
            views.push(show(&state, one, principal.user).await?);
        }
        return Ok(list.answer_from(views));
    }
    let mut views = Vec::new();
    for one in needed(&state, principal).await? {
        let connection = connection(&state, principal.user, one.id).await?;
        views.push(NeededView { idp: one.spec.idp, name: one.spec.name, connection });
    }
    Ok(list.answer_from(views))
}

/// One authenticator.
#[utoipa::path(get, path = "/svc/authenticators/{id}/", tag = "people",
    params(("id" = String, Path, description = "Id or idp of the authenticator.")), responses(
    (status = 200, description = "The authenticator.", body = AuthenticatorView),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn read_authenticator(
    Admin(principal): Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<String>,
) -> Result<Versioned<AuthenticatorView>, ApiError> {
    let id = by_id_or_idp(&state, &id).await?.id;
    let view = async { show(&state, state.store.authenticator(id).await?, principal.user).await };
    versioned(&state, EditableRecord::Authenticator(id), view).await
}

/// The authenticator with this id or idp, and its version.
pub async fn load(state: &AppState, word: &str) -> Result<Versioned<Authenticator>, ApiError> {
    let id = by_id_or_idp(state, word).await?.id;
    versioned(state, EditableRecord::Authenticator(id), state.store.authenticator(id)).await
}

/// The record as administrators see it.
pub async fn show(state: &AppState, one: Authenticator, user: UserId) -> Result<AuthenticatorView, ApiError> {
    Ok(AuthenticatorView {
        id: one.id,
        unreadable_fields: one.unreadable_fields(),
        spec: one.spec.masked(),
        connection: connection(state, user, one.id).await?,
        date_created: one.date_created,
        date_updated: one.date_updated,
    })
}

async fn connection(state: &AppState, user: UserId, of: AuthenticatorId) -> Result<ConnectionView, ApiError> {
    let Some(found) = state.store.connection(user, of).await? else { return Ok(ConnectionView::default()) };
    let lasts = found.tokens.expires.is_none_or(|end| end > state.clock.now());
    Ok(ConnectionView {
        connected: lasts || !found.tokens.refresh.is_empty(),
        expires_at: found.tokens.expires,
        account: found.account,
    })
}
