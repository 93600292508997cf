//! The cache with real records, its own vectors and a license of the tests.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod egress;
mod fixture;
mod ground;
mod ingest;
mod retire;
mod rights;
mod search;
mod user_actions;
mod versions;
mod web;
