//! The program: builds the service from its settings, and the commands. The only crate that knows all the others.

pub mod backup;
pub mod cache;
pub mod cache_source;
pub mod cache_wiring;
pub mod command;
pub mod demo;
pub mod docs;
pub mod eval;
pub mod figures;
pub mod given;
pub mod keys;
pub mod license;
pub mod logs;
pub mod ownership;
pub mod ready;
pub mod service;
pub mod service_manager;
pub mod terminal;
pub mod unreadable_records;
pub mod wiring;
mod workers;
