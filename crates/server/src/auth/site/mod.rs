//! The site that a request comes from, by headers that browsers add and web pages cannot forge.
//!
//! Browsers attach cookies and remembered passwords to requests of any page. `Sec-Fetch-Site` names the relation of
//! that page; browsers that do not send it (old ones, and all of them over plain HTTP) send `Origin` with unsafe
//! requests and `Referer` with most others. A page may suppress `Referer`; then the browser is recognized by headers
//! that it always sends. Programs send none of these and are not affected.

mod header_text;
mod own_origin;
#[cfg(test)]
mod tests;

pub use own_origin::is_listed;
#[cfg(feature = "mcp")]
pub use own_origin::is_same_host;

use super::csrf;
use crate::error::{ApiError, ErrorCode};
use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderName, Method, Uri, header};
use domain::settings::Settings;
use header_text::text;
use own_origin::is_own;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
/// Longest host repeated in an error message.
const HOST_CHARS_MAX: usize = 100;

/// Origin of the page that sent a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// A program, as far as the headers show.
    Unknown,
    /// A page of this service, or the user: the address bar, a bookmark.
    Own,
    /// A script of an origin in `SVC_CORS_ORIGINS`. It may call the API, but cannot use sessions.
    Listed,
    Foreign,
    /// A browser that does not report the page. It may be the user, or a page that hides its origin.
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
        // A form or an image of a listed page is not an API call.
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

    /// True if a page of another site may have sent the request.
    pub fn may_be_foreign(self) -> bool {
        matches!(self, Self::Foreign | Self::Unstated)
    }

    /// Refuses requests that only a page of this service may send.
    pub fn require_own(self, request: &Request) -> Result<(), ApiError> {
        match self {
            Self::Own | Self::Unknown => Ok(()),
            Self::Listed | Self::Foreign | Self::Unstated => {
                Err(csrf_error(request.headers(), request.uri()))
            }
        }
    }

    /// Refuses a page of another site. A token is exempt: no browser attaches one by itself.
    pub fn require_known(self, request: &Request) -> Result<(), ApiError> {
        if self.may_be_foreign() && !brings_token(request.headers()) {
            Err(csrf_error(request.headers(), request.uri()))
        } else {
            Ok(())
        }
    }
}

/// The error explains what to do, also to users whose own page was not recognized.
pub fn csrf_error(headers: &HeaderMap, uri: &Uri) -> ApiError {
    let host: String =
        own_origin::host(headers, uri).unwrap_or_default().chars().take(HOST_CHARS_MAX).collect();
    let sentence = format!(
        "This request came from a page of another site, or the browser does not say from which page, so nothing was \
         done. Open this service in your browser and do it there. If that is what you did, SVC_PUBLIC_URL must be the \
         address in your browser: this request was sent to the host '{host}'. A web application needs a token and an \
         entry in SVC_CORS_ORIGINS."
    );
    ApiError::with_detail(ErrorCode::CsrfFailed, sentence)
}

/// True if a browser opens the address, as opposed to a script that fetches it.
pub fn is_navigation(method: &Method, headers: &HeaderMap) -> bool {
    match text(headers, &FETCH_MODE) {
        Some(mode) => mode == "navigate",
        None => {
            let accept = text(headers, &header::ACCEPT).unwrap_or_default();
            method == Method::GET && accept.contains("text/html") && accept.contains("application/xhtml+xml")
        }
    }
}

/// True for a browser that sends `Sec-Fetch-Site`. Programs may send the mode, and never the site.
pub fn is_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(&FETCH_SITE)
}

/// Every browser sends both headers with every request, and no page can prevent that. Programs that imitate a browser
/// rarely send a language.
fn looks_like_browser(headers: &HeaderMap) -> bool {
    let agent = text(headers, &header::USER_AGENT).unwrap_or_default();
    agent.starts_with("Mozilla/") && headers.contains_key(header::ACCEPT_LANGUAGE)
}

fn brings_token(headers: &HeaderMap) -> bool {
    let scheme = text(headers, &header::AUTHORIZATION).and_then(|value| value.split_whitespace().next());
    scheme.is_some_and(|scheme| ["token", "bearer"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}
