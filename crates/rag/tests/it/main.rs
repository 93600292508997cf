//! Summaries and chats over a real store, with scripted models and pages.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod better_order;
mod cancel;
mod chat;
mod concurrency;
mod faults;
mod fixture;
mod models;
mod summaries;
