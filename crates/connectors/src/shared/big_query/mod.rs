//! What the REST interface of BigQuery needs: a service account's tokens, and typed rows.

pub mod access;
pub mod rows;
