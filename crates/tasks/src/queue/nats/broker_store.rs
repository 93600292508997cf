//! What the queue on NATS stores and reads.

use domain::ports::{OutboxStore, TaskStore};

/// Tasks, and which of them the broker has.
pub trait BrokerStore: OutboxStore + TaskStore {}

impl<T: ?Sized + OutboxStore + TaskStore> BrokerStore for T {}
