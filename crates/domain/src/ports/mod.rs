//! Ports: the traits that other crates implement. `testkit::suites` tests every adapter against the doc comments here.

mod activity_store;
mod ai_store;
mod audit_store;
mod authenticator_store;
mod body_store;
mod branding_store;
mod canonical_store;
mod cause;
mod clock;
mod connector;
mod connector_error;
mod corpus;
mod egress_store;
mod embedding_models;
mod extract;
mod fetch;
mod generative_models;
mod health_store;
mod idempotency_store;
mod message_bus;
mod mixer;
mod oauth;
mod observer;
mod outbox_store;
mod plugin_context;
mod plugin_registry;
mod port_error;
mod preference_store;
mod processor;
mod provider_store;
mod query_advisor;
mod query_transform_store;
mod rate_limit_store;
mod read_pages;
mod reconcile_store;
mod result_store;
mod schedule_store;
mod search_record_store;
mod search_run_store;
mod search_store;
mod send_mail;
mod signal_store;
mod source_request;
mod source_tokens;
mod storage_store;
mod store;
mod store_error;
mod task_queue;
mod task_store;
mod unavailable;
mod user_store;
mod vector_store;
mod version_store;
mod worker_metrics;

pub use activity_store::ActivityStore;
pub use ai_store::{
    AiProviderEdits, AiProviderStore, ChatEdits, ChatStore, PromptEdits, PromptStore, SeedStore, SummaryStore,
};
pub use audit_store::{AuditStore, AuditedRecords};
pub use authenticator_store::{AuthenticatorEdits, AuthenticatorStore, ConnectionStore, IdentityStore};
pub use body_store::{BodyError, BodyKey, BodyStore};
pub use branding_store::{BrandingEdits, BrandingStore};
pub use canonical_store::{
    CanonicalCounts, CanonicalStore, ExistingPin, PinFilter, PinOutcome, RunFilter, RunOutcome, WriteMode,
};
pub use cause::{Cause, chain, chain_with_lines};
pub use clock::{Clock, SystemClock};
pub use connector::{
    Capability, Connector, ConnectorKind, FetchedResponse, NormalizedPage, PreparedRequest, ProviderQuery,
    ResultOrigin, TestTarget, TypedConnector,
};
pub use connector_error::{ConnectorError, ConnectorErrorKind};
pub use corpus::{Corpus, CorpusError, CorpusErrorKind, CorpusHit, CorpusQuery, CorpusResults, VersionQuery};
pub use egress_store::{AddedEvents, EgressCounts, EgressStore, EventFilter, ScanEnd, ScanOutcome};
pub use embedding_models::{EmbeddingError, EmbeddingInput, EmbeddingModels};
pub use extract::{ExtractError, ExtractText, ExtractedText, FileToRead};
pub use fetch::{
    AddressResolver, BodyMemory, BodyReservation, ByteOrigin, Fetch, FetchError, HttpMethod, HttpRequest,
    HttpResponse, HttpStream, Origin, TlsOptions,
};
pub use generative_models::{
    Completion, CompletionChunk, GenerativeModels, ModelError, ModelErrorKind, ModelRequest, Prompt,
    ToolCall, ToolDefinition, Turn,
};
pub use health_store::{HealthStore, PoolUse, WorkFigures};
pub use idempotency_store::IdempotencyStore;
pub use message_bus::{MESSAGE_BYTES_MAX, MessageBus, MessageBusError, MessageBusErrorKind};
pub use mixer::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};
pub use oauth::{
    AuthorizationCallback, FlowOutcome, FlowStart, OAuth, OAuthError, ServiceError, ServiceErrorKind,
    TokenUse,
};
pub use observer::{ModelUse, NoObserver, Observer, ProviderEnd, SummaryEnd};
pub use outbox_store::{DeliveredTask, OutboxHead, OutboxStore, OutboxTask, SentTask, TaskKey};
pub use plugin_context::{OwnDatabase, PluginContext};
pub use plugin_registry::{PluginRegistry, ReadAnswer};
pub use port_error::PortError;
pub use preference_store::{PreferenceEdits, PreferenceStore};
pub use processor::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
    ProcessorErrorKind, QueryContext, QueryProcessor, QueryProcessorKind, ResultBatch, ResultContext,
    ResultProcessor, ResultProcessorKind, RunStage,
};
pub use provider_store::{ProviderEdits, ProviderStore};
pub use query_advisor::{QueryAdvisor, QueryEvidence};
pub use query_transform_store::{PipelineEdits, PipelineStore, QueryTransformEdits, QueryTransformStore};
pub use rate_limit_store::RateLimitStore;
pub use read_pages::{DocumentRequest, PageError, PageProbe, PageText, ReadPages};
pub use reconcile_store::{
    AcceptedWork, OrphanedWork, ReconcileStore, TaskState, UnfinishedSearch, UnfinishedTask,
};
pub use result_store::{ResultEdits, ResultStore};
pub use schedule_store::{Schedule, ScheduleEdits, ScheduleStore};
pub use search_record_store::{SearchCounts, SearchRecordStore, SearchRecords};
pub use search_run_store::SearchRunStore;
pub use search_store::{FinishedRun, SearchEdits, SearchStore, StartedSearch, StoredRun};
pub use send_mail::{MailError, MailErrorKind, OutgoingMail, SendMail};
pub use signal_store::{
    CorpusChange, CorpusCounts, Placement, Retrieval, SignalFilter, SignalJoin, SignalStore,
};
pub use source_request::{RequestDescription, SourceRequest, SourceResponse};
pub use source_tokens::{SourceTokenError, SourceTokens};
pub use storage_store::StorageStore;
pub use store::Store;
pub use store_error::{Page, StoreError};
pub use task_queue::{
    ClaimedTask, Heartbeat, NewLease, NewTask, NoSlot, QueueError, QueueName, REQUEST_ID, ReservedSlot,
    RunningSlot, SlotOffer, TaskError, TaskErrorKind, TaskHandler, TaskQueue, WorkerSlots,
};
pub use task_store::{TaskStore, WaitingOwners};
pub use unavailable::Unavailable;
pub use user_store::{NewSession, Session, SessionStore, TokenStore, UserEdits, UserStore};
pub use vector_store::{
    ChunkVector, SignalVectors, SparseVector, VectorError, VectorHit, VectorQuery, VectorState, VectorStore,
};
pub use version_store::{AuditedEdits, EditableRecord, FIRST_VERSION, RecordEdits, VersionStore};
pub use worker_metrics::WorkerMetrics;
