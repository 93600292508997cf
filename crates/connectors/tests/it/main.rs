//! Connectors at work: from a provider record to normalized items, without a network.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod house;
mod recorded;
mod requests_get;
mod sqlite3;
