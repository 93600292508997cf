//! The steps of one provider: query, fetch, results; and the provider probe.

mod errors;
mod fetch;
mod probe;
mod query;
mod result_set;
mod results;
mod run;
mod user_token;

pub use user_token::authenticator_of;

pub(crate) use result_set::ResultSetTemplate;
pub(crate) use run::ProviderRun;
