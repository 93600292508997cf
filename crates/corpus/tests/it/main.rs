//! The cache with real records, its own vectors and a license of the tests.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod doors;
mod egress;
mod ground;
mod house;
mod inflow;
mod retire;
mod rights;
mod search;
mod versions;
mod web;
