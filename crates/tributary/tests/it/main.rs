//! One test binary for the whole house, so that linking is paid once.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod architecture;
mod browser;
mod deadline;
mod demo;
mod door;
mod house;
mod pages;
mod program;
mod restart;
mod routes;
mod ssrf;
