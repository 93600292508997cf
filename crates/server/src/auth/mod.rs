//! Who is at the door. Everything is shut unless it stands in the table of open paths.

mod basic;
mod csrf;
pub mod events;
mod hashing;
pub mod oidc;
pub mod password;
mod random;
mod session;
pub mod token;

pub use basic::BasicGate;
pub use csrf::{masked, same_text};
pub use random::{random_hex, random_text};
pub use session::{close_session, cookie, keep_session, open_session};

use crate::House;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use crate::open_body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::settings::Settings;
use domain::user::{Principal, User};
use std::sync::Arc;

/// What needs no credentials, by canonical path: signs of life, the ways in, and what the sign-in page shows.
const OPEN: &[&str] = &[
    "/svc/health/live/",
    "/svc/health/ready/",
    "/svc/login/",
    "/svc/oidc_authenticate/",
    "/.well-known/oauth-protected-resource/",
    "/.well-known/oauth-protected-resource/mcp/",
    "/login/",
];

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
        "/svc/metrics/tasks/" | "/metrics/" => settings.metrics_open,
        _ => false,
    }
}

/// Pages for people: who is not signed in is led to the sign-in page.
const PAGES: &[&str] = &["/", "/history/", "/account/", "/chat/", "/egress/", "/svc/query_transform_form/"];
/// The console, the elections and all below them are such pages.
const FOLDERS: &[&str] = &["/admin/", "/review/"];

fn is_page(path: &str) -> bool {
    PAGES.contains(&path) || FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// A page, or anything else that somebody opens in a browser, such as a chat that was kept as a bookmark.
fn is_for_people(request: &Request) -> bool {
    let path = request.uri().path();
    is_page(path) || crate::ui::is_opened(request.method(), path, request.headers())
}

/// The sign-in page, which leads back to this address with all that stands behind its question mark.
fn way_in(uri: &Uri) -> String {
    let next = uri.path_and_query().map_or("/", |all| all.as_str());
    if next == "/" {
        return "/login/".to_owned();
    }
    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
    format!("/login/?next={}", next.replace("%2F", "/"))
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

/// The one guard over all routes.
pub async fn guard(
    State(house): State<Arc<House>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let address = ClientAddress::of(request.extensions(), request.headers(), &house.settings.trusted_proxies);
    request.extensions_mut().insert(address);
    let path = request.uri().path();
    if OPEN.contains(&path)
        || path.starts_with(FILES)
        || path.starts_with(BRANDING)
        || is_way_in(path)
        || is_opened(&house.settings, path)
    {
        return Ok(next.run(open_body::bounded(request)?).await);
    }
    let caller = match identify(&house, request.headers(), address).await? {
        Ok(caller) => caller,
        Err(_) if request.method().is_safe() && is_for_people(&request) => {
            return Ok(Redirect::to(&way_in(request.uri())).into_response());
        }
        Err(refusal) => {
            events::turned_away(request.headers(), refusal);
            return Err(ApiError::of(refusal));
        }
    };
    if let Scheme::Session { csrf, .. } = &caller.scheme
        && !request.method().is_safe()
    {
        request = csrf::check(request, csrf).await?;
    }
    let user = RequestUser(caller.principal.username.clone());
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    response.extensions_mut().insert(user);
    Ok(response)
}

/// The user with this name and password. After too many failures nobody is let in for a while: 429.
pub async fn by_password(
    house: &House,
    username: &str,
    password: &str,
    address: ClientAddress,
) -> Result<Option<User>, ApiError> {
    let attempt = house.throttles.sign_in.attempt(username, address);
    house.basic.verify(&*house.store, attempt, username, password).await
}

/// The caller, or why not. A stale header does not shut out a valid session, nor does one that is throttled.
pub async fn identify(
    house: &House,
    headers: &HeaderMap,
    address: ClientAddress,
) -> Result<Result<Caller, Refusal>, ApiError> {
    let given = headers.get(header::AUTHORIZATION);
    let mut throttled = None;
    if let Some(value) = given {
        match by_header(house, value.to_str().unwrap_or_default(), address).await {
            Ok(Some(caller)) => return Ok(Ok(caller)),
            Ok(None) => {}
            Err(error) if error.refusal() == Refusal::Throttled => throttled = Some(error),
            Err(error) => return Err(error),
        }
    }
    if let Some(caller) = session::identify(house, headers).await? {
        return Ok(Ok(caller));
    }
    if let Some(error) = throttled {
        return Err(error);
    }
    let refusal = if given.is_some() { Refusal::AuthenticationFailed } else { Refusal::NotAuthenticated };
    Ok(Err(refusal))
}

async fn by_header(house: &House, header: &str, address: ClientAddress) -> Result<Option<Caller>, ApiError> {
    let (scheme, text) = header.trim().split_once(' ').unwrap_or((header, ""));
    let text = text.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "basic" => match basic::decode(text) {
            Some((username, password)) => {
                let user = by_password(house, &username, &password, address).await?;
                Ok(user.map(|user| Caller { principal: Principal::of(&user), scheme: Scheme::Basic }))
            }
            None => Ok(None),
        },
        "token" => {
            let _until_looked_up = house.throttles.sign_in.token_turn(address).await?;
            match token::identify(house, text).await? {
                Some(caller) => Ok(Some(caller)),
                None => house.throttles.sign_in.token_failed(address).map(|()| None),
            }
        }
        "bearer" => {
            let _until_looked_up = house.throttles.sign_in.token_turn(address).await?;
            match oidc::identify(house, text, address).await? {
                Some(caller) => Ok(Some(caller)),
                None => house.throttles.sign_in.token_failed(address).map(|()| None),
            }
        }
        _ => Ok(None),
    }
}
