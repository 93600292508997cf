//! What several connectors need: credentials on a request, answers read and taken apart, statements.

pub mod check;
pub mod database;
pub mod dialect;
pub mod digest;
pub mod dsn;
pub mod file_system;
pub mod graph_ql;
pub mod http_auth;
pub mod http_check;
pub mod http_source;
pub mod json_body;
pub mod kept;
pub mod match_terms;
pub mod mysql_rows;
pub mod open_search;
pub mod page;
pub mod postgres;
pub mod response;
pub mod rows;
pub mod statement;
pub mod vectors;
pub mod xml;
