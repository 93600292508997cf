//! A search from its request to its stored results. `run.rs` is the table of contents.

pub(crate) mod admission;
mod backlog;
mod create_once;
pub(crate) mod edit_locks;
pub(crate) mod ended_runs;
mod fan_out;
mod finish;
pub(crate) mod lifecycle;
pub(crate) mod log_text;
pub(crate) mod merge;
mod orphans;
mod poller;
pub(crate) mod post_processor;
mod pre_query;
pub(crate) mod processor_failure;
pub(crate) mod query_pipeline;
pub(crate) mod rules_cache;
mod run;
pub(crate) mod runner;
pub(crate) mod running_search;
pub(crate) mod selector;
pub(crate) mod starting_runs;
mod starting_searches;
mod tasks;
pub(crate) mod transform_loader;
pub(crate) mod waiter;

pub use create_once::Creation;
pub use ended_runs::EndedSearch;
pub use lifecycle::SearchLifecycle;
pub use runner::SearchRunner;
pub use running_search::{RunningSearch, log_start};
pub use selector::{ProviderSelector, is_listed};
pub use tasks::{ExpireSearches, RunSearch, RunSubscriptions};
pub use transform_loader::TransformLoader;
pub use waiter::SearchWaiter;
