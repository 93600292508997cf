//! Searches per second, response times and memory with several clients at once.

use super::Bench;
use super::load::Load;
use super::service::Instrumentation;
use super::sources::Sources;
use super::spread::{ms, percentile};
use crate::terminal;
use serde::Serialize;
use serde_json::json;
use std::time::{Duration, Instant};

/// The rows if none are named.
pub(super) const DEFAULT_CLIENTS: &str = "1,4,16,64";
/// Maximum number of clients. Each has a connection to the service, which has one to every source.
pub(super) const CLIENTS_MAX: u32 = 1000;
/// Warm-up searches per client.
const WARM_UP_ROUNDS: u32 = 2;
/// Measured searches per client, if that is more than `--searches`.
const ROUNDS_MIN: u32 = 10;

/// Measurements of one number of clients.
#[derive(Debug, Serialize)]
struct Row {
    clients: u32,
    searches: u32,
    searches_per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    /// CPU time of the service alone; `None` if the system does not report it.
    cpu_ms_per_search: Option<f64>,
    /// Memory of the service at the end of the row, in MB.
    pss_mb: Option<f64>,
}

impl Row {
    /// The clients send `times.len()` searches in the time `elapsed`.
    fn new(clients: u32, mut times: Vec<Duration>, elapsed: Duration) -> Self {
        times.sort_unstable();
        let rate = times.len() as f64 / elapsed.as_secs_f64().max(f64::EPSILON);
        Self {
            clients,
            searches: u32::try_from(times.len()).unwrap_or(u32::MAX),
            searches_per_second: (rate * 10.0).round() / 10.0,
            p50_ms: ms(percentile(&times, 0.5)),
            p99_ms: ms(percentile(&times, 0.99)),
            cpu_ms_per_search: None,
            pss_mb: None,
        }
    }

    fn line(&self) -> String {
        let Self { clients, searches, searches_per_second, p50_ms, p99_ms, .. } = self;
        let cpu = self.cpu_ms_per_search.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1} ms"));
        let pss = self.pss_mb.map_or_else(|| "-".to_owned(), |pss| format!("{pss:.0} MB"));
        format!(
            "  {clients:>7}{searches:>10}{searches_per_second:>12.1}{p50_ms:>9.1} ms{p99_ms:>9.1} ms{cpu:>16}{pss:>10}"
        )
    }
}

impl Bench {
    /// Measures each number of clients with a new service.
    pub(super) async fn measure_clients(&self, rows: &[u32]) -> anyhow::Result<()> {
        let sources = Sources::start(self.workload()).await?;
        let mut measured = Vec::new();
        for clients in rows {
            measured.push(self.measure_row(*clients, &sources).await?);
        }
        let record = json!({
            "version": domain::VERSION,
            "sources": self.sources,
            "results": self.results,
            "delay_ms": self.delay_ms,
            "rows": measured,
        });
        self.publish(&record, || table(&measured, self))
    }

    async fn measure_row(&self, clients: u32, sources: &Sources) -> anyhow::Result<Row> {
        let folder = tempfile::tempdir()?;
        let service = self.start_service(folder.path(), sources, clients, Instrumentation::None).await?;
        let searches = self.searches.max(clients.saturating_mul(ROUNDS_MIN));
        terminal::progress(format!("{clients} clients: {searches} searches"));
        let mut load = Load::start(&service.address, &service.users, self.sources)?;
        load.wait_for(clients.saturating_mul(WARM_UP_ROUNDS)).await?;
        let (started, before) = (Instant::now(), service.node.cpu()?);
        let times = load.wait_for(searches).await?;
        let elapsed = started.elapsed();
        let cpu = before.zip(service.node.cpu()?).map(|(before, after)| after.saturating_sub(before));
        let pss_mb = service.node.memory()?.map(|memory| memory.pss);
        load.stop().await;
        terminal::progress("");
        service.node.stop().await?;
        let cpu_ms_per_search = cpu.map(|cpu| ms(cpu / searches.max(1)));
        Ok(Row { cpu_ms_per_search, pss_mb, ..Row::new(clients, times, elapsed) })
    }
}

fn table(rows: &[Row], bench: &Bench) -> String {
    let mut lines = vec![
        format!(
            "{} sources of {} ms, {} results each; each client is a separate user",
            bench.sources, bench.delay_ms, bench.results
        ),
        format!(
            "  {:>7}{:>10}{:>12}{:>12}{:>12}{:>16}{:>10}",
            "clients", "searches", "searches/s", "p50", "p99", "CPU per search", "PSS"
        ),
    ];
    lines.extend(rows.iter().map(Row::line));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_percentiles() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let row = Row::new(4, times, Duration::from_secs(8));
        assert_eq!((row.clients, row.searches, row.searches_per_second), (4, 200, 25.0));
        assert_eq!((row.p50_ms, row.p99_ms), (101.0, 198.0));
        let full = Row {
            cpu_ms_per_search: Some(12.1),
            pss_mb: Some(99.6),
            ..Row::new(64, Vec::new(), Duration::ZERO)
        };
        let lines = [row.line(), full.line()];
        assert_eq!(lines[0].len(), lines[1].len(), "{lines:?}");
        assert!(lines[0].contains("25.0") && lines[0].ends_with(" -"), "{lines:?}");
        assert!(lines[1].contains("12.1 ms") && lines[1].ends_with("100 MB"), "{lines:?}");
    }

    #[test]
    fn the_default_rows_are_valid() {
        for clients in DEFAULT_CLIENTS.split(',') {
            assert!((1..=CLIENTS_MAX).contains(&clients.parse().unwrap()), "{clients}");
        }
    }
}
