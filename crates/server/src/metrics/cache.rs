//! Metrics of the corpus: its contents, its usage, and whether its stores respond.

use super::gauge_value::whole;
use corpus::{CounterValues, Decisions};
use domain::ports::CorpusCounts;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::Ordering;

/// Values at the moment of a scrape.
pub struct CacheFigures {
    /// None if they could not be read.
    pub counts: Option<CorpusCounts>,
    /// Decisions on versions, and egress events; None if they could not be read.
    pub decisions: Option<Decisions>,
    pub counted: CounterValues,
    pub licensed: bool,
    /// Whether they respond, by label; empty while the corpus is not available.
    pub stores: Vec<(&'static str, bool)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct VerdictLabel {
    verdict: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StoreLabel {
    store: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabel {
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ChosenLabel {
    chosen_by: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NoLabel {}

#[derive(Default)]
pub struct CacheMetrics {
    licensed: Gauge,
    signals: Family<StateLabel, Gauge>,
    liveness: Family<VerdictLabel, Gauge>,
    /// Chunks, bytes and ACL tokens: a family without labels is empty until it is set.
    chunks: Family<NoLabel, Gauge>,
    body_bytes: Family<NoLabel, Gauge>,
    grants: Family<NoLabel, Gauge>,
    stores: Family<StoreLabel, Gauge>,
    searches: Counter,
    hits: Counter,
    ingests: Family<OutcomeLabel, Counter>,
    probes: Family<VerdictLabel, Counter>,
    runs: Family<StatusLabel, Gauge>,
    pins: Family<NoLabel, Gauge>,
    scans: Family<StatusLabel, Gauge>,
    events: Family<StatusLabel, Gauge>,
    decided: Family<ChosenLabel, Counter>,
}

impl CacheMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "tributary_cache_licensed",
            "1 if the license includes the cache",
            self.licensed.clone(),
        );
        registry.register("tributary_cache_signals", "Documents in the cache by state", self.signals.clone());
        registry.register(
            "tributary_cache_liveness",
            "Documents in the cache by their last known status at the source",
            self.liveness.clone(),
        );
        registry.register("tributary_cache_chunks", "Chunks of documents in the cache", self.chunks.clone());
        registry.register_with_unit(
            "tributary_cache_body",
            "Compressed size of the full texts in the cache",
            Unit::Bytes,
            self.body_bytes.clone(),
        );
        registry.register(
            "tributary_cache_grants",
            "Access grants on documents in the cache",
            self.grants.clone(),
        );
        registry.register(
            "tributary_cache_store_up",
            "1 if the store of the cache responds",
            self.stores.clone(),
        );
        registry.register("tributary_cache_searches", "Searches of the cache", self.searches.clone());
        registry.register(
            "tributary_cache_hits",
            "Searches of the cache that returned results",
            self.hits.clone(),
        );
        registry.register(
            "tributary_cache_ingests",
            "Ingests of documents into the cache by outcome",
            self.ingests.clone(),
        );
        registry.register(
            "tributary_cache_probes",
            "Checks whether sources still have documents, by verdict",
            self.probes.clone(),
        );
        self.register_decisions(registry);
    }

    fn register_decisions(&self, registry: &mut Registry) {
        registry.register(
            "tributary_canonical_runs",
            "Elections among versions by status",
            self.runs.clone(),
        );
        registry.register("tributary_canonical_pins", "Documents pinned for a query", self.pins.clone());
        registry.register(
            "tributary_canonical_decisions",
            "Groups of versions in searches that an election or a pin decided",
            self.decided.clone(),
        );
        registry.register("tributary_egress_scans", "Scans of sent mail by status", self.scans.clone());
        registry.register(
            "tributary_egress_events",
            "Documents recognized in sent mail by status",
            self.events.clone(),
        );
    }

    /// Sets the gauges; concurrent scrapes wait.
    pub fn record(&self, figures: &CacheFigures) {
        self.licensed.set(i64::from(figures.licensed));
        self.record_counts(figures.counts.as_ref());
        self.record_decisions(figures.decisions.as_ref());
        self.stores.clear();
        for (store, answers) in &figures.stores {
            self.stores.get_or_create(&StoreLabel { store }).set(i64::from(*answers));
        }
        let CounterValues { searches, hits, ingested, failed, alive, gone, unknown, elections, pins } =
            figures.counted;
        set(&self.searches, searches);
        set(&self.hits, hits);
        for (outcome, count) in [("in", ingested), ("failed", failed)] {
            set(&self.ingests.get_or_create(&OutcomeLabel { outcome }), count);
        }
        for (verdict, count) in [("alive", alive), ("gone", gone), ("unknown", unknown)] {
            set(&self.probes.get_or_create(&VerdictLabel { verdict }), count);
        }
        for (chosen_by, count) in [("election", elections), ("pin", pins)] {
            set(&self.decided.get_or_create(&ChosenLabel { chosen_by }), count);
        }
    }

    fn record_decisions(&self, decisions: Option<&Decisions>) {
        for family in [&self.runs, &self.scans, &self.events] {
            family.clear();
        }
        self.pins.clear();
        let Some(Decisions { runs, pins, scans, events }) = decisions else { return };
        self.pins.get_or_create(&NoLabel {}).set(whole(*pins));
        for (family, counts) in [(&self.runs, runs), (&self.scans, scans), (&self.events, events)] {
            for (status, count) in counts {
                family.get_or_create(&StatusLabel { status }).set(whole(*count));
            }
        }
    }

    fn record_counts(&self, counts: Option<&CorpusCounts>) {
        // An old value would look current.
        self.signals.clear();
        self.liveness.clear();
        for gauge in [&self.chunks, &self.body_bytes, &self.grants] {
            gauge.clear();
        }
        let Some(counts) = counts else { return };
        for (state, count) in &counts.by_state {
            self.signals.get_or_create(&StateLabel { state: state.as_str() }).set(whole(*count));
        }
        for (verdict, count) in &counts.by_liveness {
            self.liveness.get_or_create(&VerdictLabel { verdict: verdict.as_str() }).set(whole(*count));
        }
        self.chunks.get_or_create(&NoLabel {}).set(whole(counts.chunks));
        self.body_bytes.get_or_create(&NoLabel {}).set(whole(counts.body_bytes));
        self.grants.get_or_create(&NoLabel {}).set(whole(counts.grants));
    }
}

/// The corpus has its own counters; a scrape copies their values.
fn set(counter: &Counter, count: u64) {
    counter.inner().store(count, Ordering::Relaxed);
}
