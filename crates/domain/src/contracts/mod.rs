//! The central traits. A doc comment here is the contract; `testkit::suites` is its test.

mod catalogues;
mod clock;
mod connector;
mod fetch;
mod mixer;
mod observer;
mod processor;
mod store;
mod task_queue;
mod toolbox;

pub use catalogues::{Catalogues, ReadAnswer};
pub use clock::{Clock, SystemClock};
pub use connector::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, ProviderQuery,
    SourceQuery, SourceResponse,
};
pub use fetch::{Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse, Origin, TlsOptions};
pub use mixer::{Arrangement, Candidate, MixContext, Mixer, MixerKind};
pub use observer::{NoObserver, Observer};
pub use processor::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError, QueryContext,
    QueryProcessor, QueryProcessorKind, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
pub use store::{
    FinishedRun, NewSession, OutboxStore, OutboxTask, Page, PipelineStore, PoolUse, ProviderStore,
    QueryTransformStore, ResultStore, Schedule, ScheduleStore, SearchStore, SessionStore, Store, StoreError,
    TaskOf, TaskStore, TokenStore, UserStore,
};
pub use task_queue::{
    ClaimedTask, NewTask, QueueError, QueueName, TaskError, TaskHandler, TaskQueue, WorkerBeat,
};
pub use toolbox::Toolbox;
