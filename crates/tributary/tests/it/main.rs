//! One test binary for the whole house, so that linking is paid once.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod alerts;
mod architecture;
mod backup;
mod browser;
mod canaries;
mod clock_jumps;
mod cluster;
mod concurrency;
mod control;
mod deadline;
mod demo;
mod deployment;
mod doctor;
mod door;
mod eval;
mod explained;
mod house;
mod logs;
mod many_sources;
mod pages;
mod program;
mod provider_requests;
mod ready_sources;
mod resilience;
mod restart;
mod rolling;
mod routes;
mod ssrf;
mod storage_faults;
mod subscriptions;
mod throttles;
