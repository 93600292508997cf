//! Queues behind the one contract `TaskQueue`.

#[cfg(feature = "nats")]
mod nats;
mod sql;

#[cfg(feature = "nats")]
pub use nats::{NatsConfig, NatsError, NatsQueue, NatsRelay, OutageQueue};
pub use sql::SqlQueue;
