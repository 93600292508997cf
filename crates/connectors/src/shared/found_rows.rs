//! A response of rows that are already in memory.

use domain::ports::{ConnectorError, NormalizedPage, SourceResponse};
use serde_json::Value;

/// Rows, and the number of all matches.
#[derive(Debug, Clone)]
pub struct FoundRows {
    pub found: u64,
    pub rows: Vec<Value>,
    /// Why other rows are missing, if some are.
    pub missing: Option<ConnectorError>,
}

impl SourceResponse for FoundRows {}

/// Rows of a source that does not count them.
#[derive(Debug, Clone)]
pub struct ListedRows {
    pub rows: Vec<Value>,
    /// Why other rows are missing, if some are.
    pub missing: Option<ConnectorError>,
}

impl SourceResponse for ListedRows {}

impl ListedRows {
    /// The rows as items, or what `result` makes of them.
    pub fn into_page(self, result: Option<fn(&Value) -> Value>) -> NormalizedPage {
        let Self { rows, missing } = self;
        let items: Vec<Value> = match result {
            Some(result) => rows.iter().map(result).collect(),
            None => rows,
        };
        NormalizedPage { found: None, retrieved: Some(items.len() as u64), items, missing }
    }
}

impl FoundRows {
    /// The rows are the items.
    pub fn into_page(self) -> NormalizedPage {
        let Self { found, rows, missing } = self;
        NormalizedPage { found: Some(found), retrieved: Some(rows.len() as u64), items: rows, missing }
    }
}
