//! Sign-in for programs: exchanges a user name and a password for a token, and revokes it.

use crate::audit::{AuditedStore, RequestOrigin};
use crate::auth::{Caller, Scheme, by_password, events, token};
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::ApiJson;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::ids::{TokenId, UserId};
use domain::owner_scope::OwnerScope;
use domain::user::{LOGIN_LABEL, TokenSpec, User};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How long a token from a sign-in is valid.
const LOGIN_TOKEN_DAYS: i64 = 30;
/// Tokens read per page when one is looked up.
const FIND_STEP: u64 = 100;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(login)).routes(routes!(logout))
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
struct LoginInput {
    #[schema(example = "admin")]
    username: String,
    password: String,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LoggedIn {
    /// Send it as `Authorization: Token <token>`.
    token: String,
    /// The user's name.
    user: String,
    /// The product's version.
    swirl_version: String,
    is_superuser: bool,
    /// `enterprise` with a valid license, otherwise `community`.
    #[schema(example = "community")]
    edition: &'static str,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct LoggedOut {
    #[schema(example = "OK")]
    status: &'static str,
}

/// Exchanges a user name and a password for a token.
#[utoipa::path(post, path = "/svc/login/", tag = "people", security(), request_body = LoginInput, responses(
    (status = 200, description = "Signed in.", body = LoggedIn),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 401, description = "Wrong user name or password.", body = ErrorBody),
    (status = 429, description = "Too many failed attempts; `retry_after` says when to try again.", body = ErrorBody)))]
async fn login(
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    origin: RequestOrigin,
    ApiJson(input): ApiJson<LoginInput>,
) -> Result<Json<LoggedIn>, ApiError> {
    let user = by_password(&state, &input.username, &input.password, address).await?;
    let Some(user) = user else {
        events::refused(&state, &input.username).await;
        let sentence = "The user name or the password is wrong.";
        return Err(ApiError::with_detail(ErrorCode::AuthenticationFailed, sentence));
    };
    events::signed_in(&user, "login");
    logged_in(&state, &origin, user).await.map(Json)
}

/// Revokes the token of this request.
#[utoipa::path(post, path = "/svc/swirl-logout/", tag = "people", responses(
    (status = 200, description = "The token is revoked.", body = LoggedOut),
    (status = 400, description = "The request was not sent with a token.", body = ErrorBody)))]
async fn logout(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
) -> Result<Json<LoggedOut>, ApiError> {
    let Scheme::Token { prefix } = &caller.scheme else {
        return Err(ApiError::with_detail(
            ErrorCode::Invalid,
            "Send this request with Authorization: Token.",
        ));
    };
    for id in tokens_with(&state, caller.principal.user, prefix).await? {
        audited.store().delete_token(id).await?;
    }
    events::signed_out(&caller.principal, "logout");
    Ok(Json(LoggedOut { status: "OK" }))
}

/// A new token for a user who has just signed in.
pub async fn logged_in(state: &AppState, origin: &RequestOrigin, user: User) -> Result<LoggedIn, ApiError> {
    let now = state.clock.now();
    let spec = TokenSpec {
        label: LOGIN_LABEL.to_owned(),
        expires: Some(now + chrono::Duration::days(LOGIN_TOKEN_DAYS)),
    };
    let new = token::make();
    origin.store_for(state, &user).store().create_token(user.id, spec, new.hash, new.prefix, now).await?;
    Ok(LoggedIn {
        token: new.token.expose().to_owned(),
        user: user.username,
        swirl_version: domain::VERSION.to_owned(),
        is_superuser: user.is_admin,
        edition: state.corpus.license().edition(),
    })
}

/// The user's tokens with this prefix. Eight random characters are unique among the tokens of one user.
async fn tokens_with(state: &AppState, user: UserId, prefix: &str) -> Result<Vec<TokenId>, ApiError> {
    let mut found = Vec::new();
    let mut offset = 0;
    loop {
        let page = state.store.tokens(OwnerScope::Only(user), offset, FIND_STEP).await?;
        found.extend(page.items.iter().filter(|token| token.prefix == prefix).map(|token| token.id));
        offset += FIND_STEP;
        if offset >= page.total {
            return Ok(found);
        }
    }
}
