//! The queue on every backend, the worker and the scheduler.

mod clock_jumps;
mod fixture;
mod nats;
mod nats_cluster;
mod nats_local_start;
mod nats_lost;
mod nats_outage;
mod queue;
mod scheduler;
mod worker;
