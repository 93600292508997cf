//! Every dialect against a stand-in of its service, through the guarded client and over the wire.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where its tools do")]

mod cuts;
mod descriptions;
mod fallback;
mod fixture;
mod readers;
mod rows;
mod texts;
mod troubles;
