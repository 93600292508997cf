//! The central traits. A doc comment here is the contract; `testkit::suites` is its test.

mod activity;
mod ai_store;
mod audit;
mod authenticators;
mod body_store;
mod brandings;
mod canonical_store;
mod clock;
mod connector;
mod corpus;
mod egress_store;
mod extract;
mod fetch;
mod idempotency_store;
mod list_store;
mod mixer;
mod nothing;
mod oauth;
mod observer;
mod outbox_store;
mod plugin_context;
mod plugin_registry;
mod processor;
mod read_pages;
mod reader_model;
mod reconcile_store;
mod relay;
mod signal_store;
mod source_budget_store;
mod source_tokens;
mod storage_store;
mod store;
mod task_queue;
mod vector_store;
mod version_store;
mod writers;

pub use activity::ActivityStore;
pub use ai_store::{AiProviderStore, AnswerStore, BroughtStore, ChatStore, PromptStore};
pub use audit::AuditStore;
pub use authenticators::{AuthenticatorStore, ConnectionStore, IdentityStore};
pub use body_store::{BodyError, BodyKey, BodyStore};
pub use brandings::BrandingStore;
pub use canonical_store::{CanonicalStore, PinFilter, PinOutcome, RunFilter, RunOutcome};
pub use clock::{Clock, SystemClock};
pub use connector::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, ProviderQuery,
    SourceQuery, SourceResponse, TriedOn,
};
pub use corpus::{Corpus, CorpusAnswer, CorpusError, CorpusHit, CorpusQuestion, VersionsAsked};
pub use egress_store::{EgressCounts, EgressStore, EventFilter, ScanEnd, ScanOutcome};
pub use extract::{ExtractError, ExtractText, ExtractedText, FileToRead};
pub use fetch::{
    BodyMemory, BodyReservation, ByteOrigin, Dial, Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse,
    HttpStream, Origin, TlsOptions,
};
pub use idempotency_store::IdempotencyStore;
pub use list_store::{PreferenceStore, SearchRunStore};
pub use mixer::{Arrangement, Candidate, MixContext, Mixer, MixerKind};
pub use nothing::Nothing;
pub use oauth::{CameBack, FlowOutcome, FlowStart, OAuth, OAuthError, TokenUse};
pub use observer::{AnswerEnd, ModelUse, NoObserver, Observer};
pub use outbox_store::{DeliveredTask, OutboxHead, OutboxStore, OutboxTask, SentTask, TaskKey};
pub use plugin_context::PluginContext;
pub use plugin_registry::{PluginRegistry, ReadAnswer};
pub use processor::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError, QueryContext,
    QueryProcessor, QueryProcessorKind, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
pub use read_pages::{PageError, PageProbe, PageText, PageWanted, ReadPages};
pub use reader_model::{ReadAs, ReaderError, ReaderModels};
pub use reconcile_store::{
    AcceptedWork, OrphanedWork, ReconcileStore, TaskState, UnendedSearch, UnfinishedTask,
};
pub use relay::{LETTER_BYTES_MAX, NewsRelay, RelayError};
pub use signal_store::{CorpusChange, CorpusCounts, Placed, Retrieval, SignalFilter, SignalStore};
pub use source_budget_store::SourceBudgetStore;
pub use source_tokens::{SourceTokenError, SourceTokens};
pub use storage_store::StorageStore;
pub use store::{
    FinishedRun, NewSession, Page, PipelineStore, PoolUse, ProviderStore, QueryTransformStore, ResultStore,
    Schedule, ScheduleStore, SearchStore, SessionStore, Store, StoreError, TaskOf, TaskStore, TokenStore,
    UserStore, WaitingOwners, WorkFigures,
};
pub use task_queue::{
    ClaimedTask, NewTask, NoSlot, QueueError, QueueName, RunningSlot, TaskError, TaskHandler, TaskQueue,
    WorkerBeat, WorkerSlots,
};
pub use vector_store::{
    Asking, ChunkVector, SignalVectors, SparseVector, VectorError, VectorHit, VectorState, VectorStore,
};
pub use version_store::{EditableRecord, FIRST_VERSION, VersionStore};
pub use writers::{
    ModelError, ModelErrorKind, Piece, Prompt, ToolCall, ToolOffer, Turn, WriterWanted, Writers, Writing,
};
