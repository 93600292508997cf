//! The contracts as tests: each suite runs for every implementation.

pub mod store;
pub mod task_queue;
