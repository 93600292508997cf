//! `tributary bench`: what the service adds to the time of its sources, what a search costs it, and how it grows with
//! its processes.

mod client;
mod nodes;
mod overhead;
mod process_stats;
mod record;
mod scale;
mod sources;
mod spread;

use super::{Place, output_file};
use crate::terminal;
use anyhow::Context;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Measure what the service adds to the time of its sources, and the CPU time and memory that a search costs it: the
/// service runs in a process of its own, local sources answer after a fixed delay, and `qs` is asked again and
/// again. With --scale: searches per second with one and with two worker processes, and what a search costs in one
/// process and in a cluster.
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
    /// How long each source takes to answer.
    #[arg(long, default_value_t = 100)]
    delay_ms: u64,
    /// Number of searches: one after the other, or for each form with --scale.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    searches: u32,
    /// Add a source that never answers, open its breaker, and measure what it costs the others.
    #[arg(long)]
    hanging: bool,
    /// Also count the instructions of a search, with the service under valgrind's callgrind.
    #[arg(long)]
    instructions: bool,
    /// Start the program as one process, as web and one worker, as web and two workers, and compare them.
    #[arg(long, conflicts_with_all = ["hanging", "instructions"])]
    scale: bool,
    /// Searches that one process runs at once. Few, so that a worker is the narrow place and a second one shows.
    #[arg(long, requires = "scale", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    concurrency: u32,
    /// An empty PostgreSQL database for the cluster (SVC_DATABASE_URL).
    #[arg(long, requires = "scale", value_name = "URL")]
    database_url: Option<String>,
    /// NATS for the cluster (SVC_QUEUE_URL); without it the queue is in the database.
    #[arg(long, requires = "scale", value_name = "URL")]
    queue_url: Option<String>,
    /// Processes whose CPU time is shown beside, their children included: PostgreSQL and NATS, if they run here.
    #[arg(long, requires = "scale", value_name = "PID", value_delimiter = ',')]
    beside: Vec<u32>,
    /// Measure another build of this version instead of this program.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print one JSON object; with FILE, write it there and print the table.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    json: Option<Option<PathBuf>>,
}

impl Bench {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        if let Some(Some(path)) = &self.json {
            output_file::ensure_writable(path)?;
        }
        match self.scale {
            true => self.scaling(place).await,
            false => self.overhead().await,
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

    /// What is measured.
    fn program(&self) -> anyhow::Result<PathBuf> {
        match &self.program {
            Some(path) => path.canonicalize().with_context(|| format!("{} is not there", path.display())),
            None => std::env::current_exe().context("the program does not find itself"),
        }
    }

    fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }
}
