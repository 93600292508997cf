//! Which origins are this service itself, or are listed in its settings.
//!
//! Origins are compared as browsers do: `http://a:80` is `http://a`, and host names are case-insensitive.

use super::header_text::text;
use crate::client_address::is_from_proxy;
use axum::http::uri::Authority;
use axum::http::{Extensions, HeaderMap, HeaderName, Uri, header};
use domain::settings::Settings;
use url::{Origin, Url};

const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// Ports that are omitted from an origin.
const DEFAULT_PORTS: [u16; 2] = [80, 443];

/// The origin of `SVC_PUBLIC_URL`, or one of `SVC_CORS_ORIGINS`.
pub fn is_listed(settings: &Settings, origin: &str) -> bool {
    let Some(origin) = web_origin(origin) else { return false };
    let mut listed = settings.cors_origins.iter().filter_map(|listed| web_origin(&listed.0));
    public_origin(settings).as_ref() == Some(&origin) || listed.any(|listed| listed == origin)
}

/// True if the origin names the host that the request was sent to.
#[cfg(feature = "mcp")]
pub fn is_same_host(origin: &str, host: &str) -> bool {
    web_origin(origin).is_some_and(|origin| is_at(&origin, host))
}

/// True if the page has an address of the service: its public one, the one that a trusted proxy reports, or that of the
/// request itself. A whole URL counts as its origin.
pub fn is_own(
    settings: &Settings,
    page: &str,
    headers: &HeaderMap,
    uri: &Uri,
    extensions: &Extensions,
) -> bool {
    let Some(origin) = web_origin(page) else { return false };
    let public = public_origin(settings);
    if public.as_ref() == Some(&origin) {
        return true;
    }
    let is_proxied = is_from_proxy(extensions, &settings.trusted_proxies);
    let forwarded = |name: &HeaderName| first(headers, name).filter(|_| is_proxied);
    let scheme = forwarded(&FORWARDED_PROTO).or(settings.has_tls().then_some("https"));
    if scheme.is_some_and(|scheme| !scheme.eq_ignore_ascii_case(scheme_of(&origin))) {
        return false;
    }
    let hosts = [forwarded(&FORWARDED_HOST), host(headers, uri)];
    // The public address has one scheme; the same host with another scheme is another site.
    let is_public_host = |host: &str| public.as_ref().is_some_and(|public| has_name_of(public, host));
    hosts.into_iter().flatten().any(|host| is_at(&origin, host) && !is_public_host(host))
}

/// The host of the request.
pub fn host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    text(headers, &header::HOST).or_else(|| uri.authority().map(Authority::as_str))
}

/// The value of the first of several proxies, which is the one that the browser connected to.
fn first<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let value = text(headers, name)?.split(',').next()?.trim();
    Some(value).filter(|value| !value.is_empty())
}

fn public_origin(settings: &Settings) -> Option<Origin> {
    web_origin(&settings.public_url)
}

/// None if it is no web address, such as `null`.
fn web_origin(text: &str) -> Option<Origin> {
    let url = Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.origin())
}

fn scheme_of(origin: &Origin) -> &str {
    match origin {
        Origin::Tuple(scheme, ..) => scheme,
        Origin::Opaque(_) => "",
    }
}

fn is_at(origin: &Origin, host: &str) -> bool {
    host_origin(scheme_of(origin), host).as_ref() == Some(origin)
}

/// True if the host has the name of this origin, on its port or on a default port.
fn has_name_of(origin: &Origin, host: &str) -> bool {
    let (Origin::Tuple(_, name, port), Some(Origin::Tuple(_, own_name, own_port))) =
        (origin, host_origin("http", host))
    else {
        return false;
    };
    let are_default = [port, &own_port].iter().all(|port| DEFAULT_PORTS.contains(port));
    *name == own_name && (*port == own_port || are_default)
}

fn host_origin(scheme: &str, host: &str) -> Option<Origin> {
    let is_host = !host.contains('@') && host.parse::<Authority>().is_ok();
    web_origin(&format!("{scheme}://{host}")).filter(|_| is_host)
}
