//! The clockwork: the durable queue, the workers that serve it, and the scheduler of periodic work.

pub mod queue;
mod registry;
mod scheduler;
mod worker;

pub use registry::Registry;
pub use scheduler::Scheduler;
pub use worker::{Worker, WorkerConfig};
