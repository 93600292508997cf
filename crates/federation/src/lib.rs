//! Runs searches: one query to many providers, their results mixed into one list. Knows ports only, never a plug-in.
//!
//! | Module | What it does |
//! |---|---|
//! | `search` | a search from its request to its stored results; start with `search/run.rs` |
//! | `provider` | the steps of one provider: query, fetch, results; the provider probe |
//! | `provider_health` | circuit breaker, rate limiter and single flight per provider |
//! | `progress` | progress events of running searches, in this process and others |
//! | `results` | stored results to a mixed page: access checks, filters, facets, mixers |
//! | `timings` | times of the last searches, step by step |

mod cpu_pool;
mod deadline;
mod error;
mod federation;
mod federation_store;
mod notice_now;
mod progress;
mod provider;
mod provider_health;
mod response_memory;
mod results;
mod search;
mod timings;

pub use cpu_pool::CpuPool;
pub use error::FederationError;
pub use federation::{Federation, FederationDeps};
pub use federation_store::FederationStore;
pub use progress::{ProgressHub, SearchEvent};
pub use provider::ProviderProber;
pub use provider_health::HealthState;
pub use results::{
    DateFilter, DateFilterError, MixRequest, ResultFilter, ResultMixer, ResultReader, VersionElector,
    split_authors,
};
pub use search::{
    ALERTS_WAITING_MAX, Creation, EndedSearch, ExpireSearches, ProviderSelector, RunSearch, RunSubscriptions,
    RunningSearch, SearchLifecycle, SearchRunner, SearchWaiter, SendAlert, SendAlertMail, TransformLoader,
    is_listed, log_start,
};
pub use timings::{
    ExportCounts, ProviderTiming, RUNS_MAX, RunRecord, SearchTiming, SearchTimings, Step, StepName, TimeSpan,
    TimingsView,
};
