//! Answers over a real store, with models and pages that do as they are told.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod at_once;
mod cancel;
mod chat;
mod faults;
mod fixture;
mod made;
mod models;
