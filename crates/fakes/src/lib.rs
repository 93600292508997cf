//! Fakes of services that cannot be started in tests, written from their public descriptions. Each rejects what the
//! original rejects: wrong credentials, paths, methods and fields, and pages that are too large.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where its fakes do")]

pub mod access_tokens;
pub mod bigquery;
pub mod boolean_query;
pub mod box_storage;
pub mod chroma;
pub mod cloud_documents;
pub mod cloud_state;
pub mod descriptions;
pub mod dropbox;
pub mod elastic;
pub mod engine_documents;
pub mod fake_llm;
pub mod fake_server;
pub mod google;
pub mod graphql;
pub mod http_listener;
pub mod identity_provider;
mod lucene;
pub mod mcp;
pub mod meilisearch;
pub mod microsoft_graph;
pub mod milvus;
pub mod models;
pub mod mongo;
pub mod mssql;
pub mod opensearch_description;
pub mod ords;
pub mod pinecone;
pub mod qdrant;
pub mod river_table;
pub mod sent_mail;
pub mod smtp;
pub mod snowflake;
pub mod solr;
pub mod tika;
mod tls;
pub mod typesense;
pub mod vector_documents;
pub mod vespa;
pub mod weaviate;
