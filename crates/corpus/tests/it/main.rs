//! The cache with real records, in-memory vectors and a test license.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod egress;
mod expire;
mod fixture;
mod ground;
mod ingest;
mod recall;
mod rights;
mod search;
mod user_actions;
mod versions;
mod web;
