//! A response of rows that are already in memory.

use domain::ports::{NormalizedPage, SourceResponse};
use serde_json::Value;

/// Rows, and the number of all matches.
#[derive(Debug, Clone)]
pub struct FoundRows {
    pub found: u64,
    pub rows: Vec<Value>,
}

impl SourceResponse for FoundRows {}

impl FoundRows {
    /// The rows are the items.
    pub fn into_page(self) -> NormalizedPage {
        let Self { found, rows } = self;
        NormalizedPage { found: Some(found), retrieved: Some(rows.len() as u64), items: rows }
    }
}
