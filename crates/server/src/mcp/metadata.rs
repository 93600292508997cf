//! Protected resource metadata (RFC 9728): which authorization servers issue tokens for the tools.

use super::paths::{TOOLS, TOOLS_METADATA};
use crate::error::{ApiError, ErrorCode};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Serialize)]
pub struct Metadata {
    resource: String,
    resource_name: &'static str,
    authorization_servers: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
}

/// 404 if no service issues tokens for this one.
pub async fn read(State(state): State<Arc<AppState>>, links: Links) -> Result<Json<Metadata>, ApiError> {
    let authorization_servers = state.issuers.load(&*state.store, &state.settings).await?;
    if authorization_servers.is_empty() {
        return Err(ApiError::of(ErrorCode::NotFound));
    }
    Ok(Json(Metadata {
        resource: format!("{}/mcp", links.origin()),
        resource_name: "Tributary",
        authorization_servers,
        bearer_methods_supported: ["header"],
    }))
}

/// Middleware that adds the address of the metadata to a 401 of the tools, beside the general challenge.
pub async fn challenge(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    if request.uri().path() != TOOLS {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let links = Links::from_request_parts(&mut parts, &state).await;
    let mut response = next.run(Request::from_parts(parts, body)).await;
    if response.status() != StatusCode::UNAUTHORIZED {
        return response;
    }
    let issuers = state.issuers.load(&*state.store, &state.settings).await;
    let has_issuers = issuers.is_ok_and(|issuers| !issuers.is_empty());
    if let (Ok(links), true) = (links, has_issuers) {
        let address = format!("{}{}", links.origin(), TOOLS_METADATA.trim_end_matches('/'));
        if let Ok(value) = HeaderValue::from_str(&format!("Bearer resource_metadata=\"{address}\"")) {
            response.headers_mut().append(header::WWW_AUTHENTICATE, value);
        }
    }
    response
}
