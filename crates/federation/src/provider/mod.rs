//! The steps of one provider: query, fetch, results; and the provider probe.

mod errors;
mod factory;
mod fetch;
mod prober;
mod provider_run;
mod query;
mod result_set;
mod results;
mod run;
mod user_token;

pub use prober::ProviderProber;

pub(crate) use factory::{ProviderRunFactory, ProviderRunInput};
pub(crate) use provider_run::ProviderRun;
pub(crate) use result_set::ResultSetTemplate;
pub(crate) use run::past_deadline;
