//! Queues behind the one contract `TaskQueue`.

mod nats;
mod sql;

pub use nats::{NatsConfig, NatsError, NatsQueue, NatsRelay, OutageQueue};
pub use sql::SqlQueue;
