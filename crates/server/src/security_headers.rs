//! Security headers of every response, whichever layer creates it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use domain::settings::Settings;
use tower_http::set_header::SetResponseHeaderLayer;
use url::Url;

/// - *Resource policy*: only our own pages load pages and responses. Calls that `SVC_CORS_ORIGINS` allows are not
///   affected: the policy concerns loads without CORS, such as images and scripts.
/// - *Opener policy*: a page that opens ours, or that ours opens, has no access to it.
/// - *Permissions policy*: our pages need none of the browser features that it disables.
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

/// `Strict-Transport-Security`, if only this service can send it: it terminates TLS itself, and its public address has
/// the default port. The header applies to every port of a host, so it is not sent for a shared host.
pub fn strict_transport_layer(settings: &Settings) -> Option<SetResponseHeaderLayer<HeaderValue>> {
    let owns_host = Url::parse(&settings.public_url)
        .is_ok_and(|url| url.scheme() == "https" && url.port().is_none() && url.domain().is_some());
    let is_own = settings.has_tls() && owns_host;
    is_own.then(|| SetResponseHeaderLayer::overriding(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT))
}

/// Sets the headers of a response of a route.
pub fn set(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// Adds missing headers: responses of outer layers, such as those to preflights, bypass the routes.
pub async fn complete(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let entry = response.headers_mut().entry(HeaderName::from_static(name));
        entry.or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The headers as lines of a response that is written by hand.
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
