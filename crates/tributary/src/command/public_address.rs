//! Warns if the settings expose the service over plain HTTP.

use domain::settings::Settings;
use std::net::IpAddr;
use url::Url;

/// The warning about an address that is reachable over plain HTTP, with the next step. `None` on loopback.
pub fn warning(settings: &Settings) -> Option<String> {
    let next = "put a TLS proxy in front of the service and set SVC_PUBLIC_URL to its https:// URL, or \
     set SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE";
    let public = settings.public_url.as_str();
    if public.is_empty() {
        let is_reachable = !is_loopback(&settings.host) && !settings.has_tls();
        let sentence =
            format!("SVC_PUBLIC_URL is empty and {} is reachable from other machines;", settings.host);
        return is_reachable
            .then(|| format!("{sentence} passwords and sessions would be sent in plain text: {next}"));
    }
    let url = Url::parse(public).ok()?;
    let is_plain = url.scheme() == "http" && !is_loopback(url.host_str().unwrap_or_default());
    is_plain.then(|| format!("{public} is plain HTTP: passwords and sessions are sent in plain text; {next}"))
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_warned_of() {
        for (public_url, host, is_warned) in [
            ("", "127.0.0.1", false),
            ("", "::1", false),
            ("", "0.0.0.0", true),
            ("https://find.example", "0.0.0.0", false),
            ("http://find.example", "127.0.0.1", true),
            ("http://10.0.0.7:8000/", "127.0.0.1", true),
            ("http://localhost:8000", "127.0.0.1", false),
            ("http://[::1]:8000", "127.0.0.1", false),
        ] {
            let settings =
                Settings { public_url: public_url.into(), host: host.into(), ..Settings::default() };
            let warning = warning(&settings);
            assert_eq!(warning.is_some(), is_warned, "{public_url} {host}");
            assert!(warning.is_none_or(|sentence| sentence.contains("SVC_PUBLIC_URL")));
        }
        let tls = Settings {
            host: "0.0.0.0".to_owned(),
            tls_cert_file: "cert.pem".to_owned(),
            ..Settings::default()
        };
        assert_eq!(warning(&tls), None);
        let plain = Settings { public_url: "http://find.example".to_owned(), ..tls };
        assert!(warning(&plain).is_some(), "people are sent to plain HTTP");
    }
}
