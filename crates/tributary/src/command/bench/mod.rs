//! `tributary bench`: what the service adds to the time of its sources, and how it grows with its processes.

mod added;
mod client;
mod nodes;
mod scale;
mod sources;

use super::Place;
use clap::Args;
use std::time::Duration;

/// Measure what the service adds to the time of its sources: local sources answer after a fixed delay,
/// `qs` is asked again and again, and the medians are compared. With --scale: searches per second with one and
/// with two worker processes, and what a search costs in one process and in a cluster.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary bench
  tributary bench --hanging
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
    /// Start the program as one process, as web and one worker, as web and two workers, and compare them.
    #[arg(long, conflicts_with = "hanging")]
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
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        match self.scale {
            true => self.scaling(place).await,
            false => self.added_time().await,
        }
    }

    fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }
}
