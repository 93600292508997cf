//! Errors of the client in the words of the contract: the host and a short reason, never a URL.

use crate::resolver::NameError;
use domain::contracts::FetchError;
use std::error::Error;
use std::io;
use url::Url;

/// Longest reason that is passed on; some hold text from the other side, such as names in a certificate.
const REASON_CHARS_MAX: usize = 160;

/// The host of a URL, for messages.
pub(crate) fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or("the address").to_owned()
}

/// Host and port of a URL, in the form that `SVC_OUTBOUND_ALLOW` takes.
pub(crate) fn place_of(url: &Url) -> String {
    match url.port_or_known_default() {
        Some(port) => format!("{}:{port}", host_of(url)),
        None => host_of(url),
    }
}

/// Why a request got no answer.
pub(crate) fn of_sending(error: &reqwest::Error, url: &Url) -> FetchError {
    let host = host_of(url);
    match find::<NameError>(error) {
        Some(NameError::Refused) => return FetchError::Refused(place_of(url)),
        Some(NameError::Unknown) => return FetchError::UnknownHost(host),
        None => {}
    }
    if error.is_timeout() {
        return FetchError::Timeout(host);
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return FetchError::Tls(host, shorten(&tls.to_string()));
    }
    if error.is_connect() {
        return FetchError::Connect(host, connect_reason(error).to_owned());
    }
    if error.is_builder() {
        return FetchError::Invalid("it cannot be written as an HTTP request".to_owned());
    }
    FetchError::Broken(host, "the connection ended without a valid HTTP answer".to_owned())
}

/// Why the body of an answer could not be read.
pub(crate) fn of_reading(error: &reqwest::Error, host: &str) -> FetchError {
    let host = host.to_owned();
    if error.is_timeout() {
        return FetchError::Timeout(host);
    }
    FetchError::Broken(host, "its body is incomplete or damaged".to_owned())
}

fn connect_reason(error: &reqwest::Error) -> &'static str {
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => "connection refused",
        Some(io::ErrorKind::ConnectionReset) => "connection reset",
        Some(io::ErrorKind::HostUnreachable) => "host unreachable",
        Some(io::ErrorKind::NetworkUnreachable) => "network unreachable",
        Some(io::ErrorKind::TimedOut) => "timed out",
        Some(io::ErrorKind::UnexpectedEof) => "the connection was closed",
        _ => "connection failed",
    }
}

/// Looks for a kind of error among the causes of another.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        // `source` of an I/O error skips the error that it wraps, so that one is asked for by name.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(REASON_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_place_and_nothing_more() {
        let cases = [
            ("http://example.com/path?key=secret#part", "example.com", "example.com:80"),
            ("https://example.com/", "example.com", "example.com:443"),
            ("http://[::1]:8080/", "[::1]", "[::1]:8080"),
            ("data:,x", "the address", "the address"),
        ];
        for (url, host, place) in cases {
            let url = Url::parse(url).unwrap();
            assert_eq!((host_of(&url).as_str(), place_of(&url).as_str()), (host, place));
        }
    }

    #[test]
    fn finds_an_error_inside_io_errors() {
        let inner = io::Error::other(io::Error::other(NameError::Refused));
        assert!(matches!(find::<NameError>(&inner), Some(NameError::Refused)));
        assert!(find::<rustls::Error>(&inner).is_none());
    }

    #[test]
    fn reasons_are_short_and_hold_no_control_characters() {
        assert_eq!(shorten("a\r\nb"), "ab");
        assert_eq!(shorten(&"é".repeat(500)).chars().count(), REASON_CHARS_MAX);
    }
}
