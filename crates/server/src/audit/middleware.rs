//! Middleware that records lockouts in the audit log.

use crate::auth::RequestUser;
use crate::client_address::ClientAddress;
use crate::request_context::RequestId;
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use domain::audit::{Action, AuditEvent, Author, Kind};
use domain::ports::chain;
use std::sync::Arc;

/// Middleware around the guard that records lockouts in the audit log. The user name is not recorded, because people
/// type passwords there by mistake. Failing to write the entry is logged and does not change the response.
pub async fn record_lockouts(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let address = ClientAddress::of(request.extensions(), request.headers(), &state.settings.trusted_proxies);
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    // A rate limit of an authenticated user is no lockout.
    let is_lockout = response.status() == StatusCode::TOO_MANY_REQUESTS
        && response.extensions().get::<RequestUser>().is_none();
    if is_lockout && state.lockouts.admit(address) {
        let author = Author { request_id, ..Author::anonymous(address.to_string(), state.clock.now()) };
        let event = AuditEvent::of(Action::Refused, Kind::SignIn, None, &path);
        if let Err(error) = state.store.note(&author, event).await {
            tracing::warn!("a lockout could not be recorded in the audit log: {}", chain(&error));
        }
    }
    response
}
