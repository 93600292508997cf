//! Queue on NATS JetStream with the database as outbox: a task is stored with its search, a relay sends it to the
//! stream, and any worker takes it from there. Its record stays until the task has ended, because the stream may be
//! lost. While no server responds, workers claim from the database: see `fallback`. A task that starts in the process that
//! stores it is not sent at all, unless that process dies.

mod address;
mod broker_store;
mod claim;
mod config;
mod connect_error;
mod connection;
mod connection_state;
mod fallback;
mod leases;
mod message;
mod message_bus;
mod outage;
mod outbox_relay;
mod queue;
mod request_error;
mod sent_tasks;
mod stream;
mod task_queue;
mod tasks_in_transit;

pub use address::NatsError;
pub use broker_store::BrokerStore;
pub use config::NatsConfig;
pub use message_bus::NatsMessageBus;
pub use outage::OutageQueue;
pub use queue::NatsQueue;
