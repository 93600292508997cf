//! Builds the service from its settings: store, queue, outbound client and plug-ins.

use crate::cache_wiring::{self, CacheNeeds};
use crate::keys;
use crate::logs::LogFile;
use ai::{AiWriters, Readers, Trials};
use answers::{Answers, AnswersParts};
use anyhow::Context;
use corpus::canonical::RetireRuns;
use corpus::{CachedPages, CheckLiveness, IngestDocument, ScanSentMail, SemanticCache, SweepBodies};
use domain::audit::Author;
use domain::contracts::{
    AcceptedWork, AuditStore, Clock, ExtractText, Fetch, NewsRelay, PipelineStore, PluginContext,
    PluginRegistry, ReadPages, Store, SystemClock, TaskQueue,
};
use domain::corpus::LicensePolicy;
use domain::installation::{Installation, LogFolder};
use domain::pipeline_record::SYSTEM_DEFAULT;
use domain::secret::Secret;
pub use domain::settings::DATABASE_FILE;
use domain::settings::{ReadSettings, SettingInForce, Settings};
use domain::workload::Workload;
use extraction::{Extraction, Limits, WithTika};
use federation::{ExpireSearches, Federation, FederationParts, RunSearch, RunSubscriptions};
use mcp::{Mcp, McpParts};
use outbound::{AllowRule, Authenticators, ClientLimits, GuardedClient};
use page_fetch::{PageFetch, PageFetchParts};
use server::{AnswerPing, AppState, Metrics};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tasks::{ReconcileTasks, Registry, Scheduler};

/// Every plug-in of the state.
pub const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: connectors::CATALOGUE,
    query_processors: processors::query::CATALOGUE,
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: connectors::read_answer,
};

/// The state, put together.
pub struct Wired {
    pub settings: Arc<Settings>,
    pub data_dir: PathBuf,
    pub store: Arc<SqlStore>,
    pub queue: Arc<dyn TaskQueue>,
    /// For workers that run something only while the broker is away; None without a broker.
    pub outage_queue: Option<Arc<dyn TaskQueue>>,
    /// None for processes that share nothing but a file.
    pub relay: Option<Arc<dyn NewsRelay>>,
    pub clock: Arc<dyn Clock>,
    /// What the license opens now.
    pub license: LicensePolicy,
    pub federation: Arc<Federation>,
    pub corpus: Arc<SemanticCache>,
    /// AI summaries and chats.
    pub answers: Arc<Answers>,
    /// The service as tools for models.
    pub mcp: Arc<Mcp>,
    /// Services that sign people in or give out their tokens.
    pub authenticators: Arc<Authenticators>,
    pub state: Arc<AppState>,
    /// Which task is run by whom.
    pub registry: Registry,
    /// What the workers of this process do.
    pub workload: Arc<Workload>,
}

impl Wired {
    /// Opens the database (its migrations run) and wires everything to it. Starts nothing.
    pub async fn open(given: impl Into<ReadSettings>) -> anyhow::Result<Self> {
        let ReadSettings { settings, in_force, .. } = given.into();
        let data_dir = data_folder(&settings)?;
        let sql = Arc::new(records(&settings, &data_dir).await?);
        let store: Arc<dyn Store> = sql.clone();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let workload = Arc::new(Workload::default());
        let Queues { queue, outage_queue, relay } = task_queue(&settings, &sql, &clock, &workload).await?;
        let settings = Arc::new(settings);
        let license = crate::license::open(&settings, &data_dir, &clock, &*sql).await?;
        let mut context = context(&settings, Arc::clone(&clock))?;
        let (metrics, trials) = (Arc::new(Metrics::new(clock.now())), Arc::new(models(&mut context, &sql)));
        let authenticators = authenticators(&store, &context);
        let pages = page_fetch(&context, &authenticators);
        let corpus = Arc::new(cache_wiring::open(CacheNeeds {
            sql: &sql,
            queue: &queue,
            context: &context,
            pages: &pages,
            tokens: authenticators.clone(),
            license: &license,
            data_dir: &data_dir,
        })?);
        context.corpus = corpus.clone();
        let ways = (authenticators.clone(), Arc::clone(&pages));
        let federation = federation((&store, &queue), &context, ways, &metrics);
        let parts = AnswersParts {
            store: Arc::clone(&store),
            federation: Arc::clone(&federation),
            context,
            pages: Arc::new(CachedPages::new(pages, Arc::clone(&corpus))),
            observer: metrics.clone(),
        };
        let (answers, mcp) = answering(parts, &corpus);
        let state = Arc::new(AppState::new(server::AppDeps {
            store,
            queue: Arc::clone(&queue),
            federation: Arc::clone(&federation),
            answers: Arc::clone(&answers),
            mcp: Arc::clone(&mcp),
            corpus: Arc::clone(&corpus),
            trials,
            oauth: authenticators.clone(),
            plugins: PLUGINS,
            clock: Arc::clone(&clock),
            settings: Arc::clone(&settings),
            metrics,
            workload: Arc::clone(&workload),
            installation: installation(in_force, &data_dir)?,
        }));
        ensure_records(&sql, &*clock).await?;
        Ok(Self {
            registry: registry(&sql, (&queue, &clock, &workload), &federation, &corpus),
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
            answers,
            mcp,
            authenticators,
            state,
            workload,
        })
    }

    /// Finds accepted work that has lost its task.
    pub fn reconciler(&self) -> ReconcileTasks {
        reconciler((&self.queue, &self.clock, &self.workload), &self.federation, &self.corpus)
    }

    /// The scheduler, with the schedules of this version stored.
    pub async fn scheduler(&self) -> anyhow::Result<Scheduler> {
        let store: Arc<dyn Store> = self.store.clone();
        let scheduler = Scheduler::new(store, Arc::clone(&self.queue), Arc::clone(&self.clock));
        scheduler.ensure(ExpireSearches::NAME, self.settings.expire_every.0).await?;
        scheduler.ensure(RunSubscriptions::NAME, self.settings.subscribe_every.0).await?;
        scheduler.ensure(SweepBodies::NAME, SweepBodies::EVERY).await?;
        scheduler.ensure(RetireRuns::NAME, RetireRuns::EVERY).await?;
        scheduler.ensure(ReconcileTasks::NAME, ReconcileTasks::EVERY).await?;
        Ok(scheduler)
    }

    /// The records for changes by a command, which the audit log notes.
    pub fn by_command(&self) -> Arc<dyn Store> {
        self.store.on_behalf_of(Author::command_line(self.clock.now()))
    }

    pub fn is_embedded(&self) -> bool {
        self.settings.database_url.is_empty()
    }
}

/// The store of all records, with the limits of the settings.
async fn records(settings: &Settings, data_dir: &Path) -> anyhow::Result<SqlStore> {
    let config = store_config(settings, data_dir)?;
    Ok(SqlStore::open_within(config, settings.database_statement_timeout.0).await?)
}

/// What every installation has from its first start on.
async fn ensure_records(sql: &SqlStore, clock: &dyn Clock) -> anyhow::Result<()> {
    sql.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, clock.now()).await?;
    ai::ensure_records(sql, clock.now()).await?;
    Ok(())
}

fn data_folder(settings: &Settings) -> anyhow::Result<PathBuf> {
    let folder = PathBuf::from(&settings.data_dir);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("the data folder {} cannot be made", folder.display()))?;
    Ok(folder)
}

fn authenticators(store: &Arc<dyn Store>, context: &PluginContext) -> Arc<Authenticators> {
    Arc::new(Authenticators::new(
        Arc::clone(store),
        Arc::clone(&context.fetch),
        Arc::clone(&context.clock),
        context.settings.oidc_api_audience.clone(),
    ))
}

/// What runs searches. `ways`: people's tokens for sources, and the pages behind results.
fn federation(
    (store, queue): (&Arc<dyn Store>, &Arc<dyn TaskQueue>),
    context: &PluginContext,
    (tokens, pages): (Arc<Authenticators>, Arc<dyn ReadPages>),
    metrics: &Arc<Metrics>,
) -> Arc<Federation> {
    Arc::new(Federation::new(FederationParts {
        store: Arc::clone(store),
        queue: Arc::clone(queue),
        plugins: PLUGINS,
        context: context.clone(),
        tokens,
        pages,
        observer: metrics.clone(),
    }))
}

/// What the doors are told about this program.
fn installation(settings: Vec<SettingInForce>, data_dir: &Path) -> anyhow::Result<Installation> {
    Ok(Installation {
        ready_sources: crate::ready::all()?,
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
        key: keys::seal_key(settings, data_dir)?,
    })
}

/// What reads the documents behind results.
fn page_fetch(context: &PluginContext, authenticators: &Arc<Authenticators>) -> Arc<dyn ReadPages> {
    Arc::new(PageFetch::new(PageFetchParts {
        fetch: Arc::clone(&context.fetch),
        extract: Arc::clone(&context.extract),
        tokens: authenticators.clone(),
        plugins: PLUGINS,
        settings: Arc::clone(&context.settings),
    }))
}

/// What answers from results, and the tools by which models use it.
fn answering(parts: AnswersParts, corpus: &Arc<SemanticCache>) -> (Arc<Answers>, Arc<Mcp>) {
    let answers = Arc::new(Answers::new(parts.clone()));
    let AnswersParts { store, federation, context, pages, .. } = parts;
    let mcp = Arc::new(Mcp::new(McpParts {
        store,
        federation,
        answers: Arc::clone(&answers),
        corpus: Arc::clone(corpus),
        pages,
        plugins: PLUGINS,
        clock: context.clock,
        settings: context.settings,
    }));
    (answers, mcp)
}

/// Which task is run by whom.
fn registry(
    sql: &Arc<SqlStore>,
    (queue, clock, workload): (&Arc<dyn TaskQueue>, &Arc<dyn Clock>, &Arc<Workload>),
    federation: &Arc<Federation>,
    corpus: &Arc<SemanticCache>,
) -> Registry {
    Registry::default()
        .register(Arc::new(AnswerPing { store: sql.clone(), clock: Arc::clone(clock) }))
        .register(Arc::new(RunSearch(Arc::clone(federation))))
        .register(Arc::new(RunSubscriptions(Arc::clone(federation))))
        .register(Arc::new(ExpireSearches(Arc::clone(federation))))
        .register(Arc::new(IngestDocument(Arc::clone(corpus))))
        .register(Arc::new(CheckLiveness(Arc::clone(corpus))))
        .register(Arc::new(SweepBodies(Arc::clone(corpus))))
        .register(Arc::new(RetireRuns(Arc::clone(corpus))))
        .register(Arc::new(ScanSentMail(Arc::clone(corpus))))
        .register(Arc::new(reconciler((queue, clock, workload), federation, corpus)))
}

/// Every kind of work that is accepted with a record of its own.
fn reconciler(
    (queue, clock, workload): (&Arc<dyn TaskQueue>, &Arc<dyn Clock>, &Arc<Workload>),
    federation: &Arc<Federation>,
    corpus: &Arc<SemanticCache>,
) -> ReconcileTasks {
    let kinds: Vec<Arc<dyn AcceptedWork>> =
        vec![Arc::new(RunSearch(Arc::clone(federation))), Arc::new(ScanSentMail(Arc::clone(corpus)))];
    ReconcileTasks::new(kinds, Arc::clone(queue), Arc::clone(clock), Arc::clone(workload))
}

struct Queues {
    queue: Arc<dyn TaskQueue>,
    outage_queue: Option<Arc<dyn TaskQueue>>,
    relay: Option<Arc<dyn NewsRelay>>,
}

/// The database itself, or NATS with the database as its outbox; and what carries news between processes.
async fn task_queue(
    settings: &Settings,
    sql: &Arc<SqlStore>,
    clock: &Arc<dyn Clock>,
    workload: &Arc<Workload>,
) -> anyhow::Result<Queues> {
    let store: Arc<dyn Store> = sql.clone();
    if settings.queue_url.is_empty() {
        let relay = sql.relay().map(|relay| Arc::new(relay) as Arc<dyn NewsRelay>);
        let queue = Arc::new(SqlQueue::new(store, Arc::clone(clock)));
        return Ok(Queues { queue, outage_queue: None, relay });
    }
    nats_queues(settings, store, clock, workload).await
}

#[cfg(feature = "nats")]
async fn nats_queues(
    settings: &Settings,
    store: Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    workload: &Arc<Workload>,
) -> anyhow::Result<Queues> {
    use tasks::queue::{NatsConfig, NatsQueue, OutageQueue};
    let config = NatsConfig::new(settings.queue_url.clone(), settings.task_lease.0);
    let queue = NatsQueue::open(config, store, Arc::clone(clock)).await.context("SVC_QUEUE_URL")?;
    let queue = Arc::new(queue.counted_in(workload));
    let outage_queue: Arc<dyn TaskQueue> = Arc::new(OutageQueue::new(Arc::clone(&queue)));
    let relay: Arc<dyn NewsRelay> = Arc::new(queue.relay());
    Ok(Queues { queue, outage_queue: Some(outage_queue), relay: Some(relay) })
}

#[cfg(not(feature = "nats"))]
async fn nats_queues(
    _: &Settings,
    _: Arc<dyn Store>,
    _: &Arc<dyn Clock>,
    _: &Arc<Workload>,
) -> anyhow::Result<Queues> {
    anyhow::bail!(
        "SVC_QUEUE_URL names a NATS server, and NATS is not built into this program. Use the released program, build it \
         with --features nats, or leave SVC_QUEUE_URL empty: then the database is the queue."
    )
}

/// The tools of plug-ins, for who needs no database.
pub fn context(settings: &Arc<Settings>, clock: Arc<dyn Clock>) -> anyhow::Result<PluginContext> {
    let client = Arc::new(GuardedClient::new(client_limits(settings)?)?);
    let fetch: Arc<dyn Fetch> = client.clone();
    let extract = extraction(settings, Arc::clone(&fetch))?;
    let context = PluginContext::new(fetch, clock, Arc::clone(settings));
    Ok(PluginContext { dial: client, extract, ..context })
}

/// Puts the models into the plug-in context that the records name; what tries one of them by itself.
fn models(context: &mut PluginContext, sql: &Arc<SqlStore>) -> Trials {
    let (fetch, clock, settings) = (&context.fetch, &context.clock, &context.settings);
    let writers =
        Arc::new(AiWriters::new(sql.clone(), Arc::clone(fetch), Arc::clone(clock), Arc::clone(settings)));
    let readers =
        Arc::new(Readers::new(sql.clone(), Arc::clone(fetch), Arc::clone(clock), Arc::clone(settings)));
    context.writers = writers.clone();
    context.readers = readers.clone();
    Trials::new(writers, readers)
}

/// Set once in the life of a process, by the program itself: whoever else uses this crate is no program that could read a
/// file for us.
static FILES_BY_THIS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// From now on files that could take more than their share are read by further processes of this program.
pub fn read_files_by_this_program() {
    FILES_BY_THIS_PROGRAM.store(true, Ordering::Relaxed);
}

/// Where this program is. On Linux it is found even when another version has taken its place on the disk.
fn this_program() -> Option<PathBuf> {
    if !FILES_BY_THIS_PROGRAM.load(Ordering::Relaxed) || !cfg!(unix) {
        return None;
    }
    let itself = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && itself.exists() { Some(itself) } else { std::env::current_exe().ok() }
}

/// The readers of files: our own, and a Tika server for the rest where one is set.
fn extraction(settings: &Settings, fetch: Arc<dyn Fetch>) -> anyhow::Result<Arc<dyn ExtractText>> {
    let mut own = Extraction::start(Limits::default()).context("the threads that read files")?;
    if let Some(program) = this_program() {
        own = own.with_program(program);
    }
    let own = Arc::new(own);
    if settings.tika_url.trim().is_empty() {
        return Ok(own);
    }
    let with = WithTika::new(own, fetch, &settings.tika_url, Limits::default()).context("SVC_TIKA_URL")?;
    Ok(Arc::new(with))
}

/// Where the records are: as set, else an SQLite file in the data folder.
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
