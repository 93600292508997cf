//! A series of searches, one after the other.

use super::service::Service;
use super::sources::Sources;
use super::spread::{Spread, ms};
use crate::terminal;

/// Warm-up searches before the measured ones.
const WARM_UP: u32 = 5;

/// Measurements of a series.
pub(super) struct Series {
    pub total: Spread,
    pub added: Spread,
    /// CPU time of the service per search, in milliseconds.
    pub cpu_ms: Option<f64>,
    /// Context switches of the service per search.
    pub context_switches: Option<f64>,
    /// Mean size of a response.
    pub response_bytes: f64,
}

/// Searches that are not measured.
pub(super) async fn warm_up(service: &Service, sources: &Sources) -> anyhow::Result<()> {
    for _ in 0..WARM_UP {
        service.client.search(sources.workload.shape.sources).await?;
    }
    Ok(())
}

/// Measures searches, and shows the progress.
pub(super) async fn measure(service: &Service, sources: &Sources, searches: u32) -> anyhow::Result<Series> {
    let Service { node, client, .. } = service;
    let shape = sources.workload.shape;
    let (mut totals, mut added, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut switches = node.context_switches()?;
    let before = node.cpu()?;
    for number in 1..=searches {
        sources.slowest.forget();
        let search = client.search(shape.sources).await?;
        totals.push(search.took);
        added.push(search.took.saturating_sub(sources.slowest.took()));
        bytes += search.bytes;
        if let Some(switches) = &mut switches {
            switches.update();
        }
        terminal::progress(format!("{shape}: {number} of {searches} searches"));
    }
    let cpu = before.zip(node.cpu()?).map(|(before, after)| after.saturating_sub(before));
    terminal::progress("");
    let each = |count: f64| count / f64::from(searches.max(1));
    Ok(Series {
        total: Spread::of(totals),
        added: Spread::of(added),
        cpu_ms: cpu.map(|cpu| ms(cpu / searches.max(1))),
        context_switches: switches.map(|switches| each(switches.total() as f64).round()),
        response_bytes: each(bytes as f64),
    })
}
