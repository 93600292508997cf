//! GraphQL over HTTP: request variables and responses.

pub mod answer;
pub mod variables;
