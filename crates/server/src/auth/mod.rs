//! Who is at the door. Everything is shut unless it stands in the table of open paths.

mod basic;
mod csrf;
pub mod events;
mod hashing;
pub mod oidc;
pub mod password;
mod random;
mod scrapers;
mod session;
pub mod side_effects;
mod site;
pub mod token;

pub use basic::PasswordVerifier;
pub use csrf::{masked, same_text};
pub use random::{random_hex, random_text};
pub use scrapers::{SCRAPER_TIME_MAX, Scrapers};
pub use session::{close_session, cookie, keep_session, open_session, read_cookie};
#[cfg(feature = "mcp")]
pub use site::{is_listed, is_same_host};

use crate::AppState;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use crate::metrics::SignInFailure;
use crate::open_body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::settings::Settings;
use domain::user::{Principal, User};
use side_effects::Answer;
use site::Site;
use std::sync::Arc;

/// What needs no credentials, by canonical path: signs of life, the ways in, and what the sign-in page shows.
const OPEN: &[&str] = &[
    "/svc/health/live/",
    "/svc/health/ready/",
    "/svc/login/",
    "/svc/oidc_authenticate/",
    "/.well-known/oauth-protected-resource/",
    "/.well-known/oauth-protected-resource/mcp/",
    SIGN_IN,
];

const SIGN_IN: &str = "/login/";

/// What the sign-in page and all others are made of.
const FILES: &str = "/static/";
/// Logos and colours, which the sign-in page shows too.
const BRANDING: &str = "/branding/";

/// Where browsers go to sign in elsewhere, and where they come back to. The handlers look who it is.
fn is_way_in(path: &str) -> bool {
    path.starts_with("/svc/callback/") || (path.starts_with("/svc/oidc/") && path.ends_with("/login/"))
}

/// What needs none either when the settings say so.
fn is_opened(settings: &Settings, path: &str) -> bool {
    match path {
        "/svc/health/tasks/" => settings.health_open,
        path if is_metrics(path) => settings.metrics_open,
        _ => false,
    }
}

/// What scrapers read.
fn is_metrics(path: &str) -> bool {
    ["/svc/metrics/tasks/", "/metrics/"].contains(&path)
}

fn is_open(settings: &Settings, path: &str) -> bool {
    OPEN.contains(&path)
        || path.starts_with(FILES)
        || path.starts_with(BRANDING)
        || is_way_in(path)
        || is_opened(settings, path)
}

/// Pages for people: who is not signed in is led to the sign-in page.
const PAGES: &[&str] = &["/", "/history/", "/account/", "/chat/", "/egress/", "/svc/query_transform_form/"];
/// The console, the elections and all below them are such pages.
const FOLDERS: &[&str] = &["/admin/", "/review/"];

fn is_page(path: &str) -> bool {
    PAGES.contains(&path) || FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// Somebody looks at a page in a browser: reads one, or sends one of its forms.
fn is_page_visit(request: &Request) -> bool {
    let is_navigation = site::is_navigation(request.method(), request.headers());
    is_navigation || (request.method().is_safe() && is_page(request.uri().path()))
}

/// The sign-in page, which leads back to this address with its query. A form leads back to the page that it is on.
fn way_in(request: &Request) -> String {
    let uri = request.uri();
    let next = match request.method().is_safe() {
        true => uri.path_and_query().map_or("/", |all| all.as_str()),
        false if is_page(uri.path()) => uri.path(),
        false => "/",
    };
    if next == "/" {
        return SIGN_IN.to_owned();
    }
    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
    format!("{SIGN_IN}?next={}", next.replace("%2F", "/"))
}

/// How the caller proved who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scheme {
    Basic,
    /// Holds the token's first characters.
    Token {
        prefix: String,
    },
    /// A token that another service signed.
    Bearer,
    Session {
        csrf: String,
        key_hash: String,
    },
}

impl Scheme {
    /// Browsers send these credentials by themselves, whichever page makes the request.
    fn is_ambient(&self) -> bool {
        matches!(self, Self::Session { .. } | Self::Basic)
    }
}

/// Who is asking; in the extensions of every request that passed the guard.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    pub scheme: Scheme,
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| ApiError::of(Refusal::NotAuthenticated))
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
            Err(ApiError::saying(Refusal::PermissionDenied, "Only an administrator may do this."))
        }
    }
}

/// The user's name for the log line, in the extensions of the answer.
#[derive(Debug, Clone)]
pub struct RequestUser(pub String);

/// The one guard over all routes. Browsers are never challenged for a password: they have a sign-in page.
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
    if is_open(&state.settings, request.uri().path()) {
        if !is_safe && request.uri().path() == SIGN_IN {
            site.require_own(&request)?;
        }
        return Ok(next.run(open_body::bounded(request)?).await);
    }
    let identified = match is_metrics(request.uri().path()) {
        true => state.scrapers.identify(state, request.headers(), address).await?,
        false => identify(state, request.headers(), address).await?,
    };
    let caller = match identified {
        Ok(caller) => caller,
        Err(_) if is_page_visit(&request) => {
            return Ok(Redirect::to(&way_in(&request)).into_response());
        }
        Err(refusal) => {
            events::turned_away(request.headers(), refusal);
            return Err(ApiError::of(refusal));
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
    let mut response = match is_safe && is_ambient && site.may_be_foreign() {
        true => answer_foreign_page(state, request, next).await?,
        false => next.run(request).await,
    };
    response.extensions_mut().insert(user);
    Ok(response)
}

/// A page of another site may lead here, and changes nothing by that.
async fn answer_foreign_page(
    state: &Arc<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    match side_effects::find(parts.uri.path(), parts.uri.query().unwrap_or_default()) {
        None => Ok(next.run(Request::from_parts(parts, body)).await),
        Some(Answer::Ask) if site::is_navigation(&parts.method, &parts.headers) => {
            crate::ui::confirm_search(state, &mut parts).await
        }
        Some(_) => Err(site::refusal(&parts.headers, &parts.uri)),
    }
}

/// The user with this name and password. After too many failures nobody is let in for a while: 429.
pub async fn by_password(
    state: &AppState,
    username: &str,
    password: &str,
    address: ClientAddress,
) -> Result<Option<User>, ApiError> {
    let attempt = state.throttles.sign_in.attempt(username, address);
    let user = state.basic.verify(&*state.store, attempt, username, password).await;
    counted(state, SignInFailure::Password, user)
}

/// Counts who is not let in, for the metrics.
fn counted<T>(
    state: &AppState,
    reason: SignInFailure,
    found: Result<Option<T>, ApiError>,
) -> Result<Option<T>, ApiError> {
    match &found {
        Ok(None) => state.metrics.sign_in_failed(reason),
        Err(error) if error.refusal() == Refusal::Throttled => {
            state.metrics.sign_in_failed(SignInFailure::Throttled);
        }
        _ => {}
    }
    found
}

/// The caller, or why not. A stale header does not shut out a valid session, nor does one that is throttled.
pub async fn identify(
    state: &AppState,
    headers: &HeaderMap,
    address: ClientAddress,
) -> Result<Result<Caller, Refusal>, ApiError> {
    let given = headers.get(header::AUTHORIZATION);
    let mut throttled = None;
    if let Some(value) = given {
        match by_header(state, value.to_str().unwrap_or_default(), address).await {
            Ok(Some(caller)) => return Ok(Ok(caller)),
            Ok(None) => {}
            Err(error) if error.refusal() == Refusal::Throttled => throttled = Some(error),
            Err(error) => return Err(error),
        }
    }
    if let Some(caller) = session::identify(state, headers).await? {
        return Ok(Ok(caller));
    }
    if let Some(error) = throttled {
        return Err(error);
    }
    let refusal = if given.is_some() { Refusal::AuthenticationFailed } else { Refusal::NotAuthenticated };
    Ok(Err(refusal))
}

async fn by_header(
    state: &AppState,
    header: &str,
    address: ClientAddress,
) -> Result<Option<Caller>, ApiError> {
    let (scheme, text) = header.trim().split_once(' ').unwrap_or((header, ""));
    let text = text.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "basic" => match basic::decode(text) {
            Some((username, password)) => {
                let user = by_password(state, &username, &password, address).await?;
                Ok(user.map(|user| Caller { principal: Principal::of(&user), scheme: Scheme::Basic }))
            }
            None => Ok(None),
        },
        "token" => counted(state, SignInFailure::Token, by_token(state, text, address).await),
        "bearer" => counted(state, SignInFailure::Bearer, by_signed_token(state, text, address).await),
        _ => Ok(None),
    }
}

async fn by_token(state: &AppState, text: &str, address: ClientAddress) -> Result<Option<Caller>, ApiError> {
    let _until_looked_up = state.throttles.sign_in.token_turn(address).await?;
    match token::identify(state, text).await? {
        Some(caller) => Ok(Some(caller)),
        None => state.throttles.sign_in.token_failed(address).map(|()| None),
    }
}

async fn by_signed_token(
    state: &AppState,
    text: &str,
    address: ClientAddress,
) -> Result<Option<Caller>, ApiError> {
    let _until_looked_up = state.throttles.sign_in.token_turn(address).await?;
    match oidc::identify(state, text, address).await? {
        Some(caller) => Ok(Some(caller)),
        None => state.throttles.sign_in.token_failed(address).map(|()| None),
    }
}
