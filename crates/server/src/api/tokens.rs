//! API tokens: the caller's own, and all of them for administrators. The token itself is shown once.

use super::pagination::{ListRequest, Listing, Paging};
use crate::audit::AuditedStore;
use crate::auth::{Caller, token};
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::ids::{TokenId, UserId};
use domain::owner_scope::OwnerScope;
use domain::user::{ApiToken, LABEL_CHARS_MAX, Principal, TokenSpec};
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(list_tokens, create_token, delete_tokens))
        .routes(routes!(read_token, delete_token))
}

/// A new token; it is shown only in this response.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct CreatedToken {
    /// Send it as `Authorization: Token <token>`. It cannot be shown again.
    #[schema(example = "trb_3Vh0c2Vj…")]
    token: String,
    #[serde(flatten)]
    shown: ApiToken,
}

/// Your tokens; all tokens for an administrator.
#[utoipa::path(get, path = "/svc/tokens/", tag = "people", params(Paging),
    responses((status = 200, description = "Tokens, without the tokens themselves.", body = Listing<ApiToken>)))]
async fn list_tokens(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/tokens/")?;
    let principal = &caller.principal;
    let owner = if principal.is_admin { OwnerScope::Everyone } else { OwnerScope::Only(principal.user) };
    let page = state.store.tokens(owner, list.offset(), list.limit()).await?;
    Ok(list.answer(page.items, page.total))
}

/// Creates a token of your own.
#[utoipa::path(post, path = "/svc/tokens/", tag = "people", request_body = TokenSpec, responses(
    (status = 201, description = "Created; `token` is shown only once.", body = CreatedToken),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 409, description = "You have 100 tokens; revoke one.", body = ErrorBody)))]
async fn create_token(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<TokenSpec>,
) -> Result<(StatusCode, Json<CreatedToken>), ApiError> {
    let now = state.clock.now();
    let mut errors = FieldErrors::default();
    errors.check_name("label", &spec.label, LABEL_CHARS_MAX);
    let lasts = spec.expires.is_none_or(|expires| expires > now);
    errors.check(lasts, "expires", || "Use a time in the future, or none.".to_owned());
    let spec = errors.into_result(spec).map_err(ApiError::invalid)?;
    let new = token::make();
    let shown = audited.store().create_token(caller.principal.user, spec, new.hash, new.prefix, now).await?;
    Ok((StatusCode::CREATED, Json(CreatedToken { token: new.token.expose().to_owned(), shown })))
}

/// Which tokens are revoked.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct RevokeQuery {
    /// Id of another user; for administrators. By default: your own.
    user: Option<i64>,
}

/// Revokes all your tokens, including the one of this request; an administrator can revoke those of any user.
#[utoipa::path(delete, path = "/svc/tokens/", tag = "people", params(RevokeQuery), responses(
    (status = 204, description = "Revoked."),
    (status = 403, description = "It belongs to another user, and you are not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown user.", body = ErrorBody)))]
async fn delete_tokens(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiQuery(query): ApiQuery<RevokeQuery>,
) -> Result<StatusCode, ApiError> {
    let own = caller.principal.user;
    let user = query.user.map_or(own, UserId);
    if user != own && !caller.principal.is_admin {
        return Err(ApiError::with_detail(
            ErrorCode::PermissionDenied,
            "Only an administrator may revoke tokens of others.",
        ));
    }
    let user = state.store.user(user).await?;
    audited.store().delete_tokens(user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// One token, without the token itself.
#[utoipa::path(get, path = "/svc/tokens/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the token.")),
    responses((status = 200, description = "The token's record.", body = ApiToken),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
async fn read_token(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<ApiToken>, ApiError> {
    Ok(Json(own_token(&state, &caller.principal, TokenId(id)).await?))
}

/// Revokes a token.
#[utoipa::path(delete, path = "/svc/tokens/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the token.")),
    responses((status = 204, description = "Revoked."),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
async fn delete_token(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let token = own_token(&state, &caller.principal, TokenId(id)).await?;
    audited.store().delete_token(token.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The token, if it is the caller's own or the caller is an administrator.
async fn own_token(state: &AppState, principal: &Principal, id: TokenId) -> Result<ApiToken, ApiError> {
    let (owner, token) = state.store.token(id).await?;
    if owner == principal.user || principal.is_admin {
        Ok(token)
    } else {
        Err(ApiError::of(ErrorCode::NotFound))
    }
}
