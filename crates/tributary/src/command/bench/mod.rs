//! `tributary bench`: measures added latency, cost per search, and how both grow with sources, results, clients and
//! worker processes.

mod client;
mod concurrency;
mod context_switches;
mod counts;
mod growth;
mod load;
mod nodes;
mod overhead;
mod process_stats;
mod profile;
mod record;
mod results;
mod scale;
mod series;
mod servers;
mod service;
mod sources;
mod spread;
mod workload;

use super::{CliContext, output_file};
use crate::terminal;
use anyhow::Context;
use clap::Args;
use clap::builder::RangedI64ValueParser;
use domain::provider::RESULTS_PER_QUERY_MAX;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use workload::{SOURCES_MAX, Shape, Texts, Workload};

/// Measure the latency that the service adds to its sources, and the CPU time, memory and context switches of a search.
/// The service runs in its own process, local sources respond after a fixed delay, and searches run one after the
/// other. With --growth, measure it for several numbers of sources and results; with --clients, for several clients at
/// once. With --scale, measure searches per second with one and two worker processes, and the cost of a search in one
/// process and in a cluster.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary bench
  tributary bench --hanging
  tributary bench --searches 1000 --instructions --json bench.json
  tributary bench --sources 100 --results 50 --varied --searches 20 --json
  tributary bench --growth
  tributary bench --growth 10x10,10x1000 --searches 20
  tributary bench --clients 1,4,16,64
  tributary bench --instructions --compare docs/figures.json
  tributary bench --database-url postgres://me@db/bench --queue-url nats://queue:4222/bench
  tributary bench --scale --database-url postgres://me@db/bench --queue-url nats://queue:4222/bench")]
pub struct Bench {
    /// Number of sources.
    #[arg(long, default_value_t = 10, value_parser = up_to(SOURCES_MAX))]
    sources: u32,
    /// Number of results of each source.
    #[arg(long, default_value_t = 10, value_parser = up_to(RESULTS_PER_QUERY_MAX))]
    results: u32,
    /// Return varied words in each result instead of nearly the same sentence; always so with --growth.
    #[arg(long)]
    varied: bool,
    /// Response time of each source, in milliseconds.
    #[arg(long, default_value_t = 100)]
    delay_ms: u64,
    /// Number of searches; with --scale, per deployment form; with --growth, per row, at most 200; with --clients, per
    /// row, but at least 10 per client.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    searches: u32,
    /// Also measure with a source that never responds, once its circuit breaker is open.
    #[arg(long)]
    hanging: bool,
    /// Also count the instructions and statements of a search and, if the program has symbols, its allocations, using
    /// valgrind's callgrind.
    #[arg(long)]
    instructions: bool,
    /// Compare the counts with those in FILE (docs/figures.json), and fail if they differ.
    #[arg(
        long,
        value_name = "FILE",
        requires = "instructions",
        conflicts_with_all = ["sources", "results", "varied", "delay_ms"]
    )]
    compare: Option<PathBuf>,
    /// Measure several numbers of sources x results per source, each with a new service [without a value:
    /// 1x10,10x10,30x10,100x10,300x10,10x100].
    #[arg(
        long,
        value_name = "SHAPES",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = growth::DEFAULT_SHAPES,
        conflicts_with_all = ["sources", "results", "hanging", "instructions", "scale", "clients"]
    )]
    growth: Option<Vec<Shape>>,
    /// Measure several numbers of concurrent clients, each with a new service [without a value: 1,4,16,64].
    #[arg(
        long,
        value_name = "NUMBERS",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = concurrency::DEFAULT_CLIENTS,
        value_parser = up_to(concurrency::CLIENTS_MAX),
        conflicts_with_all = ["hanging", "instructions", "scale"]
    )]
    clients: Option<Vec<u32>>,
    /// Compare one process, web and one worker, and web and two workers.
    #[arg(long, conflicts_with_all = ["hanging", "instructions"])]
    scale: bool,
    /// Concurrent searches per process. Low, so that the workers are the bottleneck.
    #[arg(long, requires = "scale", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    concurrency: u32,
    /// Empty PostgreSQL database, instead of SQLite; with --scale, for the cluster, where it may also be
    /// SVC_DATABASE_URL.
    #[arg(long, value_name = "URL", conflicts_with_all = ["growth", "clients", "instructions"])]
    database_url: Option<String>,
    /// NATS; with --scale, for the cluster, where it may also be SVC_QUEUE_URL. By default the queue is in the database.
    #[arg(long, value_name = "URL", conflicts_with_all = ["growth", "clients", "instructions"])]
    queue_url: Option<String>,
    /// Processes whose CPU time is also reported, including their children: PostgreSQL and NATS, if local.
    #[arg(long, requires = "scale", value_name = "PID", value_delimiter = ',')]
    beside: Vec<u32>,
    /// Measure another build of the same version.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print JSON; with FILE, write JSON to it and print the table.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    json: Option<Option<PathBuf>>,
}

impl Bench {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        if let Some(Some(path)) = &self.json {
            output_file::ensure_writable(path)?;
        }
        match (&self.growth, &self.clients) {
            (Some(shapes), _) => self.measure_growth(shapes).await,
            (None, Some(clients)) => self.measure_clients(clients).await,
            (None, None) if self.scale => self.scaling(cli).await,
            (None, None) => self.overhead().await,
        }
    }

    fn publish(&self, record: &Value, table: impl FnOnce() -> String) -> anyhow::Result<()> {
        match &self.json {
            Some(None) => terminal::line(record),
            Some(Some(path)) => {
                output_file::write(path, &format!("{record:#}\n"))?;
                terminal::line(table());
            }
            None => terminal::line(table()),
        }
        Ok(())
    }

    /// The program to measure.
    fn program(&self) -> anyhow::Result<PathBuf> {
        match &self.program {
            Some(path) => path.canonicalize().with_context(|| format!("{} does not exist", path.display())),
            None => std::env::current_exe().context("cannot determine the path of this program"),
        }
    }

    fn workload(&self) -> Workload {
        Workload {
            shape: Shape { sources: self.sources, results: self.results },
            delay: Duration::from_millis(self.delay_ms),
            texts: if self.varied { Texts::Varied } else { Texts::Similar },
        }
    }
}

/// Numbers from 1 to this one.
fn up_to(most: u32) -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(most))
}
