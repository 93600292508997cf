//! Reasons why NATS rejects a connection, with the next step.

/// Configuration errors of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("NATS refuses the login; look at the user and the password in SVC_QUEUE_URL")]
    Login,
    #[error(
        "the certificate of NATS is not trusted; name the file with its authority in SSL_CERT_FILE, or use the host \
         that the certificate is for"
    )]
    Certificate,
    #[error("no secure line to NATS can be had; use nats:// for a server without TLS")]
    Tls,
}

/// Classifies an error of the client; None if the server is only unreachable.
pub(super) fn connect_error(error: &str) -> Option<ConnectError> {
    let error = error.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
    if says(&["authorization violation", "authentication"]) {
        Some(ConnectError::Login)
    } else if says(&["certificate", "notvalidforname"]) {
        Some(ConnectError::Certificate)
    } else if says(&["tls", "corrupt message", "handshake"]) {
        Some(ConnectError::Tls)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_client_are_told_apart() {
        for (error, expected) in [
            ("authorization violation: nats: authorization violation", Some(ConnectError::Login)),
            ("IO error: invalid peer certificate: UnknownIssuer", Some(ConnectError::Certificate)),
            ("IO error: received corrupt message of type InvalidContentType", Some(ConnectError::Tls)),
            ("TLS error: could not load platform certs", Some(ConnectError::Tls)),
            ("IO error: Connection refused (os error 111)", None),
            ("timed out", None),
        ] {
            assert_eq!(connect_error(error), expected, "{error}");
        }
    }
}
