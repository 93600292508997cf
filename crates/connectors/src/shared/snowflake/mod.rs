//! Helpers for the Snowflake SQL API: account address, tokens and typed results.

pub mod access;
pub mod account;
pub mod result;
