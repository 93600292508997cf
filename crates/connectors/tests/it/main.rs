//! Connectors at work: from a provider record to normalized items, without a network.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod credentials;
mod file_system;
mod graph_ql;
mod house;
mod open_search_description;
mod recorded;
mod relational;
mod requests_get;
mod requests_post;
mod sqlite3;
