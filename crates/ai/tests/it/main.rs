//! Every API against a fake of its service, through the guarded client.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where its tools do")]

mod cuts;
mod descriptions;
mod embeddings;
mod failures;
mod fallback;
mod fixture;
mod reasoning;
mod rows;
mod service_account;
mod texts;
