//! Helpers for the BigQuery REST API: service account tokens and typed rows.

pub mod access;
pub mod rows;
