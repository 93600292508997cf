//! Metrics of this process, for `/metrics/`. Labels are routes, states and provider names: never a query, a user or a
//! secret, and always a bounded number of values.

mod backups;
mod cache;
mod failure_streaks;
mod gauge_value;
pub mod http;
mod installation;
mod labels;
mod optional_gauge;
mod process;
mod providers;
mod rolling_hour;
mod servers;
mod sign_ins;
mod storage;
mod summaries;
mod text_format;
mod traces;

pub use cache::CacheFigures;
pub use failure_streaks::Failing;
pub use installation::Disk;
pub use rolling_hour::HourView;
pub use servers::ServerFigures;
pub use sign_ins::SignInFailure;
pub use text_format::TextFormat;

use backups::BackupMetrics;
use cache::CacheMetrics;
use domain::VERSION;
use domain::ids::ProviderId;
use domain::instant::Instant;
use domain::ports::{Observer, PoolUse, ProviderEnd, QueueName, SummaryEnd};
use domain::provider::SearchProvider;
use domain::status::SearchStatus;
use domain::storage_forecast::StorageForecast;
use failure_streaks::FailureStreaks;
use federation::ExportCounts;
use gauge_value::whole;
use installation::InstallationMetrics;
use labels::{
    Histograms, HttpLabels, KindLabels, PoolLabels, ProviderLabels, QueueLabels, StateLabels, StatusLabels,
};
use license::LicenseReport;
use process::Process;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use providers::ProviderNames;
use rolling_hour::RollingHour;
use servers::ServerMetrics;
use sign_ins::SignInMetrics;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant as StdInstant};
use storage::StorageMetrics;
use summaries::SummaryMetrics;
use traces::TraceMetrics;

/// Seconds of HTTP requests. Alerts use the last ones.
const HTTP_BUCKETS: [f64; 13] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0];
/// Seconds of searches and of providers; alerts use 5, 10 and 20.
const SEARCH_BUCKETS: [f64; 13] = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0];

/// The counters and gauges of this process. Updating them is cheap; a scrape does the work.
pub struct Metrics {
    registry: Registry,
    http_requests: Family<HttpLabels, Counter>,
    http_seconds: Histograms<labels::RouteLabels>,
    searches: Family<StatusLabels, Counter>,
    search_seconds: Histogram,
    federation_seconds: Histogram,
    provider_requests: Family<ProviderLabels, Counter>,
    provider_errors: Family<KindLabels, Counter>,
    provider_seconds: Histograms<ProviderLabels>,
    breakers: Family<StateLabels, Gauge>,
    queue_depth: Family<QueueLabels, Gauge>,
    queue_active: Family<QueueLabels, Gauge>,
    pool_max: Family<PoolLabels, Gauge>,
    pool_size: Family<PoolLabels, Gauge>,
    pool_in_use: Family<PoolLabels, Gauge>,
    collection_error: Gauge,
    tasks_requeued: Counter,
    summaries: SummaryMetrics,
    cache: CacheMetrics,
    installation: InstallationMetrics,
    servers: ServerMetrics,
    sign_ins: SignInMetrics,
    backups: BackupMetrics,
    storage: StorageMetrics,
    traces: TraceMetrics,
    providers: Mutex<ProviderNames>,
    hour: Mutex<RollingHour>,
    failures: Mutex<FailureStreaks>,
    /// One scrape at a time: gauges are set for it.
    scraping: Mutex<()>,
}

pub(crate) struct QueueUse {
    pub queue: QueueName,
    pub depth: u64,
    /// Tasks that run.
    pub active: u64,
}

/// Values at the moment of a scrape.
pub(crate) struct Snapshot {
    /// Depth and running tasks of every queue; None if they could not be read.
    pub queues: Option<Vec<QueueUse>>,
    pub pools: Vec<PoolUse>,
    /// Lost tasks that this process requeued.
    pub tasks_requeued: u64,
    pub servers: ServerFigures,
    pub cache: CacheFigures,
    pub license: LicenseReport,
    /// Of the data folder; None if it could not be read.
    pub disk: Option<Disk>,
    /// When the last backup was made; None if none is known.
    pub last_backup: Option<Instant>,
    /// None if it could not be read.
    pub storage: Option<StorageForecast>,
    pub traces: ExportCounts,
}

impl Metrics {
    /// `now` is exported as the start time of the process.
    pub fn new(now: Instant) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            http_requests: Family::default(),
            http_seconds: Family::new_with_constructor(|| Histogram::new(HTTP_BUCKETS)),
            searches: Family::default(),
            search_seconds: Histogram::new(SEARCH_BUCKETS),
            federation_seconds: Histogram::new(SEARCH_BUCKETS),
            provider_requests: Family::default(),
            provider_errors: Family::default(),
            provider_seconds: Family::new_with_constructor(|| Histogram::new(SEARCH_BUCKETS)),
            breakers: Family::default(),
            queue_depth: Family::default(),
            queue_active: Family::default(),
            pool_max: Family::default(),
            pool_size: Family::default(),
            pool_in_use: Family::default(),
            collection_error: Gauge::default(),
            tasks_requeued: Counter::default(),
            summaries: SummaryMetrics::default(),
            cache: CacheMetrics::default(),
            installation: InstallationMetrics::default(),
            servers: ServerMetrics::default(),
            sign_ins: SignInMetrics::default(),
            backups: BackupMetrics::default(),
            storage: StorageMetrics::default(),
            traces: TraceMetrics::default(),
            providers: Mutex::default(),
            hour: Mutex::new(RollingHour::beginning(now)),
            failures: Mutex::default(),
            scraping: Mutex::default(),
        };
        metrics.register_what_happened();
        metrics.register_gauges();
        metrics.summaries.register(&mut metrics.registry);
        metrics.cache.register(&mut metrics.registry);
        metrics.installation.register(&mut metrics.registry);
        metrics.servers.register(&mut metrics.registry);
        metrics.sign_ins.register(&mut metrics.registry);
        metrics.backups.register(&mut metrics.registry);
        metrics.storage.register(&mut metrics.registry);
        metrics.traces.register(&mut metrics.registry);
        metrics.registry.register_collector(Box::new(Process::started(now)));
        metrics
    }

    fn register_what_happened(&mut self) {
        let Self { registry, .. } = self;
        registry.register(
            "tributary_http_requests",
            "HTTP requests by route and status",
            self.http_requests.clone(),
        );
        registry.register_with_unit(
            "tributary_http_request_duration",
            "Time until the response to an HTTP request begins",
            Unit::Seconds,
            self.http_seconds.clone(),
        );
        registry.register("tributary_searches", "Finished runs of searches by status", self.searches.clone());
        registry.register_with_unit(
            "tributary_search_duration",
            "Time from the request for a search until its results are ready",
            Unit::Seconds,
            self.search_seconds.clone(),
        );
        registry.register_with_unit(
            "tributary_federation_duration",
            "Time until all providers of a search have responded or timed out",
            Unit::Seconds,
            self.federation_seconds.clone(),
        );
        registry.register(
            "tributary_provider_requests",
            "Searches that selected the provider",
            self.provider_requests.clone(),
        );
        registry.register(
            "tributary_provider_errors",
            "Searches in which the provider failed, by kind of failure",
            self.provider_errors.clone(),
        );
        registry.register_with_unit(
            "tributary_provider_duration",
            "Time of a provider in a search, without searches in which it was not queried",
            Unit::Seconds,
            self.provider_seconds.clone(),
        );
        registry.register(
            "tributary_tasks_requeued",
            "Lost tasks of accepted work that this process requeued",
            self.tasks_requeued.clone(),
        );
    }

    fn register_gauges(&mut self) {
        let Self { registry, .. } = self;
        let build = Info::new([("version", VERSION)]);
        registry.register("tributary_build", "Version of the program", build);
        let breakers = self.breakers.clone();
        registry.register(
            "tributary_provider_breaker_state",
            "1 for the current state of the circuit breaker",
            breakers,
        );
        let depth = self.queue_depth.clone();
        registry.register("tributary_queue_depth", "Tasks waiting in the queue", depth);
        let active = self.queue_active.clone();
        registry.register("tributary_queue_active_tasks", "Tasks executing in this process", active);
        let max = self.pool_max.clone();
        registry.register(
            "tributary_database_pool_max",
            "Maximum number of connections to the database",
            max,
        );
        let size = self.pool_size.clone();
        registry.register("tributary_database_pool_size", "Open connections to the database", size);
        let used = self.pool_in_use.clone();
        registry.register("tributary_database_pool_in_use", "Connections to the database in use", used);
        let error = self.collection_error.clone();
        registry.register("tributary_metrics_collection_error", "1 if the queues could not be read", error);
    }

    /// All metrics as OpenMetrics text, with the current values and the circuit breaker of each provider.
    pub(crate) fn scrape(
        &self,
        snapshot: &Snapshot,
        breaker: impl Fn(ProviderId) -> Option<&'static str>,
    ) -> Result<String, std::fmt::Error> {
        let _turn = self.scraping.lock().unwrap_or_else(PoisonError::into_inner);
        self.record_queues(snapshot.queues.as_deref());
        self.record_pools(&snapshot.pools);
        self.tasks_requeued.inner().store(snapshot.tasks_requeued, Ordering::Relaxed);
        self.servers.record(&snapshot.servers);
        self.cache.record(&snapshot.cache);
        self.installation.record(&snapshot.license, snapshot.disk);
        self.backups.record(snapshot.last_backup);
        self.storage.record(snapshot.storage.as_ref());
        self.traces.record(snapshot.traces);
        self.record_breakers(breaker);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }

    fn record_queues(&self, queues: Option<&[QueueUse]>) {
        self.collection_error.set(i64::from(queues.is_none()));
        if queues.is_none() {
            self.queue_depth.clear(); // an old value would look current
            self.queue_active.clear();
        }
        for QueueUse { queue, depth, active } in queues.unwrap_or_default() {
            let labels = QueueLabels { queue: queue.as_str() };
            self.queue_depth.get_or_create(&labels).set(whole(*depth));
            self.queue_active.get_or_create(&labels).set(whole(*active));
        }
    }

    fn record_pools(&self, pools: &[PoolUse]) {
        for one in pools {
            let labels = PoolLabels { pool: one.pool };
            self.pool_max.get_or_create(&labels).set(i64::from(one.max));
            self.pool_size.get_or_create(&labels).set(i64::from(one.size));
            self.pool_in_use.get_or_create(&labels).set(i64::from(one.in_use));
        }
    }

    fn record_breakers(&self, breaker: impl Fn(ProviderId) -> Option<&'static str>) {
        self.breakers.clear();
        for (id, provider) in self.provider_names().known() {
            let Some(now) = breaker(id) else { continue };
            for state in federation::HealthState::ALL {
                let gauge =
                    self.breakers.get_or_create_owned(&StateLabels { provider: provider.clone(), state });
                // Providers with the same name share a line: it is 1 if it is true for any of them.
                gauge.set(gauge.get().max(i64::from(state == now)));
            }
        }
    }

    /// Counts a failed sign-in.
    pub(crate) fn sign_in_failed(&self, reason: SignInFailure) {
        self.sign_ins.failed(reason);
    }

    /// The last hour, minute by minute.
    pub(crate) fn hour(&self) -> HourView {
        self.last_hour().view(StdInstant::now())
    }

    /// Those of the providers that are active and need attention. An edit after the last failure may have repaired one.
    pub(crate) fn failing(
        &self,
        providers: &[SearchProvider],
        now: Instant,
    ) -> BTreeMap<ProviderId, Failing> {
        let mut failing = self.failures().failing(StdInstant::now(), now);
        failing.retain(|id, one| {
            let mut known = providers.iter();
            let provider = known.find(|provider| provider.id == *id);
            provider.is_some_and(|found| found.spec.active && one.last >= found.date_updated)
        });
        failing
    }

    /// Forgets the failures of a provider, whose health was reset.
    pub(crate) fn forget_failures(&self, provider: ProviderId) {
        self.failures().reset(provider);
    }

    fn failures(&self) -> std::sync::MutexGuard<'_, FailureStreaks> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_hour(&self) -> std::sync::MutexGuard<'_, RollingHour> {
        self.hour.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn provider_names(&self) -> std::sync::MutexGuard<'_, ProviderNames> {
        self.providers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Metrics {
    fn search_ended(&self, status: SearchStatus, took: Duration) {
        self.searches.get_or_create(&StatusLabels { status: status.as_str() }).inc();
        self.search_seconds.observe(took.as_secs_f64());
        self.last_hour().search_ended(StdInstant::now(), status, took);
    }

    fn federated(&self, took: Duration) {
        self.federation_seconds.observe(took.as_secs_f64());
    }

    fn provider_ended(&self, end: &ProviderEnd<'_>) {
        let ProviderEnd { provider, name, error, took } = *end;
        let provider = self.provider_names().label(provider, name);
        self.last_hour().provider_ended(StdInstant::now(), end);
        self.failures().provider_ended(StdInstant::now(), end);
        let labels = ProviderLabels { provider };
        self.provider_requests.get_or_create(&labels).inc();
        if error != Some(providers::NOT_QUERIED) {
            self.provider_seconds.get_or_create(&labels).observe(took.as_secs_f64());
        }
        if let Some(kind) = error {
            let labels = KindLabels { provider: labels.provider, kind: kind.to_owned() };
            self.provider_errors.get_or_create(&labels).inc();
        }
    }

    fn summary_ended(&self, end: &SummaryEnd<'_>) {
        self.summaries.ended(end);
    }
}
