//! Host and port of a URL, for messages.

use url::Url;

/// The host of a URL.
pub(crate) fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or("the address").to_owned()
}

/// Host and port of a URL, in the format of `SVC_OUTBOUND_ALLOW`.
pub(crate) fn host_and_port(url: &Url) -> String {
    match url.port_or_known_default() {
        Some(port) => format!("{}:{port}", host_of(url)),
        None => host_of(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_host_and_port_are_named() {
        let cases = [
            ("http://example.com/path?key=secret#part", "example.com", "example.com:80"),
            ("https://example.com/", "example.com", "example.com:443"),
            ("http://[::1]:8080/", "[::1]", "[::1]:8080"),
            ("data:,x", "the address", "the address"),
        ];
        for (url, host, place) in cases {
            let url = Url::parse(url).unwrap();
            assert_eq!((host_of(&url).as_str(), host_and_port(&url).as_str()), (host, place));
        }
    }
}
