//! Stand-ins for sources that cannot be started here, written from their public descriptions. Each refuses what
//! the original refuses: wrong credentials, paths, methods and fields, pages that are too large.

pub mod bigquery;
pub mod boolean_query;
pub mod box_storage;
pub mod callers;
pub mod chroma;
pub mod cloud_desk;
pub mod desk;
pub mod dropbox;
pub mod elastic;
pub mod google;
pub mod graph;
pub mod graph_ql;
pub mod keys;
pub mod library;
pub mod likeness;
mod lucene;
pub mod mcp;
pub mod meilisearch;
pub mod milvus;
pub mod models;
pub mod mongo;
pub mod mssql;
pub mod open_search;
pub mod ords;
pub mod pinecone;
pub mod qdrant;
pub mod river_table;
mod seal;
pub mod shelf;
pub mod snowflake;
pub mod solr;
pub mod stand;
pub mod tika;
pub mod typesense;
pub mod vespa;
pub mod weaviate;
