//! The site that a request comes from, by the headers that browsers add and that web pages cannot forge.
//!
//! Browsers attach cookies and remembered passwords to requests of any page. `Sec-Fetch-Site` says whose page it was;
//! browsers that do not send it (old ones, and all of them over plain HTTP) send `Origin` with unsafe requests and
//! `Referer` with most others. A page may hold the latter back; then the browser is known by what it always sends.
//! Programs send none of these and are not concerned.

mod own_origin;
#[cfg(test)]
mod tests;

pub use own_origin::is_listed;
#[cfg(feature = "mcp")]
pub use own_origin::is_same_host;

use super::csrf;
use crate::error::{ApiError, Refusal};
use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderName, Method, Uri, header};
use domain::settings::Settings;
use own_origin::is_own;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
/// Longest host that a refusal repeats.
const HOST_CHARS_MAX: usize = 100;

/// Whose page sent a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// No web page, as far as the headers tell: a program.
    Unknown,
    /// A page of this service, or the user: the address bar, a bookmark.
    Own,
    /// A script of an origin in `SVC_CORS_ORIGINS`. It may call the API, and has no part in sessions.
    Listed,
    Foreign,
    /// A browser that does not say whose page it was. It may be the user, or a page that hides itself.
    Unstated,
}

impl Site {
    pub fn of(settings: &Settings, request: &Request) -> Self {
        Self::read(settings, request.headers(), request.uri(), request.extensions())
    }

    fn read(settings: &Settings, headers: &HeaderMap, uri: &Uri, extensions: &Extensions) -> Self {
        let given = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let is_own = |page: &str| is_own(settings, page, headers, uri, extensions);
        let origin = given(&header::ORIGIN);
        // A form or a picture of a listed page is no call of the API.
        let is_call = matches!(text(headers, &FETCH_MODE), None | Some("cors"));
        let is_listed = is_call && origin.is_some_and(|origin| is_listed(settings, origin));
        match (given(&FETCH_SITE), origin, given(&header::REFERER)) {
            (Some("same-origin" | "none"), ..) => Self::Own,
            (None, Some(page), _) | (None, None, Some(page)) if is_own(page) => Self::Own,
            (Some(_), ..) | (None, Some(_), _) if is_listed => Self::Listed,
            (Some(_), ..) | (None, Some(_), _) | (None, None, Some(_)) => Self::Foreign,
            // A page of another site cannot add this header.
            (None, None, None) if csrf::is_sent(headers) => Self::Own,
            (None, None, None) if looks_like_browser(headers) => Self::Unstated,
            (None, None, None) => Self::Unknown,
        }
    }

    /// A page of another site may have sent the request.
    pub fn may_be_foreign(self) -> bool {
        matches!(self, Self::Foreign | Self::Unstated)
    }

    /// Refuses what only a page of this service may send.
    pub fn require_own(self, request: &Request) -> Result<(), ApiError> {
        match self {
            Self::Own | Self::Unknown => Ok(()),
            Self::Listed | Self::Foreign | Self::Unstated => Err(refusal(request.headers(), request.uri())),
        }
    }

    /// Refuses a page of another site. A token is exempt: no browser attaches one by itself.
    pub fn require_known(self, request: &Request) -> Result<(), ApiError> {
        match self.may_be_foreign() && !brings_token(request.headers()) {
            true => Err(refusal(request.headers(), request.uri())),
            false => Ok(()),
        }
    }
}

/// Says what to do, also to those whose own page was not recognised.
pub fn refusal(headers: &HeaderMap, uri: &Uri) -> ApiError {
    let host: String =
        own_origin::host(headers, uri).unwrap_or_default().chars().take(HOST_CHARS_MAX).collect();
    let sentence = format!(
        "This request came from a page of another site, or the browser does not say from which page, so nothing was \
         done. Open this service in your browser and do it there. If that is what you did, SVC_PUBLIC_URL must be the \
         address in your browser: this request was sent to the host '{host}'. A web application needs a token and an \
         entry in SVC_CORS_ORIGINS."
    );
    ApiError::saying(Refusal::CsrfFailed, sentence)
}

/// Somebody opens the address in a browser, as opposed to a script that fetches it.
pub fn is_navigation(method: &Method, headers: &HeaderMap) -> bool {
    match text(headers, &FETCH_MODE) {
        Some(mode) => mode == "navigate",
        None => {
            let accept = text(headers, &header::ACCEPT).unwrap_or_default();
            method == Method::GET && accept.contains("text/html") && accept.contains("application/xhtml+xml")
        }
    }
}

/// The request was sent by a browser that says so. Programs may send the mode, and never the site.
pub fn is_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(&FETCH_SITE)
}

/// Every browser sends both with all that it asks, and no page can keep it from that. Programs that borrow the name of a
/// browser rarely ask for a language.
fn looks_like_browser(headers: &HeaderMap) -> bool {
    let agent = text(headers, &header::USER_AGENT).unwrap_or_default();
    agent.starts_with("Mozilla/") && headers.contains_key(header::ACCEPT_LANGUAGE)
}

fn brings_token(headers: &HeaderMap) -> bool {
    let scheme = text(headers, &header::AUTHORIZATION).and_then(|value| value.split_whitespace().next());
    scheme.is_some_and(|scheme| ["token", "bearer"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
