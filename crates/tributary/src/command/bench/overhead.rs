//! Added latency and cost of a search. The service runs in its own process, client and sources in this one, so that CPU
//! time, memory and counts are those of the service alone.

use super::Bench;
use super::counts::Counts;
use super::growth::kilobytes;
use super::nodes::Callgrind;
use super::record::Record;
use super::series::{measure, warm_up};
use super::service::{Instrumentation, Service};
use super::sources::Sources;
use crate::figures::RecordedCounts;
use anyhow::{Context, ensure};
use serde_json::json;
use std::time::{Duration, Instant};

/// Time limit for the circuit breaker of the hanging source to open.
const BREAKER_MAX: Duration = Duration::from_secs(120);
/// Timeout of the hanging source, in seconds.
const HANGING_TIMEOUT: f64 = 0.25;

impl Bench {
    pub(super) async fn overhead(&self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let recorded = self.compare.as_deref().map(RecordedCounts::read).transpose()?;
        let callgrind = if self.instructions { Some(Callgrind::new(folder.path()).await?) } else { None };
        let mut sources = Sources::start(self.workload()).await?;

        let plain = folder.path().join("plain");
        let service = self.start_service(&plain, &sources, 0, Instrumentation::None).await?;
        warm_up(&service, &sources).await?;
        let before = service.client.database_bytes().await?;
        let series = measure(&service, &sources, self.searches).await?;
        let memory = service.node.memory()?;
        let grown = service.client.database_bytes().await?.saturating_sub(before);
        let hanging = if self.hanging {
            open_breaker(&service, &mut sources).await?;
            warm_up(&service, &sources).await?;
            Some(measure(&service, &sources, self.searches).await?)
        } else {
            None
        };
        service.node.stop().await?;
        let counts = match &callgrind {
            Some(callgrind) => self.count_work(folder.path(), &sources, callgrind).await?,
            None => Counts::default(),
        };
        let median = series.total.median;
        let servers = self.named_servers()?;
        let record = Record {
            version: domain::VERSION,
            database: servers.database_name(),
            queue: servers.queue_name(),
            sources: self.sources,
            results: self.results,
            delay_ms: self.delay_ms,
            searches: self.searches,
            total_ms: series.total,
            added_ms: series.added,
            ratio: rounded(median / (median - series.added.median)),
            cpu_ms_per_search: series.cpu_ms,
            memory_mb: memory,
            database_kb_per_search: kilobytes(grown as f64 / f64::from(self.searches.max(1))),
            counts: Counts { context_switches_per_search: series.context_switches, ..counts },
            hanging_ratio: hanging.map(|with| rounded(with.total.median / median)),
        };
        self.publish(&json!(record), || record.table())?;
        recorded.map_or(Ok(()), |recorded| recorded.compare(&record.counts.figures()))
    }
}

/// Adds a source that never responds, and searches until its circuit breaker opens.
async fn open_breaker(service: &Service, sources: &mut Sources) -> anyhow::Result<()> {
    let client = &service.client;
    let url = sources.start_hanging().await?;
    let config = json!({"swirl": {"connector_use": {"timeout": HANGING_TIMEOUT}}});
    let provider =
        json!({"name": "Hanging", "connector": "RequestsGet", "url": url, "config": config, "default": true});
    let added = client.post("searchproviders/", &provider).await?;
    let id = added["id"].as_i64().context("the service returned no id for a provider")?;
    let started = Instant::now();
    loop {
        client.search(sources.workload.shape.sources).await?;
        let state = client.get(&format!("searchproviders/{id}/state/")).await?;
        if !matches!(state["state"].as_str(), Some("closed" | "unknown")) {
            return Ok(());
        }
        ensure!(
            started.elapsed() < BREAKER_MAX,
            "the circuit breaker of the hanging source does not open: {state}"
        );
    }
}

fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}
