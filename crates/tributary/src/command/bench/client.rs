//! HTTP client of the benchmark.

use anyhow::{Context, ensure};
use domain::ports::{Fetch, HttpMethod, HttpRequest, HttpResponse, Origin};
use domain::secret::Secret;
use outbound::{ClientLimits, GuardedClient};
use serde::Deserialize;
use serde_json::Value;
use std::time::{Duration, Instant};
use url::Url;

/// Time limit of a request; a service under callgrind is fifty times slower.
const REQUEST_MAX: Duration = Duration::from_secs(60);
const QUERY: &str = "search/?qs=river+level";

/// One search, as seen by the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchTiming {
    /// From sending the request to the last byte of the first page, without parsing.
    pub took: Duration,
    /// Size of the response without its headers.
    pub bytes: usize,
}

/// The part of a response that is checked. The rest is skipped, because the client shares its cores with the service.
#[derive(Deserialize)]
struct ResultPage {
    info: ResultInfo,
}

#[derive(Deserialize)]
struct ResultInfo {
    completeness: Completeness,
}

#[derive(Deserialize)]
struct Completeness {
    answered: u32,
}

/// A client of the service, built on the guarded client.
pub(super) struct Client {
    guarded: GuardedClient,
    base: Url,
    authorization: Secret,
    search: HttpRequest,
}

impl Client {
    pub(super) fn new(address: &str, token: Secret) -> anyhow::Result<Self> {
        let base = Url::parse(&format!("{address}/svc/"))?;
        let limits = ClientLimits {
            connect: Duration::from_secs(3),
            read: REQUEST_MAX,
            body_bytes_max: 64 * 1024 * 1024,
            redirects_max: 0,
            allow: Vec::new(),
        };
        let authorization = Secret::new(format!("Token {}", token.expose()));
        let search = request(HttpMethod::Get, base.join(QUERY)?, &authorization, None)?;
        Ok(Self { guarded: GuardedClient::new(limits)?, base, authorization, search })
    }

    /// Runs one search, and fails unless this number of sources answered.
    pub(super) async fn search(&self, sources: u32) -> anyhow::Result<SearchTiming> {
        let started = Instant::now();
        let response = self.guarded.fetch(&self.search).await?;
        let took = started.elapsed();
        ensure_success(&response)?;
        let page: ResultPage =
            serde_json::from_slice(&response.body).context("the service returned no page of results")?;
        let answered = page.info.completeness.answered;
        ensure!(answered == sources, "only {answered} of {sources} sources answered");
        Ok(SearchTiming { took, bytes: response.body.len() })
    }

    /// Size of the database, including what is only in its log.
    pub(super) async fn database_bytes(&self) -> anyhow::Result<u64> {
        let activity = self.get("activity/?days=1").await?;
        activity["totals"]["storage"]["used_bytes"]
            .as_u64()
            .context("the service does not report its database's size")
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(HttpMethod::Get, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(HttpMethod::Post, path, Some(body)).await
    }

    async fn send(&self, method: HttpMethod, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let request = request(method, self.base.join(path)?, &self.authorization, body)?;
        read(&self.guarded.fetch(&request).await?)
    }
}

fn request(
    method: HttpMethod,
    url: Url,
    authorization: &Secret,
    body: Option<&Value>,
) -> anyhow::Result<HttpRequest> {
    Ok(HttpRequest {
        method,
        origin: Origin::trusted(&url).context("the URL has no port")?,
        url,
        headers: body.iter().map(|_| ("Content-Type".to_owned(), "application/json".to_owned())).collect(),
        secret_headers: vec![("Authorization".to_owned(), authorization.clone())],
        body: body.map(|body| body.to_string().into_bytes().into()),
        secrets: Vec::new(),
        time_max: REQUEST_MAX,
        tls: None,
    })
}

fn read(response: &HttpResponse) -> anyhow::Result<Value> {
    ensure_success(response)?;
    Ok(serde_json::from_slice(&response.body).unwrap_or_default())
}

fn ensure_success(response: &HttpResponse) -> anyhow::Result<()> {
    let is_success = matches!(response.status, 200 | 201);
    ensure!(
        is_success,
        "the service returned {}: {}",
        response.status,
        String::from_utf8_lossy(&response.body)
    );
    Ok(())
}
