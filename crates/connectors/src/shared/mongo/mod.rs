//! Helpers for the MongoDB connector: target, clients, filter templates and values.

pub mod clients;
pub mod target;
pub mod template;
pub mod terms;
pub mod values;
