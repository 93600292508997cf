//! State shared by all handlers, and its dependencies.

use crate::api::openapi::ApiDocument;
use crate::audit::lockout_audit::LockoutAudit;
use crate::auth::basic::PasswordVerifier;
use crate::auth::scrapers::Scrapers;
use crate::branding_cache::{Brand, BrandingCache};
use crate::instance_info::InstanceInfo;
use crate::mcp::issuers::Issuers;
use crate::metrics::Metrics;
use crate::ping::Pings;
use crate::shutdown::flag::ShutdownFlag;
use crate::throttle::Throttles;
use crate::ui::assets::Assets;
use crate::ui::templates::Templates;
use ai::ModelProbe;
use corpus::SemanticCache;
use domain::ports::{Clock, Corpus, OAuth, PluginRegistry, ResultOrigin, Store, TaskQueue, WorkerMetrics};
use domain::provider::SearchProvider;
use domain::settings::Settings;
use federation::Federation;
use mcp::Mcp;
use provider_doctor::Doctor;
use rag::Summaries;
use std::sync::Arc;

/// Dependencies of [`AppState`].
pub struct AppDeps {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub federation: Arc<Federation>,
    pub doctor: Doctor,
    /// AI summaries and chats.
    pub summaries: Arc<Summaries>,
    /// MCP tools for models.
    pub mcp: Arc<Mcp>,
    /// The semantic cache.
    pub corpus: Arc<SemanticCache>,
    /// Sends test requests to single models.
    pub model_probe: Arc<ModelProbe>,
    /// OAuth and OpenID Connect services.
    pub oauth: Arc<dyn OAuth>,
    pub plugins: PluginRegistry,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
    pub metrics: Arc<Metrics>,
    /// Metrics of this process's workers.
    pub worker_metrics: Arc<dyn WorkerMetrics>,
    /// Information about the program and its installation.
    pub instance_info: InstanceInfo,
}

/// State shared by all handlers: the dependencies and the server's own state in memory.
pub struct AppState {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub federation: Arc<Federation>,
    pub(crate) doctor: Doctor,
    pub summaries: Arc<Summaries>,
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "MCP is not built in"))]
    pub(crate) mcp: Arc<Mcp>,
    pub corpus: Arc<SemanticCache>,
    pub(crate) model_probe: Arc<ModelProbe>,
    pub oauth: Arc<dyn OAuth>,
    pub plugins: PluginRegistry,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) worker_metrics: Arc<dyn WorkerMetrics>,
    pub(crate) instance_info: InstanceInfo,
    pub(crate) pings: Pings,
    pub(crate) basic: PasswordVerifier,
    pub(crate) scrapers: Scrapers,
    pub(crate) throttles: Throttles,
    pub(crate) assets: Arc<Assets>,
    pub(crate) templates: Templates,
    pub(crate) document: ApiDocument,
    pub(crate) shutdown: ShutdownFlag,
    pub(crate) lockouts: LockoutAudit,
    pub(crate) brands: BrandingCache,
    pub(crate) issuers: Issuers,
}

impl AppState {
    /// The state with the OpenAPI document that it serves.
    pub(crate) fn with_document(parts: AppDeps, document: ApiDocument) -> Self {
        let throttles = Throttles::new(&parts.settings);
        let assets = Arc::new(Assets::new(&parts.settings.web_dir));
        let AppDeps {
            store,
            queue,
            federation,
            doctor,
            summaries,
            mcp,
            corpus,
            model_probe,
            oauth,
            plugins,
            clock,
            settings,
            metrics,
            worker_metrics,
            instance_info,
        } = parts;
        Self {
            store,
            queue,
            federation,
            doctor,
            summaries,
            mcp,
            corpus,
            model_probe,
            oauth,
            plugins,
            clock,
            settings,
            metrics,
            worker_metrics,
            instance_info,
            pings: Pings::default(),
            basic: PasswordVerifier::new(),
            scrapers: Scrapers::default(),
            throttles,
            templates: Templates::new(Arc::clone(&assets)),
            assets,
            document,
            shutdown: ShutdownFlag::default(),
            lockouts: LockoutAudit::new(),
            brands: BrandingCache::default(),
            issuers: Issuers::default(),
        }
    }

    /// The active branding, or the default one if it cannot be read.
    pub(crate) async fn brand(&self) -> Arc<Brand> {
        self.brands.load(&*self.store).await
    }

    /// Whether a search may find something there. The cache is empty for everybody while the license does not include it;
    /// pages leave it out then.
    pub(crate) fn can_have_results(&self, provider: &SearchProvider) -> bool {
        self.corpus.is_open() || !self.plugins.is_from(ResultOrigin::Corpus, provider)
    }

    /// Marks this process as not ready and makes every response close its connection. Requests are still served.
    pub fn begin_drain(&self) {
        self.shutdown.begin();
    }
}
