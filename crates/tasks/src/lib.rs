//! Durable task queue, workers, and the scheduler of periodic tasks.

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
