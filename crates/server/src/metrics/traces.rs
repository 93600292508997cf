//! Searches that were exported as traces, and those that were not.

use federation::ExportCounts;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use std::sync::atomic::Ordering;

#[derive(Default)]
pub struct TraceMetrics {
    exported: Counter,
    dropped: Counter,
}

impl TraceMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "tributary_traces_exported",
            "Searches whose traces were exported",
            self.exported.clone(),
        );
        registry.register(
            "tributary_traces_dropped",
            "Searches whose traces were not exported, because the collector failed or was too slow",
            self.dropped.clone(),
        );
    }

    pub fn record(&self, counts: ExportCounts) {
        self.exported.inner().store(counts.exported, Ordering::Relaxed);
        self.dropped.inner().store(counts.dropped, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    #[test]
    fn both_counts_are_exported() {
        let (metrics, mut registry) = (TraceMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        metrics.record(ExportCounts { exported: 7, dropped: 2 });
        let mut text = String::new();
        encode(&mut text, &registry).expect("text");
        for line in ["tributary_traces_exported_total 7\n", "tributary_traces_dropped_total 2\n"] {
            assert!(text.contains(line), "{text}");
        }
    }
}
