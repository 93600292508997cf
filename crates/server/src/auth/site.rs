//! The site that a request comes from, by the headers that browsers add and that web pages cannot forge.
//!
//! Browsers attach cookies and remembered passwords to requests of any page. `Sec-Fetch-Site` says whose page it was;
//! browsers that do not send it (old ones, and all of them over plain HTTP) still send `Origin` with unsafe requests.
//! Programs send neither and are not concerned.

use crate::client_address::is_from_proxy;
use crate::error::{ApiError, Refusal};
use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderName, Method, Uri, header};
use domain::settings::Settings;
use url::Url;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

const REFUSED: &str = "This request came from a page of another site, so nothing was done. Open this service in your \
    browser and do it there. A web application needs a token and an entry in SVC_CORS_ORIGINS.";

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
}

impl Site {
    pub fn of(settings: &Settings, request: &Request) -> Self {
        Self::read(settings, request.headers(), request.uri(), request.extensions())
    }

    fn read(settings: &Settings, headers: &HeaderMap, uri: &Uri, extensions: &Extensions) -> Self {
        let origin = headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or_default());
        // A form or a picture of a listed page is no call of the API.
        let is_call = matches!(text(headers, &FETCH_MODE), None | Some("cors"));
        let is_listed = is_call && origin.is_some_and(|origin| is_listed(settings, origin));
        match (text(headers, &FETCH_SITE), origin) {
            (Some("same-origin" | "none"), _) => Self::Own,
            (None, None) => Self::Unknown,
            (None, Some(origin)) if is_own(settings, origin, headers, uri, extensions) => Self::Own,
            (Some(_), _) | (None, Some(_)) if is_listed => Self::Listed,
            (Some(_), _) | (None, Some(_)) => Self::Foreign,
        }
    }

    pub fn is_foreign(self) -> bool {
        self == Self::Foreign
    }

    /// Refuses what only a page of this service may send.
    pub fn require_own(self) -> Result<(), ApiError> {
        match self {
            Self::Own | Self::Unknown => Ok(()),
            Self::Listed | Self::Foreign => Err(refusal()),
        }
    }

    /// Refuses a page of another site. A token is exempt: no browser attaches one by itself.
    pub fn require_known(self, headers: &HeaderMap) -> Result<(), ApiError> {
        match self {
            Self::Foreign if !brings_token(headers) => Err(refusal()),
            _ => Ok(()),
        }
    }
}

pub fn refusal() -> ApiError {
    ApiError::saying(Refusal::CsrfFailed, REFUSED)
}

/// The origin of `SVC_PUBLIC_URL`, or one of `SVC_CORS_ORIGINS`.
pub fn is_listed(settings: &Settings, origin: &str) -> bool {
    is_public(settings, origin) || settings.cors_origins.iter().any(|listed| listed.0 == origin)
}

/// The origin names the host that the request was sent to.
pub fn is_same_host(origin: &str, host: &str) -> bool {
    let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    !host.is_empty() && own.is_some_and(|own| own.eq_ignore_ascii_case(host))
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

fn is_public(settings: &Settings, origin: &str) -> bool {
    public_url(settings).is_some_and(|url| url.origin().ascii_serialization() == origin)
}

fn public_url(settings: &Settings) -> Option<Url> {
    Url::parse(&settings.public_url).ok()
}

/// The page has the address under which the service was asked: its public one, the one that a trusted proxy names, or
/// that of the request itself.
fn is_own(
    settings: &Settings,
    origin: &str,
    headers: &HeaderMap,
    uri: &Uri,
    extensions: &Extensions,
) -> bool {
    if is_public(settings, origin) {
        return true;
    }
    let is_proxied = is_from_proxy(extensions, &settings.trusted_proxies);
    let forwarded = |name: &HeaderName| text(headers, name).filter(|_| is_proxied);
    if let Some(scheme) = forwarded(&FORWARDED_PROTO)
        && !origin.starts_with(&format!("{scheme}://"))
    {
        return false;
    }
    let host = text(headers, &header::HOST).or_else(|| uri.authority().map(|authority| authority.as_str()));
    let hosts = [forwarded(&FORWARDED_HOST), host];
    // The public address has one scheme; the same host by another one is another site.
    let public = public_url(settings).map(|url| url.origin().ascii_serialization());
    let is_public_host = |host: &str| public.as_deref().is_some_and(|public| is_same_host(public, host));
    hosts.into_iter().flatten().any(|host| is_same_host(origin, host) && !is_public_host(host))
}

fn brings_token(headers: &HeaderMap) -> bool {
    let scheme = text(headers, &header::AUTHORIZATION).and_then(|value| value.split_whitespace().next());
    scheme.is_some_and(|scheme| ["token", "bearer"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Peer;
    use axum::body::Body;
    use axum::extract::ConnectInfo;
    use domain::notation::network::Network;
    use domain::settings::WebOrigin;

    /// Names and values.
    type Headers<'h> = &'h [(&'h str, &'h str)];

    fn request(headers: &[(&str, &str)]) -> Request {
        let mut builder = Request::post("/svc/tokens/");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(Body::empty()).expect("a request")
    }

    fn settings() -> Settings {
        Settings {
            public_url: "https://find.example/".to_owned(),
            cors_origins: vec![WebOrigin("https://app.example".to_owned())],
            trusted_proxies: Network::parse("10.0.0.0/8").into_iter().collect(),
            ..Settings::default()
        }
    }

    #[test]
    fn sites() {
        let (site, origin, host, mode) = ("sec-fetch-site", "origin", "host", "sec-fetch-mode");
        let table: &[(&[(&str, &str)], Site)] = &[
            (&[], Site::Unknown),
            (&[(host, "find.example")], Site::Unknown),
            (&[(site, "same-origin"), (origin, "http://x.example")], Site::Own),
            (&[(site, "none")], Site::Own),
            (&[(site, "same-site"), (origin, "https://x.find.example")], Site::Foreign),
            (&[(site, "cross-site")], Site::Foreign),
            (&[(site, "nonsense")], Site::Foreign),
            (&[(site, "cross-site"), (origin, "null")], Site::Foreign),
            (&[(site, "cross-site"), (origin, "https://app.example"), (mode, "cors")], Site::Listed),
            (&[(site, "cross-site"), (origin, "https://app.example"), (mode, "navigate")], Site::Foreign),
            (&[(site, "cross-site"), (origin, "https://app.example"), (mode, "no-cors")], Site::Foreign),
            (&[(origin, "https://app.example")], Site::Listed),
            (&[(origin, "https://find.example"), (host, "10.1.1.1:8000")], Site::Own),
            (&[(origin, "http://127.0.0.1:8000"), (host, "127.0.0.1:8000")], Site::Own),
            (&[(origin, "http://LAN:8000"), (host, "lan:8000")], Site::Own),
            (&[(origin, "http://lan:8001"), (host, "lan:8000")], Site::Foreign),
            (&[(origin, "http://find.example"), (host, "find.example")], Site::Foreign),
            (&[(origin, "https://find.example.evil.example"), (host, "find.example")], Site::Foreign),
            (&[(origin, "null"), (host, "find.example")], Site::Foreign),
            (&[(origin, ""), (host, "find.example")], Site::Foreign),
            (&[(origin, "https://evil.example"), ("x-forwarded-host", "evil.example")], Site::Foreign),
        ];
        for (headers, expected) in table {
            assert_eq!(Site::of(&settings(), &request(headers)), *expected, "{headers:?}");
        }
    }

    #[test]
    fn what_a_trusted_proxy_says_counts() {
        let (origin, host, forwarded) = ("origin", "host", "x-forwarded-host");
        let table: &[(&str, Headers<'_>, Site)] = &[
            ("10.0.0.1", &[(origin, "https://a.example"), (forwarded, "a.example")], Site::Own),
            ("192.0.2.1", &[(origin, "https://a.example"), (forwarded, "a.example")], Site::Foreign),
            (
                "10.0.0.1",
                &[(origin, "http://a.example"), (host, "a.example"), ("x-forwarded-proto", "https")],
                Site::Foreign,
            ),
            (
                "192.0.2.1",
                &[(origin, "http://a.example"), (host, "a.example"), ("x-forwarded-proto", "https")],
                Site::Own,
            ),
        ];
        for (peer, headers, expected) in table {
            let mut request = request(headers);
            let peer = Peer((peer.parse::<std::net::IpAddr>().expect("an address"), 4711).into());
            request.extensions_mut().insert(ConnectInfo(peer));
            assert_eq!(Site::of(&settings(), &request), *expected, "{headers:?}");
        }
    }

    #[test]
    fn who_is_refused() {
        let with = |authorization: &str| {
            HeaderMap::from_iter([(header::AUTHORIZATION, authorization.parse().expect("a header"))])
        };
        let table = [
            (Site::Unknown, "", true, true),
            (Site::Own, "Basic YTpi", true, true),
            (Site::Listed, "Basic YTpi", true, false),
            (Site::Foreign, "Basic YTpi", false, false),
            (Site::Foreign, "", false, false),
            (Site::Foreign, "Token trb_x", true, false),
            (Site::Foreign, "bearer x", true, false),
        ];
        for (site, authorization, is_known, is_own) in table {
            let case = format!("{site:?} {authorization}");
            assert_eq!(site.require_known(&with(authorization)).is_ok(), is_known, "{case}");
            assert_eq!(site.require_own().is_ok(), is_own, "{case}");
        }
    }

    #[test]
    fn navigations() {
        const OLD_BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let table: &[(Method, Headers<'_>, bool)] = &[
            (Method::GET, &[("sec-fetch-mode", "navigate")], true),
            (Method::POST, &[("sec-fetch-mode", "navigate")], true),
            (Method::GET, &[("sec-fetch-mode", "cors"), ("accept", OLD_BROWSER)], false),
            (Method::GET, &[("accept", OLD_BROWSER)], true),
            (Method::POST, &[("accept", OLD_BROWSER)], false),
            (Method::GET, &[("accept", "*/*")], false),
            (Method::GET, &[("accept", "text/html")], false),
            (Method::GET, &[], false),
        ];
        for (method, headers, expected) in table {
            assert_eq!(is_navigation(method, request(headers).headers()), *expected, "{method} {headers:?}");
        }
    }
}
