//! What the service adds to the time of its sources: `qs` is asked again and again, one after the other.

use super::Bench;
use super::client::Client;
use super::nodes::cpu_of;
use super::sources::{self, Hanging, Slowest};
use crate::service::{Role, Service};
use crate::terminal;
use crate::wiring::Wired;
use anyhow::Context;
use domain::settings::{Settings, Throttle};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Searches before the measured ones, so that connections and caches are warm.
const WARM_UP: u32 = 5;

impl Bench {
    pub(super) async fn added_time(&self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let slowest = Arc::new(Slowest::default());
        let mut running = JoinSet::new();
        let urls = sources::start(self.sources, self.delay(), &slowest, &mut running).await?;
        // One client searches as fast as it can.
        let settings = Settings {
            port: 0,
            data_dir: folder.path().display().to_string(),
            throttle_search: Throttle(None),
            ..Settings::default()
        };
        let wired = Wired::open(settings).await?;
        let token = sources::install(&wired, &urls).await?;
        let service = Service::start(wired, &Role::all()).await?;
        let address = service.address.context("the bench has a web role")?;
        let client = Client::new(&format!("http://{address}"), token)?;

        let figures = self.measure(&client, &slowest).await?;
        let hanging = match self.hanging {
            true => {
                let hanging = Hanging::start(&mut running).await?;
                let id = hanging.add(service.wired()).await?;
                while service.wired().federation.source_state(id).is_none_or(|state| state.state == "closed")
                {
                    client.search(self.sources).await?;
                }
                Some(self.measure(&client, &slowest).await?)
            }
            false => None,
        };
        service.stop().await;
        self.report(&figures, hanging.as_ref());
        Ok(())
    }

    /// Searches one after the other; the first ones only warm up.
    async fn measure(&self, client: &Client, slowest: &Slowest) -> anyhow::Result<Figures> {
        let mut figures = Figures::default();
        let mut cpu_before = Duration::ZERO;
        for number in 0..WARM_UP + self.searches {
            if number == WARM_UP {
                cpu_before = own_cpu();
            }
            slowest.forget();
            let started = Instant::now();
            client.search(self.sources).await?;
            let total = started.elapsed();
            let source = slowest.took();
            if number >= WARM_UP {
                figures.totals.push(total);
                figures.added.push(total.saturating_sub(source));
            }
        }
        figures.cpu = own_cpu().saturating_sub(cpu_before) / self.searches.max(1);
        figures.totals.sort();
        figures.added.sort();
        Ok(figures)
    }

    fn report(&self, figures: &Figures, hanging: Option<&Figures>) {
        let (total, added) = (share(&figures.totals, 0.5), share(&figures.added, 0.5));
        let ratio = rounded(total / (total - added));
        let hanging_ratio = hanging.map(|with| rounded(share(&with.totals, 0.5) / total));
        if self.json {
            return terminal::line(json!({
                "sources": self.sources,
                "delay_ms": self.delay_ms,
                "searches": self.searches,
                "total_ms": { "median": total, "p95": share(&figures.totals, 0.95) },
                "added_ms": { "median": added, "p95": share(&figures.added, 0.95) },
                "ratio": ratio,
                "cpu_ms_per_search": ms(figures.cpu),
                "hanging_ratio": hanging_ratio,
            }));
        }
        terminal::line(format!(
            "{} sources of {} ms, {} searches",
            self.sources, self.delay_ms, self.searches
        ));
        terminal::line(format!(
            "  total    median {total:>7.1} ms   p95 {:>7.1} ms",
            share(&figures.totals, 0.95)
        ));
        terminal::line(format!(
            "  added    median {added:>7.1} ms   p95 {:>7.1} ms",
            share(&figures.added, 0.95)
        ));
        terminal::line(format!("  ratio    {ratio} (total / slowest source)"));
        terminal::line(format!("  CPU      {} ms per search, sources and client included", ms(figures.cpu)));
        if let Some(ratio) = hanging_ratio {
            terminal::line(format!(
                "  hanging  {ratio} (total with a source that hangs, its breaker open / without)"
            ));
        }
    }
}

/// Sorted times of a series of searches, and the CPU time of one.
#[derive(Default)]
struct Figures {
    totals: Vec<Duration>,
    added: Vec<Duration>,
    cpu: Duration,
}

/// Milliseconds with one decimal.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}

/// The time that this share of the searches did not exceed.
fn share(sorted: &[Duration], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    ms(sorted.get((last as f64 * share).round() as usize).copied().unwrap_or_default())
}

fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}

/// CPU time of this process so far.
fn own_cpu() -> Duration {
    cpu_of(std::process::id())
}
