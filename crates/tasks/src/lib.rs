//! Durable task queue, workers, and the scheduler of periodic tasks.

mod local_start;
pub mod queue;
mod reconciler;
mod registry;
mod running_slots;
mod scheduler;
mod slots;
mod worker;
mod worker_gauges;

pub use reconciler::ReconcileTasks;
pub use registry::Registry;
pub use scheduler::Scheduler;
pub use worker::{Worker, WorkerConfig};
pub use worker_gauges::WorkerGauges;
