//! Page fetching at work, over the real gate and the real readers of files.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod bodies;
mod house;
mod origins;
mod pages;
mod probes;
