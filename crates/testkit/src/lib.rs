//! Shared test tools: a source that misbehaves on demand, a fixed clock, temporary databases and servers, and
//! test suites for the ports.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where its tools do")]

pub mod builders;
pub mod certificate;
pub mod clock;
pub mod hostile;
pub mod injections;
pub mod keys;
pub mod nats;
mod pause;
pub mod plugins;
pub mod postgres;
pub mod postgres_server;
pub mod s3;
mod signal;
mod skip;
pub mod small_disk;
pub mod source;
pub mod suites;
pub mod versions;

pub use signal::{Signal, send_signal};
pub use skip::{given, skip};
