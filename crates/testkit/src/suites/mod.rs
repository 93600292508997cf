//! Test suites for the ports: each runs for every implementation.

pub mod body_store;
pub mod connector;
pub mod message_bus;
pub mod store;
pub mod task_queue;
pub mod vector_store;
