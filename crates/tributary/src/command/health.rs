//! `tributary health`: health check of the local service, for container and process supervisors.

use super::CliContext;
use crate::running_service::RunningService;
use crate::terminal;
use anyhow::{Context, ensure};
use clap::Args;
use domain::ports::{Fetch, HttpMethod, HttpRequest, HttpResponse, Origin, TlsOptions};
use domain::settings::Settings;
use outbound::{ClientLimits, GuardedClient};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::time::Duration;
use url::Url;

/// Longer than a busy machine needs, shorter than typical supervisor timeouts.
const TIMEOUT: Duration = Duration::from_secs(4);
/// The response is one short JSON object.
const BODY_BYTES_MAX: u64 = 64 * 1024;

/// Check whether the local service is healthy.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary health
  tributary health --ready")]
pub struct Health {
    /// Also check that it is ready to serve: the database is reachable and it is not shutting down.
    #[arg(long)]
    ready: bool,
    /// Port [default: that of the service running on the data folder, or SVC_PORT]
    #[arg(long)]
    port: Option<u16>,
}

impl Health {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let settings = cli.load_settings(&[])?.settings;
        let page = if self.ready { "ready" } else { "live" };
        let url = match (self.port, RunningService::find(Path::new(&settings.data_dir))) {
            (None, Some(service)) => service.url.join(&path(page))?,
            (port, _) => address(&settings, port.unwrap_or(settings.port), page)?,
        };
        let answer = ask(&url).await.with_context(|| format!("{url} does not respond"))?;
        let body = String::from_utf8_lossy(&answer.body);
        ensure!(answer.status == 200, "{url} returned {}: {}", answer.status, body.trim());
        terminal::line(body.trim());
        Ok(())
    }
}

fn address(settings: &Settings, port: u16, page: &str) -> anyhow::Result<Url> {
    service_url(settings, port, &path(page))
}

fn path(page: &str) -> String {
    format!("/svc/health/{page}/")
}

/// The URL of a path of the local service. If it listens on all addresses, the loopback address is used.
pub(super) fn service_url(settings: &Settings, port: u16, path: &str) -> anyhow::Result<Url> {
    let host = match settings.host.parse() {
        Ok(IpAddr::V4(Ipv4Addr::UNSPECIFIED)) => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(Ipv6Addr::UNSPECIFIED)) => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => settings.host.clone(),
    };
    let scheme = settings.scheme();
    Url::parse(&format!("{scheme}://{host}:{port}{path}")).context("SVC_HOST is not a valid host")
}

/// Sends a request to the local service. The certificate is not verified: it is issued for the public name, and after a
/// failed renewal it may differ from `SVC_TLS_CERT_FILE`, which is no reason to restart the service. The request
/// carries no credentials, and only the status of the response matters.
pub(super) async fn ask(url: &Url) -> anyhow::Result<HttpResponse> {
    let client = GuardedClient::new(ClientLimits {
        connect: TIMEOUT,
        read: TIMEOUT,
        body_bytes_max: BODY_BYTES_MAX,
        redirects_max: 0,
        allow: Vec::new(),
    })?;
    let request = HttpRequest {
        method: HttpMethod::Get,
        origin: Origin::trusted(url).context("the URL has no port")?,
        url: url.clone(),
        headers: Vec::new(),
        secret_headers: Vec::new(),
        body: None,
        secrets: Vec::new(),
        time_max: TIMEOUT,
        tls: (url.scheme() == "https").then_some(TlsOptions { verify: false, ca_file: None }),
    };
    Ok(client.fetch(&request).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_follows_the_listen_address() {
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
