//! The clockwork: the durable queue, the workers that serve it, and the scheduler of periodic work.

pub mod queue;
mod reconciler;
mod registry;
mod running_slots;
mod scheduler;
mod slots;
mod worker;

pub use reconciler::ReconcileTasks;
pub use registry::Registry;
pub use scheduler::Scheduler;
pub use worker::{Worker, WorkerConfig};
