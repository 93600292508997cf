//! Page fetching at work, over the real client and the real readers of files.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod bodies;
mod fixture;
mod origins;
mod pages;
mod probes;
