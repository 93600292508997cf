//! GraphQL over HTTP: what goes into a question, and what an answer says.

pub mod answer;
pub mod variables;
