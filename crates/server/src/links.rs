//! Links in responses: scheme, host and prefix as in the client's request, or from the settings.

use crate::error::{ApiError, ErrorCode};
use crate::normalize_path::Prefix;
use crate::state::AppState;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::header;
use axum::http::request::Parts;
use domain::ids::SearchId;
use domain::settings::Settings;
use std::sync::Arc;

const HOST_BYTES_MAX: usize = 255;

/// The origin and prefix that the client used.
#[derive(Debug, Clone)]
pub struct Links {
    origin: String,
    prefix: String,
}

impl Links {
    /// Scheme, host and prefix, without a trailing slash.
    pub fn base(&self) -> String {
        format!("{}{}", self.origin, self.prefix)
    }

    /// Scheme and host, without a trailing slash.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The prefix alone, for redirects.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub fn results(&self, search: SearchId, mixer: &str) -> String {
        let mixer: String = url::form_urlencoded::byte_serialize(mixer.as_bytes()).collect();
        format!("{}/results/?search_id={search}&result_mixer={mixer}", self.base())
    }
}

impl<S> FromRequestParts<S> for Links
where
    S: Send + Sync,
    Arc<AppState>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let state = <Arc<AppState>>::from_ref(state);
        let prefix = parts.extensions.get::<Prefix>().cloned().unwrap_or_default();
        let host = match parts.headers.get(header::HOST) {
            Some(value) => Some(value.to_str().unwrap_or_default()),
            None => parts.uri.authority().map(|authority| authority.as_str()),
        };
        let origin = origin(&state.settings, host).ok_or_else(|| ApiError::of(ErrorCode::InvalidHost))?;
        Ok(Self { origin, prefix: prefix.0 })
    }
}

/// None if the client's Host header is not a valid host.
fn origin(settings: &Settings, host: Option<&str>) -> Option<String> {
    let public = settings.public_url.trim_end_matches('/');
    if !public.is_empty() {
        return Some(public.to_owned());
    }
    match host {
        Some(host) if is_host(host) => Some(format!("{}://{host}", settings.scheme())),
        Some(_) => None,
        None => Some(format!("{}://{}:{}", settings.scheme(), settings.host, settings.port)),
    }
}

fn is_host(host: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    !host.is_empty() && host.len() <= HOST_BYTES_MAX && host.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins() {
        let plain = Settings::default();
        let public = Settings { public_url: "https://find.example/".to_owned(), ..Settings::default() };
        let tls = Settings { tls_cert_file: "cert.pem".to_owned(), ..Settings::default() };
        let table = [
            (&tls, Some("find.example:8443"), Some("https://find.example:8443")),
            (&tls, None, Some("https://127.0.0.1:8000")),
            (&plain, Some("127.0.0.1:8000"), Some("http://127.0.0.1:8000")),
            (&plain, Some("[::1]:8000"), Some("http://[::1]:8000")),
            (&plain, Some("find.example"), Some("http://find.example")),
            (&plain, Some("evil/<script>"), None),
            (&plain, Some("user@host"), None),
            (&plain, Some(""), None),
            (&plain, None, Some("http://127.0.0.1:8000")),
            (&public, Some("evil/"), Some("https://find.example")),
        ];
        for (settings, host, expected) in table {
            assert_eq!(origin(settings, host).as_deref(), expected, "{host:?}");
        }
        let too_long = "h".repeat(HOST_BYTES_MAX + 1);
        assert!(is_host(&too_long[1..]) && !is_host(&too_long));
    }
}
