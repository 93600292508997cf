//! Connectors: one file for each kind of source, and the catalogue of them.
//!
//! Before adding one, ask whether `RequestsGet` with mappings would do: then it is a provider
//! record and no code at all.

mod big_query;
mod box_storage;
mod chroma;
mod dropbox;
mod elastic;
mod file_system;
mod gen_ai;
mod gmail;
mod google_calendar;
mod google_drive;
mod graph_ql;
mod m365one_drive;
mod m365outlook_calendar;
mod m365outlook_messages;
mod m365share_point_sites;
mod mcp_tool;
mod meilisearch;
mod microsoft_teams;
mod milvus;
mod mongo_db;
mod mssql;
mod my_sql;
mod open_search;
mod open_search_description;
mod oracle;
mod pg_vector;
mod pinecone_db;
mod postgre_sql;
mod qdrant_db;
mod requests_get;
mod requests_post;
mod shared;
mod snowflake;
mod sqlite3;
mod tributary_corpus_connector;
mod typesense;
mod vespa;
mod weaviate;

// The parsers that read what a source or a configuration wrote stand open, so that each can be fuzzed.
pub use shared::response::read_answer;
pub use shared::{digest, json_body};

/// Parsers that only their fuzz targets call from outside.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::shared::dsn;
    pub use crate::shared::mcp::reply::Reply as McpReply;
    #[cfg(feature = "mssql")]
    pub use crate::shared::tds::{in_memory::read_rows as read_tds_rows, prelogin};
}

use domain::contracts::ConnectorKind;

/// Every connector , in the order of the manual.
pub const CATALOGUE: &[ConnectorKind] = &[
    requests_get::KIND,
    requests_post::KIND,
    sqlite3::KIND,
    postgre_sql::KIND,
    my_sql::KIND,
    mssql::KIND,
    mongo_db::KIND,
    oracle::KIND,
    snowflake::KIND,
    big_query::KIND,
    pg_vector::KIND,
    qdrant_db::KIND,
    pinecone_db::KIND,
    milvus::KIND,
    weaviate::KIND,
    chroma::KIND,
    elastic::KIND,
    open_search::KIND,
    meilisearch::KIND,
    typesense::KIND,
    vespa::KIND,
    m365outlook_messages::KIND,
    m365outlook_calendar::KIND,
    m365one_drive::KIND,
    m365share_point_sites::KIND,
    microsoft_teams::KIND,
    google_drive::KIND,
    gmail::KIND,
    google_calendar::KIND,
    box_storage::KIND,
    dropbox::KIND,
    file_system::KIND,
    gen_ai::KIND,
    graph_ql::KIND,
    open_search_description::KIND,
    mcp_tool::KIND,
    tributary_corpus_connector::KIND,
];
