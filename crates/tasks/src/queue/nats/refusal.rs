//! Why no server of NATS lets us in, in words that name the next step.

/// What a server, or the line to it, said. Each is mended in another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
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

/// What an error of the client means. Nothing, when the server is only away.
pub(super) fn refusal(error: &str) -> Option<Refusal> {
    let error = error.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
    if says(&["authorization violation", "authentication"]) {
        Some(Refusal::Login)
    } else if says(&["certificate", "notvalidforname"]) {
        Some(Refusal::Certificate)
    } else if says(&["tls", "corrupt message", "handshake"]) {
        Some(Refusal::Tls)
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
            ("authorization violation: nats: authorization violation", Some(Refusal::Login)),
            ("IO error: invalid peer certificate: UnknownIssuer", Some(Refusal::Certificate)),
            ("IO error: received corrupt message of type InvalidContentType", Some(Refusal::Tls)),
            ("TLS error: could not load platform certs", Some(Refusal::Tls)),
            ("IO error: Connection refused (os error 111)", None),
            ("timed out", None),
        ] {
            assert_eq!(refusal(error), expected, "{error}");
        }
    }
}
