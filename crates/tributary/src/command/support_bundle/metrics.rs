//! Metrics of the local service.

use crate::command::health;
use anyhow::{Context, anyhow, bail};
use domain::ports::{Fetch, FetchError, HttpMethod, HttpRequest, Origin, TlsOptions, chain};
use domain::secret::Secret;
use domain::settings::Settings;
use outbound::{ClientLimits, GuardedClient};
use std::net::{IpAddr, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;
use url::{Host, Url};

const TIME_MAX: Duration = Duration::from_secs(10);
const BODY_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The alternative if the token is not sent.
const INSTEAD: &str = "Set SVC_METRICS_OPEN while creating the bundle, or fetch /metrics/ from the public \
 URL of the service as an administrator and attach it";

/// Fetches `/metrics/`. The error says why it failed and what to do.
pub async fn read(settings: &Settings, port: u16, token: Option<&Secret>) -> anyhow::Result<String> {
    let url = health::service_url(settings, port, "/metrics/")?;
    let token = match token {
        Some(_) if settings.metrics_open => None,
        Some(_) if !is_local(&url) => {
            bail!("the token is sent only to this machine, and {url} is not known to be local. {INSTEAD}");
        }
        token => token,
    };
    let answer = ask(&url, token, tls_options(settings, token)).await.map_err(|error| match error.downcast() {
        Ok(error @ FetchError::Tls { .. }) if token.is_some() => {
            anyhow!("the token was not sent: the certificate must be the one in SVC_TLS_CERT_FILE and also be issued for this address: {error}. {INSTEAD}")
        }
        Ok(error) => no_answer(&url, &error.into()),
        Err(error) => no_answer(&url, &error),
    })?;
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    match answer.status {
        200 => Ok(body),
        401 | 403 => bail!(
            "{url} returned {}: only administrators can read the metrics. Pass an administrator's API \
             token with --token-stdin, or set SVC_METRICS_OPEN",
            answer.status
        ),
        status => bail!("{url} returned {status}"),
    }
}

fn no_answer(url: &Url, error: &anyhow::Error) -> anyhow::Error {
    anyhow!("{url} does not respond: {}. Start the service, or set its port with --port", chain(&**error))
}

/// Whether the URL is certainly local; otherwise another machine could receive an administrator's token.
fn is_local(url: &Url) -> bool {
    let is_own = |address: IpAddr| address.is_loopback() || UdpSocket::bind((address, 0)).is_ok();
    match url.host() {
        Some(Host::Ipv4(address)) => is_own(address.into()),
        Some(Host::Ipv6(address)) => is_own(address.into()),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Without a token, the certificate is not verified, as in `tributary health`: it is issued for the public name. A
/// token is sent only if the certificate is the configured one.
fn tls_options(settings: &Settings, token: Option<&Secret>) -> Option<TlsOptions> {
    let ca_file = token.map(|_| PathBuf::from(&settings.tls_cert_file));
    settings.has_tls().then_some(TlsOptions { verify: token.is_some(), ca_file })
}

async fn ask(
    url: &Url,
    token: Option<&Secret>,
    tls: Option<TlsOptions>,
) -> anyhow::Result<domain::ports::HttpResponse> {
    let client = GuardedClient::new(ClientLimits {
        connect: TIME_MAX,
        read: TIME_MAX,
        body_bytes_max: BODY_BYTES_MAX,
        redirects_max: 0,
        allow: Vec::new(),
    })?;
    let header =
        |token: &Secret| ("Authorization".to_owned(), Secret::new(format!("Token {}", token.expose())));
    let request = HttpRequest {
        method: HttpMethod::Get,
        origin: Origin::trusted(url).context("the URL has no port")?,
        url: url.clone(),
        headers: Vec::new(),
        secret_headers: token.map(header).into_iter().collect(),
        body: None,
        secrets: Vec::new(),
        time_max: TIME_MAX,
        tls,
    };
    Ok(client.fetch(&request).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_token_goes_to_no_other_machine() {
        for (host, is_own) in [
            ("127.0.0.1", true),
            ("0.0.0.0", true),
            ("::", true),
            ("::1", true),
            ("localhost", true),
            ("192.0.2.1", false),
            ("2001:db8::1", false),
            ("localhost.example", false),
            ("search.example", false),
        ] {
            let settings = Settings { host: host.to_owned(), ..Settings::default() };
            let url = health::service_url(&settings, 1, "/metrics/").unwrap();
            assert_eq!(is_local(&url), is_own, "{host}");
            if !is_own {
                let why = read(&settings, 1, Some(&Secret::new("planted"))).await.unwrap_err().to_string();
                assert!(why.contains("only to this machine") && why.contains("SVC_METRICS_OPEN"), "{why}");
                assert!(!why.contains("planted"), "{why}");
            }
        }
    }

    #[test]
    fn a_token_needs_the_certificate_of_the_settings() {
        let settings = Settings { tls_cert_file: "cert.pem".to_owned(), ..Settings::default() };
        let verified = TlsOptions { verify: true, ca_file: Some(PathBuf::from("cert.pem")) };
        let token = Secret::new("planted");
        assert_eq!(tls_options(&settings, Some(&token)), Some(verified));
        assert_eq!(tls_options(&settings, None), Some(TlsOptions { verify: false, ca_file: None }));
        assert_eq!(tls_options(&Settings::default(), Some(&token)), None);
    }
}
