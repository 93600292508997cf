//! What people do with the cache: look whether a document is still there, see what is theirs, take it out.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod canonical;
mod documents;
mod freshness;
mod house;
mod pages_of_results;
mod removal;
