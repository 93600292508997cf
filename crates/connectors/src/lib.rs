//! Connectors: one module per kind of provider, and their catalogue.
//!
//! Before adding one, check whether `RequestsGet` with mappings is enough: then a provider record will do and no code
//! is needed.

mod bigquery;
mod box_storage;
mod chroma;
mod corpus;
mod dropbox;
mod elastic;
mod file_system;
mod gen_ai;
mod gmail;
mod google_calendar;
mod google_drive;
mod graphql;
mod m365_onedrive;
mod m365_outlook_calendar;
mod m365_outlook_messages;
mod m365_sharepoint_sites;
mod mcp_tool;
mod meilisearch;
mod microsoft_teams;
mod milvus;
mod mongodb;
mod mssql;
mod mysql;
mod opensearch;
mod opensearch_description;
mod oracle;
mod pgvector;
mod pinecone;
mod postgresql;
mod qdrant;
mod requests_get;
mod requests_post;
mod shared;
mod snowflake;
mod sqlite3;
mod typesense;
mod vespa;
mod weaviate;

// Parsers of responses and configuration are public so that they can be fuzzed.
pub use shared::response::read_answer;
pub use shared::{digest, json_body};

/// Parsers used outside this crate only by fuzz targets.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::shared::dsn;
    pub use crate::shared::mcp::response::Reply as McpReply;
    #[cfg(feature = "mssql")]
    pub use crate::shared::tds::{in_memory::read_rows as read_tds_rows, prelogin};
}

use domain::ports::ConnectorKind;

/// All connectors, in the order of the manual.
pub const CATALOGUE: &[ConnectorKind] = &[
    requests_get::KIND,
    requests_post::KIND,
    sqlite3::KIND,
    postgresql::KIND,
    mysql::KIND,
    mssql::KIND,
    mongodb::KIND,
    oracle::KIND,
    snowflake::KIND,
    bigquery::KIND,
    pgvector::KIND,
    qdrant::KIND,
    pinecone::KIND,
    milvus::KIND,
    weaviate::KIND,
    chroma::KIND,
    elastic::KIND,
    opensearch::KIND,
    meilisearch::KIND,
    typesense::KIND,
    vespa::KIND,
    m365_outlook_messages::KIND,
    m365_outlook_calendar::KIND,
    m365_onedrive::KIND,
    m365_sharepoint_sites::KIND,
    microsoft_teams::KIND,
    google_drive::KIND,
    gmail::KIND,
    google_calendar::KIND,
    box_storage::KIND,
    dropbox::KIND,
    file_system::KIND,
    gen_ai::KIND,
    graphql::KIND,
    opensearch_description::KIND,
    mcp_tool::KIND,
    corpus::KIND,
];
