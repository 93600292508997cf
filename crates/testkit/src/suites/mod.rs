//! The contracts as tests: each suite runs for every implementation.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a suite is a test: it fails where a promise is broken"
)]

pub mod store;
