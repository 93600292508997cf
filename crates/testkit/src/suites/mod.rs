//! The contracts as tests: each suite runs for every implementation.

pub mod body_store;
pub mod connector;
pub mod news_relay;
pub mod store;
pub mod task_queue;
pub mod vector_store;
