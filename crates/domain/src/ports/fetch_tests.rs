//! Tests of requests and their errors.

use super::*;
use crate::ports::chain;
use std::error::Error;
use std::io;
use std::mem::discriminant;

#[test]
fn an_origin_is_compared_as_it_is_made() {
    let urls = [
        "https://a.example/x",
        "https://a.example:443",
        "https://A.example/",
        "http://a.example/",
        "https://a.example:8443/",
        "https://ab.example/",
        "https://a.exampl/",
        "http://[::1]:80/",
        "custom://A.example/",
        "custom://A.example:7/",
        "data:,x",
    ]
    .map(|url| Url::parse(url).unwrap());
    for origin in urls.iter().flat_map(|url| [Origin::trusted(url), Origin::untrusted(url)]).flatten() {
        for url in &urls {
            let is_same = Origin::of(url, origin.is_trusted).as_ref() == Some(&origin);
            assert_eq!(origin.is_of(url), is_same, "{origin:?} of {url}");
        }
    }
}

#[test]
fn a_request_shows_no_secret() {
    let url = Url::parse("https://a.example/?key=s%20ecret&q=x").unwrap();
    let request = HttpRequest {
        method: HttpMethod::Get,
        origin: Origin::trusted(&url).unwrap(),
        url,
        headers: Vec::new(),
        secret_headers: vec![("Authorization".to_owned(), Secret::new("Bearer canary"))],
        body: None,
        secrets: vec![Secret::new("s ecret")],
        time_max: Duration::from_secs(1),
        tls: None,
    };
    assert_eq!(format!("{request:?}"), "GET https://a.example/?key=••••&q=x");
}

#[test]
fn a_failed_request_has_one_text_and_a_reason_its_cause() {
    let host = || "a.example".to_owned();
    let reason = || "refused".to_owned();
    let without_cause = [
        (
            FetchError::Refused { place: "10.0.0.1:80".to_owned() },
            "the address 10.0.0.1:80 is not allowed; an administrator can allow it with SVC_OUTBOUND_ALLOW",
        ),
        (FetchError::UnknownHost { host: host() }, "the host a.example cannot be found"),
        (FetchError::Timeout { host: host() }, "a.example did not answer in time"),
        (
            FetchError::TooLarge { host: host(), bytes_max: 7 },
            "the answer of a.example is larger than the limit of 7 bytes",
        ),
        (FetchError::Redirects { host: host(), max: 5 }, "a.example redirected more than 5 times"),
        (FetchError::Busy, "this service is reading too many large answers at the moment; try again shortly"),
        (
            FetchError::MemoryExceeded { bytes_max: 3 * 1024 * 1024 },
            "the answer is larger than the 3 MB that one search may hold of it; ask the source for fewer or smaller \
             results, or let an administrator raise SVC_ANSWER_MEMORY_MB",
        ),
    ];
    for (error, text) in without_cause {
        let error = error.caused_by(io::Error::other("a cause"));
        assert_eq!((error.to_string().as_str(), error.source().is_none()), (text, true));
    }
    let with_cause = [
        (
            FetchError::Connect { host: host(), reason: reason(), source: None },
            "no connection to a.example: refused",
        ),
        (
            FetchError::Tls { host: host(), reason: reason(), source: None },
            "no secure connection to a.example: refused",
        ),
        (
            FetchError::broken(host(), reason()),
            "the answer of a.example broke off or could not be read: refused",
        ),
        (FetchError::invalid(reason()), "the request is not valid: refused"),
    ];
    for (error, text) in with_cause {
        let caused = error.clone().caused_by(io::Error::other("a cause"));
        assert_eq!((caused.to_string().as_str(), discriminant(&caused)), (text, discriminant(&error)));
        assert!(caused.source().is_some_and(|cause| cause.is::<io::Error>()));
        assert_eq!(chain(&caused), format!("{text}: a cause"));
    }
}

#[test]
fn an_origin_is_the_templates_own_only_when_nothing_can_change_it() {
    let table = [
        ("https://a.example/{id}", true),
        ("https://a.example/fixed", true),
        ("https://a.example", true),
        ("https://a.example?x={id}", true),
        ("https://a.example{id}", false),
        ("https://a.example:{id}/", false),
        ("https://{host}/", false),
        ("{url}", false),
        ("file:///{id}", false),
        ("ftp://a.example/", false),
    ];
    for (template, is_named) in table {
        assert_eq!(Origin::named_by(template).is_some(), is_named, "{template}");
    }
}
