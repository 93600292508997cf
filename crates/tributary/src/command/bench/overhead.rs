//! Added latency and cost of a search. The service runs in its own process, client and sources in this one, so that CPU
//! time, memory and instructions are those of the service alone.

use super::Bench;
use super::client::Client;
use super::nodes::{Callgrind, Node};
use super::record::Record;
use super::sources::{self, Slowest};
use super::spread::{Spread, ms};
use crate::app::{App, FileReaders};
use anyhow::{Context, ensure};
use domain::settings::Settings;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Warm-up searches before the measured ones.
const WARM_UP: u32 = 5;
/// Maximum searches with counted instructions: counts hardly vary, and each search takes a second.
const COUNTED_MAX: u32 = 20;
/// Time limit for the circuit breaker of the hanging source to open.
const BREAKER_MAX: Duration = Duration::from_secs(120);
/// Timeout of the hanging source, in seconds.
const HANGING_TIMEOUT: f64 = 0.25;

/// A series of searches, one after the other.
struct Series {
    total: Spread,
    added: Spread,
    /// CPU time of the service per search, in milliseconds.
    cpu_ms: Option<f64>,
}

impl Bench {
    pub(super) async fn overhead(&self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let callgrind = if self.instructions { Some(Callgrind::new(folder.path()).await?) } else { None };
        let slowest = Arc::new(Slowest::default());
        let mut running = JoinSet::new();
        let urls = sources::start(self.sources, self.delay(), &slowest, &mut running).await?;

        let (node, client) = self.start_service(&folder.path().join("plain"), &urls, None).await?;
        let plain = self.measure(&node, &client, &slowest).await?;
        let memory = node.memory()?;
        let hanging = if self.hanging {
            self.open_breaker(&client, &mut running).await?;
            Some(self.measure(&node, &client, &slowest).await?)
        } else {
            None
        };
        node.stop().await?;
        let instructions = match &callgrind {
            Some(callgrind) => {
                let folder = folder.path().join("counted");
                Some(self.count_instructions(&folder, &urls, callgrind).await?)
            }
            None => None,
        };
        let median = plain.total.median;
        let record = Record {
            version: domain::VERSION,
            sources: self.sources,
            delay_ms: self.delay_ms,
            searches: self.searches,
            total_ms: plain.total,
            added_ms: plain.added,
            ratio: rounded(median / (median - plain.added.median)),
            cpu_ms_per_search: plain.cpu_ms,
            memory_mb: memory,
            instructions_per_search: instructions,
            hanging_ratio: hanging.map(|with| rounded(with.total.median / median)),
        };
        self.publish(&json!(record), || record.table())
    }

    /// Starts the service with all roles on SQLite and with these sources. Returns it with a client.
    async fn start_service(
        &self,
        folder: &Path,
        urls: &[String],
        callgrind: Option<&Callgrind>,
    ) -> anyhow::Result<(Node, Client)> {
        let settings = Settings { data_dir: folder.display().to_string(), ..Settings::default() };
        let app = App::build(settings, FileReaders::ChildProcesses).await?;
        let token = sources::install(&app, urls).await?;
        app.store.close().await;
        // One client searches without pauses.
        let mut settings = vec![("SVC_THROTTLE_SEARCH", "None".to_owned())];
        let mut node = match callgrind {
            Some(callgrind) => {
                let slow = ["SVC_TIMEOUT", "SVC_SEARCH_HTTP_CONNECT_TIMEOUT", "SVC_SEARCH_HTTP_READ_TIMEOUT"];
                settings.extend(slow.map(|name| (name, "60".to_owned())));
                Node::start_under_callgrind(&self.program()?, folder, &settings, callgrind)?
            }
            None => Node::start(&self.program()?, folder, None, &settings)?,
        };
        let client = Client::new(&node.address().await?, token)?;
        Ok((node, client))
    }

    async fn warm_up(&self, client: &Client) -> anyhow::Result<()> {
        for _ in 0..WARM_UP {
            client.search(self.sources).await?;
        }
        Ok(())
    }

    async fn measure(&self, node: &Node, client: &Client, slowest: &Slowest) -> anyhow::Result<Series> {
        self.warm_up(client).await?;
        let (mut totals, mut added) = (Vec::new(), Vec::new());
        let before = node.cpu()?;
        for _ in 0..self.searches {
            slowest.forget();
            let total = client.search(self.sources).await?;
            totals.push(total);
            added.push(total.saturating_sub(slowest.took()));
        }
        let cpu = before.zip(node.cpu()?).map(|(before, after)| after.saturating_sub(before));
        let cpu_ms = cpu.map(|cpu| ms(cpu / self.searches.max(1)));
        Ok(Series { total: Spread::of(totals), added: Spread::of(added), cpu_ms })
    }

    /// Adds a source that never responds, and searches until its circuit breaker opens.
    async fn open_breaker(&self, client: &Client, running: &mut JoinSet<()>) -> anyhow::Result<()> {
        let url = sources::start_hanging(running).await?;
        let config = json!({"swirl": {"connector_use": {"timeout": HANGING_TIMEOUT}}});
        let provider = json!({"name": "Hanging", "connector": "RequestsGet", "url": url, "config": config, "default": true});
        let added = client.post("searchproviders/", &provider).await?;
        let id = added["id"].as_i64().context("the service returned no id for a provider")?;
        let started = Instant::now();
        loop {
            client.search(self.sources).await?;
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

    /// Instructions per search, measured in a separate service because callgrind is slow.
    async fn count_instructions(
        &self,
        folder: &Path,
        urls: &[String],
        callgrind: &Callgrind,
    ) -> anyhow::Result<u64> {
        let (node, client) = self.start_service(folder, urls, Some(callgrind)).await?;
        self.warm_up(&client).await?;
        callgrind.reset(&node).await?;
        let searches = self.searches.min(COUNTED_MAX);
        for _ in 0..searches {
            client.search(self.sources).await?;
        }
        let counted = callgrind.count(&node).await?;
        node.stop().await?;
        Ok(counted / u64::from(searches.max(1)))
    }
}

fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}
