//! Origin check of `/mcp`. A web page may call the tools only from a known origin; otherwise it could reach a service
//! in its visitor's network by DNS rebinding.

use crate::auth::{is_listed, is_same_host};
use crate::error::{ApiError, ErrorCode};
use axum::http::{HeaderMap, header};
use domain::settings::Settings;
use std::net::IpAddr;
use url::Url;

/// Accepts requests that do not come from a page, and pages of this service, of `SVC_PUBLIC_URL` and of
/// `SVC_CORS_ORIGINS`.
pub fn check(settings: &Settings, headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if is_listed(settings, origin) || is_own(settings, origin, host) {
        return Ok(());
    }
    let sentence = "Pages of this origin may not call the tools; see SVC_CORS_ORIGINS.";
    Err(ApiError::with_detail(ErrorCode::PermissionDenied, sentence))
}

/// True if the page comes from the address of the request, and by a name that nobody else can point here.
fn is_own(settings: &Settings, origin: &str, host: &str) -> bool {
    if !is_same_host(origin, host) {
        return false;
    }
    let Ok(url) = Url::parse(origin) else { return false };
    // Port 80 of the same host belongs to another program.
    if settings.has_tls() && url.scheme() != settings.scheme() {
        return false;
    }
    let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    name == "localhost" || name.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case(&settings.host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::settings::WebOrigin;

    #[test]
    fn only_known_origins_may_call() {
        let settings = Settings {
            public_url: "https://find.example/".to_owned(),
            cors_origins: vec![WebOrigin("https://app.example".to_owned())],
            ..Settings::default()
        };
        let table = [
            (None, "anything", true),
            (Some("https://find.example"), "10.0.0.7:8000", true),
            (Some("https://app.example"), "find.example", true),
            (Some("http://127.0.0.1:8000"), "127.0.0.1:8000", true),
            (Some("http://[::1]:8000"), "[::1]:8000", true),
            (Some("http://localhost:8000"), "localhost:8000", true),
            // Another program on the same machine.
            (Some("http://localhost:3000"), "localhost:8000", false),
            // A name that was pointed to this address.
            (Some("http://evil.example:8000"), "evil.example:8000", false),
            (Some("https://app.example.evil.example"), "find.example", false),
            (Some("https://find.example:444"), "find.example", false),
            (Some("null"), "127.0.0.1:8000", false),
            (Some(""), "", false),
            (Some("file://"), "", false),
        ];
        for (origin, host, passes) in table {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a header"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().expect("a header"));
            }
            assert_eq!(check(&settings, &headers).is_ok(), passes, "{origin:?} at {host}");
        }
        let tls = Settings { tls_cert_file: "cert.pem".to_owned(), ..Settings::default() };
        for (origin, passes) in [("https://localhost", true), ("http://localhost", false)] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, header::HeaderValue::from_static("localhost"));
            headers.insert(header::ORIGIN, header::HeaderValue::from_static(origin));
            assert_eq!(check(&tls, &headers).is_ok(), passes, "{origin}");
        }
    }
}
