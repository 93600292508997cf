//! `tributary bench`: measures added latency, cost per search, and scaling with worker processes.

mod client;
mod nodes;
mod overhead;
mod process_stats;
mod record;
mod scale;
mod sources;
mod spread;

use super::{CliContext, output_file};
use crate::terminal;
use anyhow::Context;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Measure the latency that the service adds to its sources, and the CPU time and memory of a search. The service runs
/// in its own process, local sources respond after a fixed delay, and searches run one after the other. With --scale,
/// measure searches per second with one and two worker processes, and the cost of a search in one process and in a
/// cluster.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary bench
  tributary bench --hanging
  tributary bench --searches 1000 --instructions --json bench.json
  tributary bench --sources 100 --searches 20 --json
  tributary bench --scale --database-url postgres://me@db/bench --queue-url nats://queue:4222/bench")]
pub struct Bench {
    /// Number of sources.
    #[arg(long, default_value_t = 10)]
    sources: u32,
    /// Response time of each source, in milliseconds.
    #[arg(long, default_value_t = 100)]
    delay_ms: u64,
    /// Number of searches; with --scale, per deployment form.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    searches: u32,
    /// Also measure with a source that never responds, once its circuit breaker is open.
    #[arg(long)]
    hanging: bool,
    /// Also count the instructions of a search, using valgrind's callgrind.
    #[arg(long)]
    instructions: bool,
    /// Compare one process, web and one worker, and web and two workers.
    #[arg(long, conflicts_with_all = ["hanging", "instructions"])]
    scale: bool,
    /// Concurrent searches per process. Low, so that the workers are the bottleneck.
    #[arg(long, requires = "scale", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    concurrency: u32,
    /// Empty PostgreSQL database for the cluster (SVC_DATABASE_URL).
    #[arg(long, requires = "scale", value_name = "URL")]
    database_url: Option<String>,
    /// NATS for the cluster (SVC_QUEUE_URL); by default the queue is in the database.
    #[arg(long, requires = "scale", value_name = "URL")]
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
        if self.scale { self.scaling(cli).await } else { self.overhead().await }
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

    fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }
}
