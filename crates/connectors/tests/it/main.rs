//! Connectors at work: from a provider record to normalized items, without a network.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod credentials;
mod house;
mod recorded;
mod requests_get;
mod requests_post;
mod sqlite3;
