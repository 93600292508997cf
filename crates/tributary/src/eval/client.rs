//! HTTP client of the service, built on the guarded client.

use anyhow::{Context, bail, ensure};
use domain::ports::{Fetch, HttpMethod, HttpRequest, HttpResponse, Origin};
use domain::result::ResultItem;
use domain::secret::Secret;
use outbound::{ClientLimits, GuardedClient};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use url::Url;

/// Poll interval for results, which is also the resolution of latencies.
const ASK_EVERY: Duration = Duration::from_millis(2);
/// Maximum size of a page of results.
const BODY_BYTES_MAX: u64 = 256 * 1024 * 1024;
const STILL_RUNNING: u16 = 503;

pub struct Client {
    guarded: GuardedClient,
    base: Url,
    authorization: Secret,
    patience: Duration,
    /// Whether lists are asked for in the order of the second reader.
    in_better_order: bool,
}

/// The results of a search.
#[derive(Deserialize)]
pub struct Mixed {
    pub results: Vec<ResultItem>,
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    completeness: Completeness,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
struct Completeness {
    asked: u32,
    answered: u32,
}

impl Client {
    /// `patience` is the time limit of a search.
    pub fn new(address: SocketAddr, token: &Secret, patience: Duration) -> anyhow::Result<Self> {
        let limits = ClientLimits {
            connect: patience,
            read: patience,
            body_bytes_max: BODY_BYTES_MAX,
            redirects_max: 0,
            allow: Vec::new(),
        };
        Ok(Self {
            guarded: GuardedClient::new(limits)?,
            base: Url::parse(&format!("http://{address}/svc/"))?,
            authorization: Secret::new(format!("Token {}", token.expose())),
            patience,
            in_better_order: false,
        })
    }

    /// A client that asks for lists in the order of the second reader.
    pub fn in_better_order(self) -> Self {
        Self { in_better_order: true, ..self }
    }

    /// Creates a search and returns its id.
    pub async fn create(&self, query: &str, mixer: &str, results: usize) -> anyhow::Result<i64> {
        let spec = json!({ "query_string": query, "result_mixer": mixer, "results_requested": results });
        let response = self.send(HttpMethod::Post, "search/", Some(&spec)).await?;
        let body = read(&response, 201)?;
        body["id"].as_i64().context("the service returned no id for a search")
    }

    /// Waits until the search has ended, and returns its results in the order of this mixer.
    pub async fn results(&self, search: i64, mixer: &str) -> anyhow::Result<Mixed> {
        let order = if self.in_better_order { "&second_reader=true" } else { "" };
        let path = format!("results/?search_id={search}&result_mixer={mixer}&explain=True{order}");
        let started = Instant::now();
        loop {
            let response = self.send(HttpMethod::Get, &path, None).await?;
            if response.status != STILL_RUNNING {
                let mixed: Mixed = serde_json::from_value(read(&response, 200)?)?;
                mixed.check()?;
                // On a slow machine, the second reader needs more than one request: it remembers what it has read.
                if !self.in_better_order || mixed.is_read_again() || mixed.results.len() < 2 {
                    return Ok(mixed);
                }
            }
            ensure!(started.elapsed() < self.patience, "a search took longer than {:?}", self.patience);
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    async fn send(
        &self,
        method: HttpMethod,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<HttpResponse> {
        let url = self.base.join(path)?;
        let request = HttpRequest {
            method,
            origin: Origin::trusted(&url).context("the URL has no port")?,
            url,
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            secret_headers: vec![("Authorization".to_owned(), self.authorization.clone())],
            body: body.map(|body| body.to_string().into_bytes().into()),
            secrets: Vec::new(),
            time_max: self.patience,
            tls: None,
        };
        Ok(self.guarded.fetch(&request).await?)
    }
}

fn read(response: &HttpResponse, expected: u16) -> anyhow::Result<Value> {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    ensure!(response.status == expected, "the service returned {}: {body}", response.status);
    Ok(body)
}

impl Mixed {
    /// The number of results of all sources before grouping.
    pub fn retrieved(&self) -> u64 {
        let retrieved = |info: &Value| info.get("filter_url").and(info["retrieved"].as_u64());
        self.info.others.values().filter_map(retrieved).sum()
    }

    /// Whether the list is in the order of the second reader.
    fn is_read_again(&self) -> bool {
        self.info.others.get("results").is_some_and(|info| info["second_reader"] == true)
    }

    /// Fails unless every source responded.
    fn check(&self) -> anyhow::Result<()> {
        let Completeness { asked, answered } = self.info.completeness;
        if asked > 0 && asked == answered {
            return Ok(());
        }
        let faults = self
            .info
            .others
            .iter()
            .filter_map(|(name, info)| Some((name, info["error"]["message"].as_str()?)));
        let faults: Vec<String> = faults.map(|(name, message)| format!("{name}: {message}")).collect();
        bail!(
            "{answered} of {asked} sources responded; {}. The machine may be overloaded; run it again",
            faults.join("; ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(answered: u32) -> Mixed {
        let source = |error: Value| json!({"retrieved": 7, "filter_url": "http://x/", "error": error});
        serde_json::from_value(json!({
            "results": [{"title": "Tea", "url": "https://source1.example/documents/4", "explain": {"stems": "tea"}}],
            "info": {
                "Source 1": source(json!(null)),
                "Source 2": source(json!({"code": "timeout", "message": "did not answer"})),
                "search": {"id": 1},
                "results": {"retrieved": 1},
                "completeness": {"asked": 2, "answered": answered},
            },
        }))
        .unwrap()
    }

    #[test]
    fn a_search_counts_if_every_source_answered() {
        assert_eq!(mixed(2).retrieved(), 14, "`info.results` is not a source");
        assert_eq!(mixed(2).results[0].title, "Tea");
        assert!(!mixed(2).is_read_again());
        assert!(mixed(2).check().is_ok());
        let error = mixed(1).check().unwrap_err().to_string();
        assert!(error.starts_with("1 of 2 sources responded; Source 2: did not answer."), "{error}");
    }
}
