//! Middleware that refuses a request without exactly one valid host: with several, proxies and this service could
//! disagree about where the request goes.

use crate::connection::Peer;
use crate::error::{ApiError, ErrorCode};
use axum::extract::{ConnectInfo, Request};
use axum::http::uri::Authority;
use axum::http::{Version, header};
use axum::middleware::Next;
use axum::response::Response;

/// Checks requests that came over a connection; those created in the process have no host.
pub async fn check(request: Request, next: Next) -> Result<Response, ApiError> {
    if request.extensions().get::<ConnectInfo<Peer>>().is_some() && !has_one_host(&request) {
        let sentence = "Exactly one valid Host header is needed.";
        return Err(ApiError::with_detail(ErrorCode::InvalidHost, sentence));
    }
    Ok(next.run(request).await)
}

fn has_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let authority = request.uri().authority().map(Authority::as_str);
    let is_http2 = request.version() == Version::HTTP_2;
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => false,
        (Some(host), None) => host.to_str().is_ok_and(|host| {
            let is_same = authority.is_none_or(|authority| authority.eq_ignore_ascii_case(host));
            is_host(host) && (is_same || !is_http2)
        }),
        (None, None) if is_http2 => authority.is_some_and(is_host),
        // HTTP/1.0 has no Host header.
        (None, None) => request.version() < Version::HTTP_11,
    }
}

/// A host and optionally a port, without user name and password.
fn is_host(text: &str) -> bool {
    let parsed = text.parse::<Authority>();
    !text.contains('@') && parsed.is_ok_and(|authority| !authority.host().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn accepted(version: Version, uri: &str, hosts: &[&str]) -> bool {
        let mut builder = Request::get(uri).version(version);
        for host in hosts {
            builder = builder.header(header::HOST, *host);
        }
        has_one_host(&builder.body(Body::empty()).expect("a request"))
    }

    #[test]
    fn one_valid_host_is_needed() {
        let (old, usual, new) = (Version::HTTP_10, Version::HTTP_11, Version::HTTP_2);
        let table: &[(Version, &str, &[&str], bool)] = &[
            (usual, "/", &["a"], true),
            (usual, "/", &["a.example:8000"], true),
            (usual, "/", &["my_service:80"], true),
            (usual, "/", &["[::1]:8000"], true),
            (usual, "/", &[], false),
            (usual, "/", &[""], false),
            (usual, "/", &["a", "b"], false),
            (usual, "/", &["a", "a"], false),
            (usual, "/", &["a, b"], false),
            (usual, "/", &["a/b"], false),
            (usual, "/", &["user@a"], false),
            (usual, "/", &[":80"], false),
            (usual, "http://a/", &["a"], true),
            (usual, "http://a/", &[], false),
            (old, "/", &[], true),
            (old, "/", &["a"], true),
            (old, "/", &["a", "b"], false),
            (new, "http://a/", &[], true),
            (new, "http://a/", &["A"], true),
            (new, "http://a/", &["b"], false),
            (new, "http://a/", &["a", "a"], false),
            (new, "/", &[], false),
        ];
        for (version, uri, hosts, expected) in table {
            assert_eq!(accepted(*version, uri, hosts), *expected, "{version:?} {uri} {hosts:?}");
        }
    }
}
