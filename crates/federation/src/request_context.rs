//! Id of the request that causes the current work: searches that it creates or changes carry the id.

pub(crate) use domain::request_context::current_request;
pub use domain::request_context::{step_within_request, within_request};
