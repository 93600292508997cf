//! Builds the service from its settings: store, queue, outbound client and plug-ins.

use crate::corpus::build::{self as corpus_build, CacheDeps};
use crate::logs::LogFile;
use crate::secret_files;
use crate::trace_export::TraceExport;
use ai::{AiEmbeddingModels, AiGenerativeModels, ModelProbe};
use anyhow::Context;
use corpus::canonical::ExpireRuns;
use corpus::{CachedPageReader, CheckLiveness, IngestDocument, ScanSentMail, SemanticCache, SweepBodies};
use domain::audit::Author;
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    AcceptedWork, AuditStore, AuditedRecords, Clock, ExtractText, Fetch, MessageBus, PipelineStore,
    PluginContext, PluginRegistry, ReadPages, SystemClock, TaskQueue,
};
use domain::secret::Secret;
pub use domain::settings::DATABASE_FILE;
use domain::settings::{EffectiveSetting, LoadedSettings, PluginSettings, Settings};
use extraction::{Extraction, Limits, WithTika};
use federation::{ExpireSearches, Federation, FederationDeps, RunSearch, RunSubscriptions, SendAlert};
use license::LicensePolicy;
use mcp::{Mcp, McpDeps};
use outbound::{AllowRule, Authenticators, ClientLimits, GuardedClient};
use page_fetch::{PageFetch, PageFetchParts};
use processors::query_advisor::BuiltInAdvisor;
use provider_doctor::Doctor;
use rag::{RagDeps, Summaries};
use server::{AnswerPing, AppState, InstanceInfo, LogFolder, Metrics};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tasks::{ReconcileTasks, Registry, Scheduler, WorkerGauges};

/// All bundled plug-ins.
pub const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: connectors::CATALOGUE,
    query_processors: processors::query::CATALOGUE,
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: connectors::read_answer,
};

/// The assembled service.
pub struct App {
    pub settings: Arc<Settings>,
    pub data_dir: PathBuf,
    pub store: Arc<SqlStore>,
    pub queue: Arc<dyn TaskQueue>,
    /// For workers that only run while the broker is unreachable; `None` without a broker.
    pub outage_queue: Option<Arc<dyn TaskQueue>>,
    /// `None` if processes share only an SQLite file.
    pub relay: Option<Arc<dyn MessageBus>>,
    pub clock: Arc<dyn Clock>,
    /// What the license currently allows.
    pub license: LicensePolicy,
    pub federation: Arc<Federation>,
    pub corpus: Arc<SemanticCache>,
    /// AI summaries and chats.
    pub summaries: Arc<Summaries>,
    /// The MCP server.
    pub mcp: Arc<Mcp>,
    /// Identity providers for sign-in and for users' tokens.
    pub authenticators: Arc<Authenticators>,
    pub state: Arc<AppState>,
    /// The handler of each task.
    pub registry: Registry,
    /// Gauges of this process's workers.
    pub worker_gauges: Arc<WorkerGauges>,
    /// Export of traces, if a collector is configured.
    pub trace_export: Option<TraceExport>,
}

impl App {
    /// Opens the database, runs its migrations and builds all components. Starts nothing.
    pub async fn build(settings: impl Into<LoadedSettings>, readers: FileReaders) -> anyhow::Result<Self> {
        let LoadedSettings { settings, effective, .. } = settings.into();
        let (data_dir, settings) = (data_folder(&settings)?, Arc::new(settings));
        let sql = Arc::new(open_store(&settings, &data_dir).await?);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let worker_gauges = Arc::new(WorkerGauges::default());
        let Queues { queue, outage_queue, relay } =
            task_queue(&settings, &sql, &clock, &worker_gauges).await?;
        let license = crate::license_monitor::open(&settings, &data_dir, &clock, &*sql).await?;
        let mut context = context(&settings, Arc::clone(&clock), readers)?;
        let (metrics, model_probe) =
            (Arc::new(Metrics::new(clock.now())), Arc::new(models(&mut context, &sql)));
        let authenticators = authenticators(&sql, &context, &settings);
        let pages = page_fetch(&context, &authenticators);
        let corpus = Arc::new(corpus_build::build(CacheDeps {
            sql: &sql,
            queue: &queue,
            context: &context,
            settings: &settings,
            pages: &pages,
            tokens: authenticators.clone(),
            license: &license,
            data_dir: &data_dir,
        })?);
        context.corpus = corpus.clone();
        let access = UserAccess { tokens: authenticators.clone(), pages: Arc::clone(&pages) };
        let federation = federation(&sql, &queue, &context, &settings, access, &metrics);
        let mail = crate::alert_mail::task(&settings, &context.resolver, &federation)?;
        let trace_export = TraceExport::of(&settings, &context.fetch, &federation.timings)?;
        let doctor = Doctor::new(context.clone(), PLUGINS.read_answer, federation.cpu.clone());
        let rag = rag_deps(&sql, &federation, context, &settings, PageReaders::new(pages, &corpus), &metrics);
        let (summaries, mcp) = summaries_and_mcp(&sql, rag, &corpus);
        let state = Arc::new(AppState::new(server::AppDeps {
            store: sql.clone(),
            queue: Arc::clone(&queue),
            federation: Arc::clone(&federation),
            doctor,
            summaries: Arc::clone(&summaries),
            mcp: Arc::clone(&mcp),
            corpus: Arc::clone(&corpus),
            model_probe,
            oauth: authenticators.clone(),
            plugins: PLUGINS,
            clock: Arc::clone(&clock),
            settings: Arc::clone(&settings),
            metrics,
            worker_metrics: worker_gauges.clone(),
            instance_info: instance_info(effective, &data_dir)?,
        }));
        ensure_records(&sql, &*clock).await?;
        Ok(Self {
            registry: registry(&sql, &queue, &clock, &worker_gauges, &federation, &corpus).register(mail),
            settings,
            data_dir,
            store: sql,
            queue,
            outage_queue,
            relay,
            clock,
            license,
            federation,
            corpus,
            summaries,
            mcp,
            authenticators,
            state,
            worker_gauges,
            trace_export,
        })
    }

    /// The reconciler, which finds accepted work that has lost its task.
    pub fn reconciler(&self) -> ReconcileTasks {
        reconciler(&self.queue, &self.clock, &self.worker_gauges, &self.federation, &self.corpus)
    }

    /// The scheduler, after storing the default schedules.
    pub async fn scheduler(&self) -> anyhow::Result<Scheduler> {
        let scheduler = Scheduler::new(self.store.clone(), Arc::clone(&self.queue), Arc::clone(&self.clock));
        scheduler.ensure(ExpireSearches::NAME, self.settings.expire_every.0).await?;
        scheduler.ensure(RunSubscriptions::NAME, self.settings.subscribe_every.0).await?;
        scheduler.ensure(SweepBodies::NAME, SweepBodies::EVERY).await?;
        scheduler.ensure(ExpireRuns::NAME, ExpireRuns::EVERY).await?;
        scheduler.ensure(ReconcileTasks::NAME, ReconcileTasks::EVERY).await?;
        Ok(scheduler)
    }

    /// The store for changes by a command, which are recorded in the audit log.
    pub fn by_command(&self) -> Arc<dyn AuditedRecords> {
        self.store.on_behalf_of(Author::command_line(self.clock.now()))
    }

    pub fn is_embedded(&self) -> bool {
        self.settings.database_url.is_empty()
    }
}

/// Opens the store with the limits from the settings.
async fn open_store(settings: &Settings, data_dir: &Path) -> anyhow::Result<SqlStore> {
    let config = store_config(settings, data_dir)?;
    Ok(SqlStore::open_within(config, settings.database_statement_timeout.0).await?)
}

/// Creates the records that every installation has.
async fn ensure_records(sql: &SqlStore, clock: &dyn Clock) -> anyhow::Result<()> {
    sql.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, clock.now()).await?;
    ai::ensure_records(sql, clock.now()).await?;
    Ok(())
}

fn data_folder(settings: &Settings) -> anyhow::Result<PathBuf> {
    let folder = PathBuf::from(&settings.data_dir);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("the data folder {} cannot be created", folder.display()))?;
    Ok(folder)
}

fn authenticators(sql: &Arc<SqlStore>, context: &PluginContext, settings: &Settings) -> Arc<Authenticators> {
    Arc::new(Authenticators::new(
        sql.clone(),
        Arc::clone(&context.fetch),
        Arc::clone(&context.clock),
        settings.oidc_api_audience.clone(),
    ))
}

/// What a search reads on behalf of a user: tokens, and the pages behind results.
struct UserAccess {
    tokens: Arc<Authenticators>,
    pages: Arc<dyn ReadPages>,
}

fn federation(
    sql: &Arc<SqlStore>,
    queue: &Arc<dyn TaskQueue>,
    context: &PluginContext,
    settings: &Arc<Settings>,
    UserAccess { tokens, pages }: UserAccess,
    metrics: &Arc<Metrics>,
) -> Arc<Federation> {
    Arc::new(Federation::new(FederationDeps {
        store: sql.clone(),
        queue: Arc::clone(queue),
        plugins: PLUGINS,
        context: context.clone(),
        settings: Arc::clone(settings),
        tokens,
        pages,
        observer: metrics.clone(),
    }))
}

/// Facts about this installation for the API and the console.
fn instance_info(settings: Vec<EffectiveSetting>, data_dir: &Path) -> anyhow::Result<InstanceInfo> {
    Ok(InstanceInfo {
        ready_sources: crate::bundled_providers::all()?,
        settings,
        logs: LogFolder {
            folder: crate::logs::folder(data_dir),
            names: LogFile::all().map(LogFile::file_name).collect(),
        },
    })
}

fn store_config(settings: &Settings, data_dir: &Path) -> anyhow::Result<StoreConfig> {
    Ok(StoreConfig {
        url: database_url(settings, data_dir)?,
        pool_max: settings.database_pool_max,
        key: secret_files::seal_key(settings, data_dir)?,
    })
}

/// The reader of the documents behind results.
fn page_fetch(context: &PluginContext, authenticators: &Arc<Authenticators>) -> Arc<dyn ReadPages> {
    Arc::new(PageFetch::new(PageFetchParts {
        fetch: Arc::clone(&context.fetch),
        extract: Arc::clone(&context.extract),
        tokens: authenticators.clone(),
        plugins: PLUGINS,
        settings: Arc::clone(&context.settings),
    }))
}

/// The readers of the documents behind results.
struct PageReaders {
    /// Reads the cache first.
    cached: Arc<dyn ReadPages>,
    live: Arc<dyn ReadPages>,
}

impl PageReaders {
    fn new(live: Arc<dyn ReadPages>, corpus: &Arc<SemanticCache>) -> Self {
        Self { cached: Arc::new(CachedPageReader::new(Arc::clone(&live), Arc::clone(corpus))), live }
    }
}

fn rag_deps(
    sql: &Arc<SqlStore>,
    federation: &Arc<Federation>,
    context: PluginContext,
    settings: &Arc<Settings>,
    pages: PageReaders,
    metrics: &Arc<Metrics>,
) -> RagDeps {
    RagDeps {
        store: sql.clone(),
        federation: Arc::clone(federation),
        context,
        settings: Arc::clone(settings),
        pages: pages.cached,
        live_pages: pages.live,
        observer: metrics.clone(),
        second_reader: crate::second_reader::open(settings, &federation.cpu),
    }
}

/// AI summaries and chats, and the MCP server on top of them.
fn summaries_and_mcp(
    sql: &Arc<SqlStore>,
    parts: RagDeps,
    corpus: &Arc<SemanticCache>,
) -> (Arc<Summaries>, Arc<Mcp>) {
    let summaries = Arc::new(Summaries::new(parts.clone()));
    let RagDeps { federation, context, settings, pages, .. } = parts;
    let mcp = Arc::new(Mcp::new(McpDeps {
        store: sql.clone(),
        federation,
        summaries: Arc::clone(&summaries),
        corpus: Arc::clone(corpus),
        pages,
        plugins: PLUGINS,
        clock: context.clock,
        settings,
    }));
    (summaries, mcp)
}

/// The handler of each task.
fn registry(
    sql: &Arc<SqlStore>,
    queue: &Arc<dyn TaskQueue>,
    clock: &Arc<dyn Clock>,
    worker_gauges: &Arc<WorkerGauges>,
    federation: &Arc<Federation>,
    corpus: &Arc<SemanticCache>,
) -> Registry {
    Registry::default()
        .register(Arc::new(AnswerPing { store: sql.clone(), clock: Arc::clone(clock) }))
        .register(Arc::new(RunSearch(Arc::clone(federation))))
        .register(Arc::new(RunSubscriptions(Arc::clone(federation))))
        .register(Arc::new(SendAlert(Arc::clone(federation))))
        .register(Arc::new(ExpireSearches(Arc::clone(federation))))
        .register(Arc::new(IngestDocument(Arc::clone(corpus))))
        .register(Arc::new(CheckLiveness(Arc::clone(corpus))))
        .register(Arc::new(SweepBodies(Arc::clone(corpus))))
        .register(Arc::new(ExpireRuns(Arc::clone(corpus))))
        .register(Arc::new(ScanSentMail(Arc::clone(corpus))))
        .register(Arc::new(reconciler(queue, clock, worker_gauges, federation, corpus)))
}

/// The reconciler over every kind of work that is accepted with a record of its own.
fn reconciler(
    queue: &Arc<dyn TaskQueue>,
    clock: &Arc<dyn Clock>,
    worker_gauges: &Arc<WorkerGauges>,
    federation: &Arc<Federation>,
    corpus: &Arc<SemanticCache>,
) -> ReconcileTasks {
    let kinds: Vec<Arc<dyn AcceptedWork>> =
        vec![Arc::new(RunSearch(Arc::clone(federation))), Arc::new(ScanSentMail(Arc::clone(corpus)))];
    ReconcileTasks::new(kinds, Arc::clone(queue), Arc::clone(clock), Arc::clone(worker_gauges))
}

struct Queues {
    queue: Arc<dyn TaskQueue>,
    outage_queue: Option<Arc<dyn TaskQueue>>,
    relay: Option<Arc<dyn MessageBus>>,
}

/// The task queue (the database, or NATS with the database as its outbox) and the message bus between processes.
async fn task_queue(
    settings: &Settings,
    sql: &Arc<SqlStore>,
    clock: &Arc<dyn Clock>,
    worker_gauges: &Arc<WorkerGauges>,
) -> anyhow::Result<Queues> {
    if settings.queue_url.is_empty() {
        let relay = sql.message_bus().map(|bus| Arc::new(bus) as Arc<dyn MessageBus>);
        let queue = Arc::new(SqlQueue::new(sql.clone(), Arc::clone(clock)));
        return Ok(Queues { queue, outage_queue: None, relay });
    }
    nats_queues(settings, sql, clock, worker_gauges).await
}

#[cfg(feature = "nats")]
async fn nats_queues(
    settings: &Settings,
    sql: &Arc<SqlStore>,
    clock: &Arc<dyn Clock>,
    worker_gauges: &Arc<WorkerGauges>,
) -> anyhow::Result<Queues> {
    use tasks::queue::{NatsConfig, NatsQueue, OutageQueue};
    let config = NatsConfig::new(settings.queue_url.clone(), settings.task_lease.0);
    let queue = NatsQueue::open(config, sql.clone(), Arc::clone(clock)).await.context("SVC_QUEUE_URL")?;
    let queue = Arc::new(queue.counted_in(worker_gauges));
    let outage_queue: Arc<dyn TaskQueue> = Arc::new(OutageQueue::new(Arc::clone(&queue)));
    let relay: Arc<dyn MessageBus> = Arc::new(queue.message_bus());
    Ok(Queues { queue, outage_queue: Some(outage_queue), relay: Some(relay) })
}

#[cfg(not(feature = "nats"))]
async fn nats_queues(
    _: &Settings,
    _: &Arc<SqlStore>,
    _: &Arc<dyn Clock>,
    _: &Arc<WorkerGauges>,
) -> anyhow::Result<Queues> {
    anyhow::bail!(
        "SVC_QUEUE_URL names a NATS server, but this program was built without NATS. Use a released program, build \
         with --features nats, or leave SVC_QUEUE_URL empty to use the database as the queue."
    )
}

/// The plug-in context, without anything that needs the database.
pub fn context(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    readers: FileReaders,
) -> anyhow::Result<PluginContext> {
    let client = Arc::new(GuardedClient::new(client_limits(settings)?)?);
    let fetch: Arc<dyn Fetch> = client.clone();
    let extract = extraction(settings, Arc::clone(&fetch), readers)?;
    let mut context = PluginContext::new(fetch, clock, Arc::new(PluginSettings::from(settings)));
    if let Some(database) = store::own_database(&settings.database_url) {
        context.own_database = Arc::new(database);
    }
    let query_advisor = Arc::new(BuiltInAdvisor::new(Arc::clone(&context.settings)));
    Ok(PluginContext { resolver: client, extract, query_advisor, ..context })
}

/// Adds the models of the AI providers to the plug-in context and returns their connection test.
fn models(context: &mut PluginContext, sql: &Arc<SqlStore>) -> ModelProbe {
    let (fetch, clock, settings) = (&context.fetch, &context.clock, &context.settings);
    let generative_models = Arc::new(AiGenerativeModels::new(
        sql.clone(),
        Arc::clone(fetch),
        Arc::clone(clock),
        Arc::clone(settings),
    ));
    let embedding_models = Arc::new(AiEmbeddingModels::new(
        sql.clone(),
        Arc::clone(fetch),
        Arc::clone(clock),
        Arc::clone(settings),
    ));
    context.generative_models = generative_models.clone();
    context.embedding_models = embedding_models.clone();
    ModelProbe::new(generative_models, embedding_models)
}

/// Where the text of files is extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReaders {
    /// In threads of this process. For tests: their program is not this one.
    Threads,
    /// In child processes of this program, for files that could exceed limits.
    ChildProcesses,
}

/// The path of this program. On Linux it stays valid after the file on disk is replaced.
fn program_path() -> Option<PathBuf> {
    if !cfg!(unix) {
        return None;
    }
    let itself = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && itself.exists() { Some(itself) } else { std::env::current_exe().ok() }
}

/// Text extraction: built in, plus a Tika server for other file types if one is configured.
fn extraction(
    settings: &Settings,
    fetch: Arc<dyn Fetch>,
    readers: FileReaders,
) -> anyhow::Result<Arc<dyn ExtractText>> {
    let mut own = Extraction::start(Limits::default()).context("cannot start the text extraction threads")?;
    if readers == FileReaders::ChildProcesses
        && let Some(program) = program_path()
    {
        own = own.with_subprocess(program);
    }
    let own = Arc::new(own);
    if settings.tika_url.trim().is_empty() {
        return Ok(own);
    }
    let with = WithTika::new(own, fetch, &settings.tika_url, Limits::default()).context("SVC_TIKA_URL")?;
    Ok(Arc::new(with))
}

/// The database URL: as configured, or an SQLite file in the data folder.
pub fn database_url(settings: &Settings, data_dir: &Path) -> anyhow::Result<Secret> {
    if !settings.database_url.is_empty() {
        return Ok(settings.database_url.clone());
    }
    let path = data_dir.join(DATABASE_FILE);
    let path = path.to_str().context("the path of the data folder is not valid UTF-8")?;
    Ok(Secret::new(format!("sqlite://{path}")))
}

pub(crate) fn client_limits(settings: &Settings) -> anyhow::Result<ClientLimits> {
    let allow = AllowRule::parse_all(&settings.outbound_allow)
        .map_err(|error| anyhow::anyhow!("SVC_OUTBOUND_ALLOW: {error}"))?;
    Ok(ClientLimits {
        connect: settings.search_http_connect_timeout.0,
        read: settings.search_http_read_timeout.0,
        body_bytes_max: u64::from(settings.outbound_body_max_mb) * 1024 * 1024,
        redirects_max: settings.outbound_redirects_max as usize,
        allow,
    })
}
