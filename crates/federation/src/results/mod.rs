//! Stored results to a mixed response page: access checks, preferences, filters, facets, mixers; and elections of
//! document versions.

mod attributes;
mod elector;
mod facets;
mod filter;
mod first_results;
mod links;
mod mix_request;
mod mixer;
mod page;
mod preferences;
mod provider_share;
mod query_advice;
mod reader;
mod search_log;
mod source_order;
mod star_threshold;

pub use attributes::split_authors;
pub use elector::VersionElector;
pub use filter::{DateFilter, DateFilterError, ResultFilter};
pub use mix_request::MixRequest;
pub use mixer::ResultMixer;
pub use reader::ResultReader;
