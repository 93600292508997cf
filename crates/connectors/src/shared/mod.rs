//! What several connectors need: credentials on a request, answers read and taken apart, statements.

pub mod check;
pub mod digest;
pub mod http_auth;
pub mod http_check;
pub mod http_source;
pub mod json_body;
pub mod match_terms;
pub mod page;
pub mod response;
pub mod rows;
pub mod statement;
pub mod xml;
