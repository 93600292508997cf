//! The head of a request: what handlers use besides its path, parameters and body.

use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::links::Links;
use crate::state::AppState;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use std::sync::Arc;

/// Not `Debug`: its headers contain tokens and cookies.
pub struct RequestHead {
    pub links: Links,
    pub address: ClientAddress,
    pub method: Method,
    pub headers: HeaderMap,
}

impl<S> FromRequestParts<S> for RequestHead
where
    S: Send + Sync,
    Arc<AppState>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        Ok(Self {
            links: Links::from_request_parts(parts, state).await?,
            address: ClientAddress::from_request_parts(parts, state).await?,
            method: parts.method.clone(),
            headers: parts.headers.clone(),
        })
    }
}
