//! Handles the request: parses it, turns it into a template, sends it once.

pub mod body;
pub mod conventions;
pub mod curl;
pub mod provider_name;
pub mod quotes;
pub mod secrets;
pub mod send;
pub mod shell;
pub mod template;
