//! Converts client errors to `FetchError`: the host, a short reason and the cause, never a URL.

use crate::host::{host_and_port, host_of};
use crate::resolver::NameError;
use domain::ports::FetchError;
use std::error::Error;
use std::io;
use url::Url;

/// Maximum length of a reason in characters; some contain foreign text, such as names in a certificate.
const REASON_CHARS_MAX: usize = 160;

/// Error of a request without a response.
pub(crate) fn from_send_error(error: reqwest::Error, url: &Url) -> FetchError {
    // The client's errors contain the URL, and with it keys.
    let error = error.without_url();
    let host = host_of(url);
    match find::<NameError>(&error) {
        Some(NameError::Refused) => return FetchError::Refused { place: host_and_port(url) },
        Some(NameError::Unknown) => return FetchError::UnknownHost { host },
        None => {}
    }
    if error.is_timeout() {
        return FetchError::Timeout { host };
    }
    let failed = if let Some(tls) = find::<rustls::Error>(&error) {
        FetchError::Tls { host, reason: shorten(&tls.to_string()), source: None }
    } else if error.is_connect() {
        FetchError::Connect { host, reason: connect_reason(&error).to_owned(), source: None }
    } else if error.is_builder() {
        FetchError::invalid("it cannot be written as an HTTP request")
    } else {
        FetchError::broken(host, "the connection ended without a valid HTTP answer")
    };
    failed.caused_by(error)
}

/// Error while reading a response body.
pub(crate) fn from_body_error(error: reqwest::Error, host: &str) -> FetchError {
    if error.is_timeout() {
        return FetchError::Timeout { host: host.to_owned() };
    }
    FetchError::broken(host, "its body is incomplete or damaged").caused_by(error.without_url())
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

/// Finds an error type among the causes of an error.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        // `source` of an I/O error skips the error that it wraps.
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
