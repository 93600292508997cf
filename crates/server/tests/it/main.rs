//! Tests of the HTTP interface through the router: a store in memory, plug-ins that return immediately, no socket.

#![expect(clippy::expect_used, reason = "a test that cannot set up the service should stop there")]

mod access;
mod app_harness;
mod pages;
mod people;
mod plugins;
mod providers;
mod searches;
