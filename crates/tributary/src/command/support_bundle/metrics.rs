//! The metrics of the service that runs on this machine.

use crate::command::health;
use anyhow::Context;
use domain::contracts::{Fetch, HttpMethod, HttpRequest, Origin, TlsOptions};
use domain::secret::Secret;
use domain::settings::Settings;
use outbound::{Gate, GateLimits};
use std::time::Duration;
use url::Url;

const TIME_MAX: Duration = Duration::from_secs(10);
const BODY_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What `/metrics/` answers. The error says why there is nothing, and what to do.
pub async fn read(settings: &Settings, port: u16, token: Option<&Secret>) -> Result<String, String> {
    let url = health::service_url(settings, port, "/metrics/").map_err(|error| format!("{error:#}"))?;
    let answer = ask(&url, token).await.map_err(|error| {
        format!("{url} does not answer: {error:#}. Start the service, or name its port with --port")
    })?;
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    match answer.status {
        200 => Ok(body),
        401 | 403 => Err(format!(
            "{url} answers {}: the metrics are for administrators. Give the API token of one with --token-stdin, or \
             set SVC_METRICS_OPEN",
            answer.status
        )),
        status => Err(format!("{url} answers {status}")),
    }
}

/// Like `tributary health`, it verifies no certificate: that is issued for the public name, not for an address of this
/// machine. The token stays on this machine.
async fn ask(url: &Url, token: Option<&Secret>) -> anyhow::Result<domain::contracts::HttpResponse> {
    let gate = Gate::new(GateLimits {
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
        origin: Origin::of(url, true).context("the address has no port")?,
        url: url.clone(),
        headers: Vec::new(),
        secret_headers: token.map(header).into_iter().collect(),
        body: None,
        secrets: Vec::new(),
        time_max: TIME_MAX,
        tls: (url.scheme() == "https").then_some(TlsOptions { verify: false, ca_file: None }),
    };
    Ok(gate.fetch(&request).await?)
}
