//! Sent mail is looked through at stand-ins of both mailboxes, with real records, the real gate and the real reading of files.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod finds;
mod house;
mod limits;
mod privacy;
mod trouble;
mod wishes;
