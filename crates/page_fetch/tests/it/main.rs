//! Page fetching with the real client and the real extraction.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod bodies;
mod fixture;
mod origins;
mod pages;
mod probes;
