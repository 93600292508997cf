//! Tests of the site of a request, by tables of headers.

use super::*;
use crate::connection::Peer;
use axum::body::Body;
use axum::extract::ConnectInfo;
use domain::settings::WebOrigin;
use syntax::network::Network;

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
        (&[(origin, "http://lan"), (host, "lan:80")], Site::Own),
        (&[(origin, "http://lan:80"), (host, "lan")], Site::Own),
        (&[(origin, "https://lan"), (host, "lan:443")], Site::Own),
        (&[(origin, "https://lan:443"), (host, "LAN")], Site::Own),
        (&[(origin, "https://lan"), (host, "lan:80")], Site::Foreign),
        (&[(origin, "http://lan"), (host, "lan:443")], Site::Foreign),
        (&[(origin, "http://[::1]"), (host, "[::1]:80")], Site::Own),
        (&[(origin, "https://find.example:443"), (host, "10.1.1.1:8000")], Site::Own),
        (&[(origin, "https://app.example:443")], Site::Listed),
        (&[(origin, "http://find.example"), (host, "find.example:80")], Site::Foreign),
        (&[(origin, "https://evil.example"), (host, "lan@evil.example")], Site::Foreign),
        (&[(origin, "file://"), (host, "")], Site::Foreign),
    ];
    for (headers, expected) in table {
        assert_eq!(Site::of(&settings(), &request(headers)), *expected, "{headers:?}");
    }
}

#[test]
fn with_tls_a_plain_page_of_the_same_host_is_foreign() {
    let settings = Settings {
        tls_cert_file: "cert.pem".to_owned(),
        trusted_proxies: Network::parse("10.0.0.0/8").into_iter().collect(),
        ..Settings::default()
    };
    for (peer, page, proto, site) in [
        ("192.0.2.1", "https://lan", None, Site::Own),
        ("192.0.2.1", "http://lan", None, Site::Foreign),
        ("192.0.2.1", "http://lan", Some("http"), Site::Foreign),
        ("10.0.0.1", "http://lan", Some("http"), Site::Own),
    ] {
        let headers = [("origin", page), ("host", "lan"), ("x-forwarded-proto", proto.unwrap_or_default())];
        let count = if proto.is_some() { 3 } else { 2 };
        let mut request = request(&headers[..count]);
        let peer = Peer((peer.parse::<std::net::IpAddr>().expect("an address"), 1).into());
        request.extensions_mut().insert(ConnectInfo(peer));
        assert_eq!(Site::of(&settings, &request), site, "{page} {proto:?}");
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
        // Several proxies, in order.
        (
            "10.0.0.1",
            &[
                (origin, "https://a.example"),
                (forwarded, "a.example, inner"),
                ("x-forwarded-proto", "https, http"),
            ],
            Site::Own,
        ),
        (
            "10.0.0.1",
            &[(origin, "https://a.example"), (forwarded, "a.example:443"), ("x-forwarded-proto", "HTTPS")],
            Site::Own,
        ),
        (
            "10.0.0.1",
            &[(origin, "https://inner"), (forwarded, "a.example, inner"), (host, "b.example")],
            Site::Foreign,
        ),
        (
            "192.0.2.1",
            &[(origin, "https://a.example"), (forwarded, "a.example, inner"), (host, "b.example")],
            Site::Foreign,
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
    let with = |authorization: &str| request(&[("authorization", authorization)]);
    let table = [
        (Site::Unknown, "", true, true),
        (Site::Own, "Basic YTpi", true, true),
        (Site::Listed, "Basic YTpi", true, false),
        (Site::Foreign, "Basic YTpi", false, false),
        (Site::Foreign, "", false, false),
        (Site::Foreign, "Token trb_x", true, false),
        (Site::Foreign, "bearer x", true, false),
        (Site::Unstated, "Basic YTpi", false, false),
        (Site::Unstated, "Token trb_x", true, false),
    ];
    for (site, authorization, is_known, is_own) in table {
        let case = format!("{site:?} {authorization}");
        assert_eq!(site.require_known(&with(authorization)).is_ok(), is_known, "{case}");
        assert_eq!(site.require_own(&with(authorization)).is_ok(), is_own, "{case}");
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

#[test]
fn without_fetch_metadata_the_referer_counts() {
    const BROWSER: (&str, &str) =
        ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
    let (site, origin, host, language) =
        ("sec-fetch-site", "origin", ("host", "lan:8000"), ("accept-language", "de"));
    let (own, foreign) =
        (("referer", "http://lan:8000/history/?page=2"), ("referer", "http://evil.example/trap"));
    let table: &[(Headers<'_>, Site)] = &[
        (&[host, own], Site::Own),
        (&[host, foreign], Site::Foreign),
        (&[host, ("referer", "about:blank")], Site::Foreign),
        (&[host, ("referer", "https://app.example/")], Site::Foreign),
        (&[host, ("referer", "http://evil.example/http://lan:8000/")], Site::Foreign),
        (&[host, own, (origin, "http://evil.example")], Site::Foreign),
        (&[host, own, (origin, "null")], Site::Foreign),
        (&[host, foreign, (origin, "http://lan:8000")], Site::Own),
        (&[host, foreign, (site, "same-origin")], Site::Own),
        (&[host, own, (site, "cross-site")], Site::Foreign),
        // A page can hide its origin: `Referrer-Policy: no-referrer`, or a link from HTTPS to HTTP.
        (&[host, BROWSER, language], Site::Unstated),
        (&[host, BROWSER, language, own], Site::Own),
        (&[host, BROWSER, language, ("x-csrf-token", "x")], Site::Own),
        // PowerShell identifies itself like this.
        (&[host, ("user-agent", "Mozilla/5.0 (Windows NT; en-US) WindowsPowerShell/5.1")], Site::Unknown),
        (&[host, ("user-agent", "curl/8.5.0"), ("accept", "*/*")], Site::Unknown),
        (&[host, ("user-agent", "python-requests/2.32"), language], Site::Unknown),
    ];
    for (headers, expected) in table {
        assert_eq!(Site::of(&settings(), &request(headers)), *expected, "{headers:?}");
    }
}

#[test]
fn a_refusal_names_the_setting_and_the_host() {
    let refused = csrf_error(request(&[("host", "lan:8000")]).headers(), &Uri::default());
    assert!(
        refused.detail().contains("SVC_PUBLIC_URL") && refused.detail().contains("'lan:8000'"),
        "{refused:?}"
    );
    let long = "a".repeat(5000);
    assert!(csrf_error(request(&[("host", &long)]).headers(), &Uri::default()).detail().len() < 1000);
}
