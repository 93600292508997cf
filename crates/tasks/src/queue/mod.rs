//! Queues behind the one contract `TaskQueue`.

mod nats;
mod sql;

pub use nats::{NatsConfig, NatsError, NatsQueue, NatsRelay};
pub use sql::SqlQueue;
