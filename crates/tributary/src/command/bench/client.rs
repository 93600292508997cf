//! The client that searches.

use anyhow::{Context, ensure};
use domain::contracts::{Fetch, HttpMethod, HttpRequest, Origin};
use domain::secret::Secret;
use outbound::{Gate, GateLimits};
use serde_json::Value;
use std::time::Duration;
use url::Url;

/// A client of the service, through the gate like everything that goes out.
pub(super) struct Client {
    gate: Gate,
    request: HttpRequest,
}

impl Client {
    pub(super) fn new(base: &str, token: Secret) -> anyhow::Result<Self> {
        let url = Url::parse(&format!("{base}/svc/search/?qs=river+level"))?;
        let limits = GateLimits {
            connect: Duration::from_secs(3),
            read: Duration::from_secs(60),
            body_bytes_max: 64 * 1024 * 1024,
            redirects_max: 0,
            allow: Vec::new(),
        };
        let request = HttpRequest {
            method: HttpMethod::Get,
            origin: Origin::of(&url, true).context("the address has a port")?,
            url,
            headers: Vec::new(),
            secret_headers: vec![(
                "Authorization".to_owned(),
                Secret::new(format!("Token {}", token.expose())),
            )],
            body: None,
            secrets: Vec::new(),
            time_max: Duration::from_secs(60),
            tls: None,
        };
        Ok(Self { gate: Gate::new(limits)?, request })
    }

    /// One search, from its question to its first page.
    pub(super) async fn search(&self, sources: u32) -> anyhow::Result<()> {
        let response = self.gate.fetch(&self.request).await?;
        ensure!(response.status == 200, "the service answered {}", response.status);
        let body: Value = serde_json::from_slice(&response.body)?;
        let answered = body["info"]["completeness"]["answered"].as_u64();
        ensure!(answered == Some(u64::from(sources)), "only {answered:?} of {sources} sources answered");
        Ok(())
    }
}
