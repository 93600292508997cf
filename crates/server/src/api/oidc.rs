//! Sign-in for programs with a token of an OpenID Connect service.

use super::login::{LoggedIn, logged_in};
use crate::audit::RequestOrigin;
use crate::auth::{events, oidc};
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName};
use domain::ports::TokenUse;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const HEADER: HeaderName = HeaderName::from_static("oidc-token");

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(oidc_authenticate))
}

/// Exchanges a token of an authenticator for sign-in for a token of this service.
#[utoipa::path(post, path = "/svc/oidc_authenticate/", tag = "people", security(),
    params(("OIDC-Token" = String, Header, description = "`Bearer <ID token or access token>`.")), responses(
    (status = 200, description = "Signed in. A user is created the first time, never an administrator.", body = LoggedIn),
    (status = 403, description = "The token was not accepted.", body = ErrorBody),
    (status = 429, description = "Too many failed attempts; `retry_after` says when to try again.", body = ErrorBody)))]
async fn oidc_authenticate(
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    origin: RequestOrigin,
    headers: HeaderMap,
) -> Result<Json<LoggedIn>, ApiError> {
    let _until_looked_up = state.throttles.sign_in.acquire_token_lookup(address).await?;
    let given = headers.get(HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (scheme, token) = given.trim().split_once(' ').unwrap_or_default();
    let found = if scheme.eq_ignore_ascii_case("bearer") {
        state.oauth.identity_of(token.trim(), TokenUse::SignIn).await.map_err(oidc::refused)
    } else {
        Ok(None)
    };
    let sentence = match found {
        Ok(Some(identity)) => {
            let user = oidc::user_of(&state, &identity, address).await?;
            events::signed_in(&user, "oidc");
            return logged_in(&state, &origin, user).await.map(Json);
        }
        Ok(None) => "No authenticator is responsible for this token.".to_owned(),
        Err(refused) => format!("{}.", refused?),
    };
    state.throttles.sign_in.token_failed(address)?;
    Err(ApiError::with_detail(ErrorCode::PermissionDenied, sentence))
}
