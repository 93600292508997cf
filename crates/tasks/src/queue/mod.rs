//! Implementations of the port `TaskQueue`.

#[cfg(feature = "nats")]
mod nats;
mod sql;

#[cfg(feature = "nats")]
pub use nats::{BrokerStore, NatsConfig, NatsError, NatsMessageBus, NatsQueue, OutageQueue};
pub use sql::SqlQueue;
