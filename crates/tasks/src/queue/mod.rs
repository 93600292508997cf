//! Queues behind the one contract `TaskQueue`.

mod sql;

pub use sql::SqlQueue;
