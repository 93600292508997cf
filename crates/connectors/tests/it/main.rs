//! Connector tests: from a provider record to normalized items, without a network.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod cloud;
mod corpus;
mod credentials;
mod descriptions;
mod file_system;
mod fixture;
mod gen_ai;
mod graphql;
mod made_up;
mod mcp_tool;
mod missing;
mod mongodb;
mod mssql;
mod opensearch_description;
mod queries;
mod quoted_queries;
mod relational;
mod remote_sql;
mod requests_get;
mod requests_post;
mod search_engines;
mod sqlite3;
mod vector_scores;
mod vector_stores;
