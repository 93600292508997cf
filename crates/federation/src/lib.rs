//! The path of a search. Knows contracts only, never a concrete plug-in.
//!
//! Read `run.rs` first: it is the path, top to bottom. `provider.rs` holds the steps of one provider.

mod admission;
mod answer_memory;
mod backlog;
mod board;
mod conclude;
mod cpu;
mod create_once;
pub mod doctor;
mod elect;
mod events;
mod exchange;
mod federate;
mod followed;
mod log_text;
mod lookout;
mod mix;
mod origin;
mod orphans;
mod post_result;
mod pre_query;
mod provider;
mod provider_test;
mod query_step;
mod request;
mod run;
mod seen;
mod select;
mod sources;
mod tasks;
mod transforms;
mod update;
mod wait;
mod wishes;

pub use create_once::Creation;
pub use events::{SearchEvent, SearchEvents};
pub use mix::{DateFilter, MixRequest, ResultFilter};
pub use origin::within_request;
pub use provider::authenticator_of;
pub use select::is_listed;
pub use sources::SourceState;
pub use tasks::{ExpireSearches, RunSearch, RunSubscriptions, task_of_run};

use answer_memory::AnswerMemory;
use cpu::CpuPool;
use domain::contracts::{
    Observer, PluginContext, PluginRegistry, QueueError, ReadPages, SourceTokens, Store, StoreError,
    TaskQueue,
};
use domain::ids::ProviderId;
use domain::status::SearchStatus;
use domain::validation::FieldErrors;
use sources::Sources;
use std::sync::Arc;
use transforms::RulesKept;

const BYTES_PER_MB: usize = 1024 * 1024;

/// What federation is given.
#[derive(Clone)]
pub struct FederationParts {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub plugins: PluginRegistry,
    pub context: PluginContext,
    /// What people connected to their accounts.
    pub tokens: Arc<dyn SourceTokens>,
    /// Reads the pages of results whose source says little of them.
    pub pages: Arc<dyn ReadPages>,
    /// Hears how searches and providers end.
    pub observer: Arc<dyn Observer>,
}

/// Takes searches, runs them, and mixes what they found.
pub struct Federation {
    store: Arc<dyn Store>,
    queue: Arc<dyn TaskQueue>,
    plugins: PluginRegistry,
    context: PluginContext,
    tokens: Arc<dyn SourceTokens>,
    pages: Arc<dyn ReadPages>,
    events: SearchEvents,
    cpu: CpuPool,
    memory: AnswerMemory,
    sources: Arc<Sources>,
    edits: request::EditTurns,
    admission: admission::Admission,
    rules: RulesKept,
    observer: Arc<dyn Observer>,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum FederationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the request is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("others write the search all the time")]
    Contended,
    #[error("the search has not finished: {}", .0.as_str())]
    NotReady(SearchStatus),
    #[error("{max} of your searches are waiting to start; wait until some of them have finished")]
    TooManyWaiting { max: u64 },
    #[error("{max} searches of all users are waiting to start, the most that may; try again soon")]
    QueueFull { max: u64 },
    #[error(
        "you have {max} searches, the most that are kept for one user, and all are saved, subscribed or still running; \
         delete saved searches that you no longer need, or end subscriptions"
    )]
    TooManyKept { max: u64 },
}

impl FederationError {
    /// The database or the queue is away or full; the same may work later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(error) | Self::Queue(QueueError::Store(error)) => error.is_passing(),
            Self::Queue(QueueError::Unreachable(_)) => true,
            Self::TooManyWaiting { .. } | Self::QueueFull { .. } => true,
            Self::Invalid(_) | Self::Contended | Self::NotReady(_) | Self::TooManyKept { .. } => false,
        }
    }
}

impl Federation {
    pub fn new(parts: FederationParts) -> Self {
        let FederationParts { store, queue, plugins, context, tokens, pages, observer } = parts;
        let memory_max = context.settings.answer_memory_mb as usize;
        Self {
            store,
            queue,
            plugins,
            memory: AnswerMemory::new(memory_max.saturating_mul(BYTES_PER_MB)),
            context,
            tokens,
            pages,
            events: SearchEvents::default(),
            cpu: CpuPool::new(),
            sources: Arc::default(),
            edits: request::EditTurns::default(),
            admission: admission::Admission::default(),
            rules: RulesKept::default(),
            observer,
        }
    }

    /// How the source of a provider stands in this process; None when it was not asked yet.
    pub fn source_state(&self, provider: ProviderId) -> Option<SourceState> {
        self.sources.state(provider)
    }

    /// Forgets failures and rests of a source, so that it is asked again at once.
    pub fn reset_source(&self, provider: ProviderId) {
        self.sources.reset(provider);
    }

    /// What happens to searches that run in this process, and what others tell.
    pub fn events(&self) -> &SearchEvents {
        &self.events
    }
}
