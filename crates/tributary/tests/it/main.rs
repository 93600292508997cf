//! One test binary for the whole house, so that linking is paid once.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod architecture;
mod browser;
mod concurrency;
mod deadline;
mod demo;
mod doctor;
mod door;
mod eval;
mod explained;
mod house;
mod many_sources;
mod pages;
mod program;
mod provider_requests;
mod ready_sources;
mod resilience;
mod restart;
mod routes;
mod ssrf;
mod subscriptions;
