//! Parsers for the configuration languages of providers, for queries, and for the texts that sources send.
//!
//! The parsers of configuration run when a provider is saved, so that errors are reported to its author instead of
//! surfacing as missing results. Parsed credentials are [`secret::Secret`], which is why the type is defined here.
//!
//! | Module | Contents |
//! |---|---|
//! | [`query_template`], [`query_filter`], [`query_mappings`] | the request of a provider: its template, and the values for it |
//! | [`response_mappings`], [`result_mappings`], [`json_path`] | the response of a provider and its results |
//! | [`credentials`], [`secret`] | the credentials of a provider; secret texts and their masking |
//! | [`query_string`] | the query of a user: its tokens, structure and tags, and its cleaning |
//! | [`strip_html`], [`highlights`], [`display`] | plain, highlighted and safe texts |
//! | [`dates`] | dates as sources write them |
//! | [`event_stream`] | server-sent events |
//! | [`canonical_url`], [`script_url`] | one form for all URLs of a page; URLs that execute what they contain |
//! | [`network`], [`rate`] | IP networks and rates in settings |
//! | [`error`] | the error of the parsers |
//! | [`suggest`] | suggestions for unknown names |
//! | `date_format` | dates in the interface's format |
//! | `html_tags`, `html_tag_context` | what is a tag of HTML, and which tags are markup |
//! | `split` | splitting outside of brackets |

pub mod canonical_url;
pub mod credentials;
mod date_format;
pub mod dates;
pub mod display;
pub mod error;
pub mod event_stream;
pub mod highlights;
mod html_tag_context;
mod html_tags;
pub mod json_path;
pub mod network;
pub mod query_filter;
pub mod query_mappings;
pub mod query_string;
pub mod query_template;
pub mod rate;
pub mod response_mappings;
pub mod result_mappings;
pub mod script_url;
pub mod secret;
mod split;
pub mod strip_html;
pub mod suggest;
