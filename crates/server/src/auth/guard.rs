//! Middleware that authenticates every request.

use super::caller::{NeedsConfirmation, RequestUser, Scheme};
use super::credentials::identify;
use super::paths::{SIGN_IN, is_metrics, is_page, is_public};
use super::side_effects::{self, SideEffectPolicy};
use super::site::{self, Site};
use super::{csrf, events, session};
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::open_body;
use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::sync::Arc;

/// Middleware that authenticates every request. Browsers are never asked for a password with a challenge: they have a
/// sign-in page.
pub async fn guard(State(state): State<Arc<AppState>>, mut request: Request, next: Next) -> Response {
    let address = ClientAddress::of(request.extensions(), request.headers(), &state.settings.trusted_proxies);
    request.extensions_mut().insert(address);
    tracing::Span::current().record("client.address", tracing::field::display(address));
    let is_browser = site::is_browser(request.headers())
        || session::has_cookie(request.headers())
        || csrf::is_sent(request.headers());
    let mut response = pass(&state, request, next, address).await.into_response();
    if is_browser && response.status() == StatusCode::UNAUTHORIZED {
        response.headers_mut().remove(header::WWW_AUTHENTICATE);
    }
    response
}

async fn pass(
    state: &Arc<AppState>,
    mut request: Request,
    next: Next,
    address: ClientAddress,
) -> Result<Response, ApiError> {
    let site = Site::of(&state.settings, &request);
    let is_safe = request.method().is_safe();
    if !is_safe {
        site.require_known(&request)?;
    }
    if is_public(&state.settings, request.uri().path()) {
        if !is_safe && request.uri().path() == SIGN_IN {
            site.require_own(&request)?;
        }
        return Ok(next.run(open_body::bounded(request)?).await);
    }
    let identified = if is_metrics(request.uri().path()) {
        let headers = request.headers();
        state.scrapers.identify(headers, identify(state, headers, address)).await?
    } else {
        identify(state, request.headers(), address).await?
    };
    let caller = match identified {
        Ok(caller) => caller,
        Err(_) if is_page_visit(&request) => {
            return Ok(Redirect::to(&sign_in_url(&request)).into_response());
        }
        Err(code) => {
            events::log_invalid_credentials(request.headers(), code);
            return Err(ApiError::of(code));
        }
    };
    if let Scheme::Session { csrf, .. } = &caller.scheme
        && !is_safe
    {
        site.require_own(&request)?;
        request = csrf::check(request, csrf).await?;
    }
    let (user, is_ambient) = (RequestUser(caller.principal.username.clone()), caller.scheme.is_ambient());
    request.extensions_mut().insert(caller);
    if is_safe && is_ambient && site.may_be_foreign() {
        check_side_effects(&mut request)?;
    }
    let mut response = next.run(request).await;
    response.extensions_mut().insert(user);
    Ok(response)
}

/// Keeps a page of another site from changing anything by linking here: such a request is refused or marked
/// [`NeedsConfirmation`].
fn check_side_effects(request: &mut Request) -> Result<(), ApiError> {
    let uri = request.uri();
    match side_effects::policy_for(uri.path(), uri.query().unwrap_or_default()) {
        None => Ok(()),
        Some(SideEffectPolicy::Confirm) if site::is_navigation(request.method(), request.headers()) => {
            request.extensions_mut().insert(NeedsConfirmation);
            Ok(())
        }
        Some(_) => Err(site::csrf_error(request.headers(), request.uri())),
    }
}

/// True if a browser opens a page or submits one of its forms.
fn is_page_visit(request: &Request) -> bool {
    let is_navigation = site::is_navigation(request.method(), request.headers());
    is_navigation || (request.method().is_safe() && is_page(request.uri().path()))
}

/// The URL of the sign-in page, which returns to this address with its query. A form returns to the page that contains
/// it.
fn sign_in_url(request: &Request) -> String {
    let uri = request.uri();
    let next = if request.method().is_safe() {
        uri.path_and_query().map_or("/", |all| all.as_str())
    } else if is_page(uri.path()) {
        uri.path()
    } else {
        "/"
    };
    if next == "/" {
        return SIGN_IN.to_owned();
    }
    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
    format!("{SIGN_IN}?next={}", next.replace("%2F", "/"))
}
