//! Code shared by several connectors.

pub mod bigquery;
pub mod boolean_language;
pub mod check;
pub mod connection_pool;
pub mod database;
pub mod delegated_api;
pub mod dialect;
pub mod digest;
pub mod driver;
pub mod dsn;
pub mod file_system;
#[cfg(test)]
pub mod fixtures;
pub mod found_item;
pub mod found_rows;
pub mod google;
pub mod graphql;
pub mod http_auth;
pub mod http_check;
pub mod http_source;
pub mod json_body;
pub mod match_terms;
pub mod mcp;
pub mod microsoft_graph;
#[cfg(feature = "mongodb")]
pub mod mongo;
#[cfg(feature = "mysql")]
pub mod mysql_rows;
#[cfg(any(test, not(all(feature = "mongodb", feature = "mssql", feature = "mysql"))))]
pub mod not_built;
pub mod opensearch_description;
pub mod own_data;
pub mod page;
pub mod postgres;
pub mod remote_sql;
mod reported_error;
pub mod response;
pub mod rows;
pub mod search_engine;
pub mod snowflake;
pub mod sqlite_file;
pub mod statement;
#[cfg(feature = "mssql")]
pub mod tds;
#[cfg(feature = "mssql")]
pub mod tls_verifier;
pub mod vector_store;
pub mod vectors;
pub mod xml;
