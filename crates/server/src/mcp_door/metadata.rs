//! Which services give out tokens for the tools: what a client that has none reads first (RFC 9728).

use super::PATH as TOOLS;
use crate::AppState;
use crate::error::{ApiError, Refusal};
use crate::links::Links;
use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

pub const PATH: &str = "/.well-known/oauth-protected-resource/";
/// The same for the path of the tools, where clients look first.
pub const PATH_OF_TOOLS: &str = "/.well-known/oauth-protected-resource/mcp/";

/// How long the issuers are remembered: whoever asks without credentials must not cost a look at the records.
const KEPT_FOR: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize)]
pub struct Metadata {
    resource: String,
    resource_name: &'static str,
    authorization_servers: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
}

/// The services whose tokens are taken, as they were known a moment ago.
#[derive(Default)]
pub struct Issuers(Mutex<Option<(Instant, Vec<String>)>>);

impl Issuers {
    async fn known(&self, state: &AppState) -> Result<Vec<String>, ApiError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((until, issuers)) = kept
            && Instant::now() < until
        {
            return Ok(issuers);
        }
        let has_audience = |own: &str| !own.is_empty() || !state.settings.oidc_api_audience.is_empty();
        let all = state.store.authenticators().await?.into_iter().map(|one| one.spec);
        let taken = all.filter(|one| one.active && !one.issuer.is_empty() && has_audience(&one.audience));
        let issuers: Vec<String> = taken.map(|one| one.issuer).collect();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((Instant::now() + KEPT_FOR, issuers.clone()));
        Ok(issuers)
    }
}

/// 404 where no service gives out tokens for us.
pub async fn read(State(state): State<Arc<AppState>>, links: Links) -> Result<Json<Metadata>, ApiError> {
    let authorization_servers = state.issuers.known(&state).await?;
    if authorization_servers.is_empty() {
        return Err(ApiError::of(Refusal::NotFound));
    }
    Ok(Json(Metadata {
        resource: format!("{}/mcp", links.origin()),
        resource_name: "Tributary",
        authorization_servers,
        bearer_methods_supported: ["header"],
    }))
}

/// Tells who was turned away at the tools where tokens are to be had, beside the challenge that all doors have.
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
    let has_issuers = state.issuers.known(&state).await.is_ok_and(|issuers| !issuers.is_empty());
    if let (Ok(links), true) = (links, has_issuers) {
        let address = format!("{}{}", links.origin(), PATH_OF_TOOLS.trim_end_matches('/'));
        if let Ok(value) = HeaderValue::from_str(&format!("Bearer resource_metadata=\"{address}\"")) {
            response.headers_mut().append(header::WWW_AUTHENTICATE, value);
        }
    }
    response
}
