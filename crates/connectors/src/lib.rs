//! Connectors: one file for each kind of source, and the catalogue of them.
//!
//! Before adding one, ask whether `RequestsGet` with mappings would do: then it is a provider
//! record and no code at all.

mod file_system;
mod graph_ql;
mod my_sql;
mod open_search_description;
mod pg_vector;
mod postgre_sql;
mod requests_get;
mod requests_post;
mod shared;
mod sqlite3;

// The parsers that read what a source or a configuration wrote stand open, so that each can be fuzzed.
pub use shared::response::read_answer;
pub use shared::{digest, json_body};

use domain::contracts::ConnectorKind;

/// Every connector of the house, in the order of the manual.
pub const CATALOGUE: &[ConnectorKind] = &[
    requests_get::KIND,
    requests_post::KIND,
    sqlite3::KIND,
    postgre_sql::KIND,
    my_sql::KIND,
    pg_vector::KIND,
    file_system::KIND,
    graph_ql::KIND,
    open_search_description::KIND,
];
