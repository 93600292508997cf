//! `tributary health`: asks the service of this machine whether it lives. For container and process watchers.

use super::Place;
use crate::terminal;
use anyhow::{Context, ensure};
use clap::Args;
use domain::contracts::{Fetch, HttpMethod, HttpRequest, HttpResponse, Origin, TlsOptions};
use domain::settings::Settings;
use outbound::{ClientLimits, GuardedClient};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use url::Url;

/// Longer than a busy machine needs, shorter than a watcher waits.
const PATIENCE: Duration = Duration::from_secs(4);
/// The answer is one short JSON object.
const BODY_BYTES_MAX: u64 = 64 * 1024;

/// Ask the service of this machine whether it lives.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary health
  tributary health --ready")]
pub struct Health {
    /// Ask whether it can serve as well: its database and its queue.
    #[arg(long)]
    ready: bool,
    /// The port (SVC_PORT).
    #[arg(long)]
    port: Option<u16>,
}

impl Health {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let settings = place.read(&[])?.settings;
        let page = if self.ready { "ready" } else { "live" };
        let url = address(&settings, self.port.unwrap_or(settings.port), page)?;
        let answer = ask(&url).await.with_context(|| format!("{url} does not answer"))?;
        let body = String::from_utf8_lossy(&answer.body);
        ensure!(answer.status == 200, "{url} answers {}: {}", answer.status, body.trim());
        terminal::line(body.trim());
        Ok(())
    }
}

fn address(settings: &Settings, port: u16, page: &str) -> anyhow::Result<Url> {
    service_url(settings, port, &format!("/svc/health/{page}/"))
}

/// A path of the service on this machine. A service that listens on every address is asked on the loopback one.
pub(super) fn service_url(settings: &Settings, port: u16, path: &str) -> anyhow::Result<Url> {
    let host = match settings.host.parse() {
        Ok(IpAddr::V4(Ipv4Addr::UNSPECIFIED)) => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(Ipv6Addr::UNSPECIFIED)) => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => settings.host.clone(),
    };
    let scheme = settings.scheme();
    Url::parse(&format!("{scheme}://{host}:{port}{path}")).context("SVC_HOST is not an address")
}

/// Asks an address of this machine. Its certificate is not verified: it is issued for the public name and not for this
/// address, and after a failed renewal it differs from the file of `SVC_TLS_CERT_FILE`, which is no reason for a watcher
/// to restart the service. The request carries no credentials, and the response is only a status.
pub(super) async fn ask(url: &Url) -> anyhow::Result<HttpResponse> {
    let client = GuardedClient::new(ClientLimits {
        connect: PATIENCE,
        read: PATIENCE,
        body_bytes_max: BODY_BYTES_MAX,
        redirects_max: 0,
        allow: Vec::new(),
    })?;
    let request = HttpRequest {
        method: HttpMethod::Get,
        origin: Origin::of(url, true).context("the address has no port")?,
        url: url.clone(),
        headers: Vec::new(),
        secret_headers: Vec::new(),
        body: None,
        secrets: Vec::new(),
        time_max: PATIENCE,
        tls: (url.scheme() == "https").then_some(TlsOptions { verify: false, ca_file: None }),
    };
    Ok(client.fetch(&request).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_is_asked_where_it_listens() {
        for (host, expected) in [
            ("127.0.0.1", "http://127.0.0.1:8000/svc/health/live/"),
            ("0.0.0.0", "http://127.0.0.1:8000/svc/health/live/"),
            ("::", "http://[::1]:8000/svc/health/live/"),
            ("::1", "http://[::1]:8000/svc/health/live/"),
            ("10.1.2.3", "http://10.1.2.3:8000/svc/health/live/"),
            ("search.example", "http://search.example:8000/svc/health/live/"),
        ] {
            let settings = Settings { host: host.to_owned(), ..Settings::default() };
            assert_eq!(address(&settings, 8000, "live").unwrap().as_str(), expected);
            let settings = Settings { tls_cert_file: "cert.pem".to_owned(), ..settings };
            let expected = expected.replace("http://", "https://");
            assert_eq!(address(&settings, 8000, "live").unwrap().as_str(), expected);
        }
        let settings = Settings { host: "no host".to_owned(), ..Settings::default() };
        assert!(address(&settings, 8000, "live").is_err());
    }
}
