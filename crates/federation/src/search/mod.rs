//! A search from its request to its stored results. `run.rs` is the table of contents.

pub(crate) mod admission;
mod backlog;
mod create_once;
pub(crate) mod edit_locks;
mod fan_out;
mod finish;
mod lifecycle;
mod limits;
pub(crate) mod log_text;
mod orphans;
mod post_result;
mod pre_query;
pub(crate) mod processor_failure;
pub(crate) mod query_pipeline;
pub(crate) mod rules_cache;
mod run;
mod search_and_wait;
pub(crate) mod select;
mod tasks;
pub(crate) mod transforms;
mod update;

pub use create_once::Creation;
pub use search_and_wait::{RunningSearch, log_start};
pub use select::is_listed;
pub use tasks::{ExpireSearches, RunSearch, RunSubscriptions};
