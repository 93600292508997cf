//! The `tributary` binary: builds the service from its settings and implements the command line. The only crate that
//! depends on all others.

mod alert_mail;
pub mod app;
pub mod backup;
pub mod bundled_providers;
#[cfg(test)]
mod catalog_translation_tests;
pub mod command;
pub mod config;
pub mod corpus;
pub mod demo;
pub mod docs;
pub mod eval;
pub mod figures;
pub mod license_keys;
pub mod license_monitor;
pub mod logs;
pub mod ownership;
mod process;
mod running_service;
pub mod second_reader;
pub mod secret_files;
pub mod service;
pub mod service_manager;
pub mod terminal;
pub mod trace_export;
pub mod unreadable_records;
mod workers;
