//! The little languages of configuration, each a pure parser. They are read when a provider is saved,
//! so that a mistake is an answer to its author and not silence at query time.

pub mod canonical_url;
pub mod clean;
pub mod credentials;
pub mod dates;
pub mod display;
pub mod json_path;
pub mod marks;
pub mod markup;
pub mod network;
pub mod query_mappings;
pub mod query_string;
pub mod query_template;
pub mod rate;
pub mod response_mappings;
pub mod result_mappings;
mod scan;
