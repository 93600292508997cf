//! OpenSearch description documents, their URL templates, and feeds.

pub mod description;
pub mod feed;
pub mod template;
