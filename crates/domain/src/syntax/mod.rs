//! Parsers for the configuration languages. They run when a provider is saved, so that errors are reported to its
//! author instead of surfacing as missing results.

pub mod canonical_url;
pub mod credentials;
pub mod dates;
pub mod display;
pub mod highlights;
pub mod json_path;
pub mod network;
pub mod normalize;
pub mod query_mappings;
pub mod query_string;
pub mod query_template;
pub mod rate;
pub mod response_mappings;
pub mod result_mappings;
mod split;
pub mod strip_html;
