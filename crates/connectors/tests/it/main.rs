//! Connectors at work: from a provider record to normalized items, without a network.

mod house;
mod recorded;
mod requests_get;
mod sqlite3;
