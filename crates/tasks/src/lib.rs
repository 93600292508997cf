//! The clockwork: the durable queue and the workers that serve it.

pub mod queue;
mod registry;
mod worker;

pub use registry::Registry;
pub use worker::{Worker, WorkerConfig};
