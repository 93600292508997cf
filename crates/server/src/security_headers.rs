//! The headers that protect every answer, whichever layer gives it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use domain::settings::Settings;
use tower_http::set_header::SetResponseHeaderLayer;
use url::Url;

/// - *Resource policy*: pages and answers are loaded by our own pages only. A call that `SVC_CORS_ORIGINS` allows is not
///   touched by this: it concerns loads that know nothing of CORS, such as images and scripts.
/// - *Opener policy*: a page that opens ours, or that ours opens, has no hold on it.
/// - *Permissions policy*: what a browser may do for other sites is nothing that our pages need.
const HEADERS: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
    ),
];

const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// `Strict-Transport-Security`, if this service is the only one that can send it: it terminates TLS itself, and its
/// public address has the usual port. It applies to every port of a host, so a host that is shared is left alone.
pub fn strict_transport_layer(settings: &Settings) -> Option<SetResponseHeaderLayer<HeaderValue>> {
    let owns_host = Url::parse(&settings.public_url)
        .is_ok_and(|url| url.scheme() == "https" && url.port().is_none() && url.domain().is_some());
    let is_own = settings.has_tls() && owns_host;
    is_own.then(|| SetResponseHeaderLayer::overriding(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT))
}

/// Sets them for an answer of a route.
pub fn set(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// Adds those that are missing: answers of outer layers, such as those to preflights, come past the routes.
pub async fn complete(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let entry = response.headers_mut().entry(HeaderName::from_static(name));
        entry.or_insert(HeaderValue::from_static(value));
    }
    response
}

/// As they stand in an answer that is written by hand.
pub fn lines() -> String {
    HEADERS.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_transport_is_left_to_who_owns_the_host() {
        for (public_url, has_tls, is_sent) in [
            ("https://find.example", true, true),
            ("https://find.example/path", true, true),
            ("https://find.example", false, false),
            ("https://find.example:8443", true, false),
            ("https://192.0.2.1", true, false),
            ("http://find.example", true, false),
            ("", true, false),
        ] {
            let tls_cert_file = if has_tls { "cert.pem" } else { "" }.to_owned();
            let settings =
                Settings { public_url: public_url.to_owned(), tls_cert_file, ..Settings::default() };
            assert_eq!(strict_transport_layer(&settings).is_some(), is_sent, "{public_url} {has_tls}");
        }
    }
}
