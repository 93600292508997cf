//! The cache with real records, its own vectors and a license of the tests.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod house;
mod inflow;
mod retire;
mod rights;
mod search;
mod versions;
