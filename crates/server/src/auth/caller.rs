//! The caller of a request, as handlers get it.

use crate::error::{ApiError, ErrorCode};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::user::Principal;

/// How the caller authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scheme {
    Basic,
    /// Has the first characters of the token.
    Token {
        prefix: String,
    },
    /// A token signed by another service.
    Bearer,
    Session {
        csrf: String,
        key_hash: String,
    },
}

impl Scheme {
    /// True if browsers attach these credentials to requests of any page.
    pub fn is_ambient(&self) -> bool {
        matches!(self, Self::Session { .. } | Self::Basic)
    }
}

/// The authenticated caller, in the extensions of every request that passed the guard.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    pub scheme: Scheme,
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| ApiError::of(ErrorCode::NotAuthenticated))
    }
}

/// A caller who is an administrator; others get 403.
#[derive(Debug, Clone)]
pub struct Admin(pub Principal);

impl<S: Send + Sync> FromRequestParts<S> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        if caller.principal.is_admin {
            Ok(Self(caller.principal))
        } else {
            Err(ApiError::with_detail(ErrorCode::PermissionDenied, "Only an administrator may do this."))
        }
    }
}

/// Extension of a request that another site led the browser to: the user must confirm it before anything starts.
#[derive(Debug, Clone, Copy)]
pub struct NeedsConfirmation;

/// The user's name for the access log, in the extensions of the response.
#[derive(Debug, Clone)]
pub struct RequestUser(pub String);
