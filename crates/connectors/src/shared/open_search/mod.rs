//! OpenSearch: the document that describes how a site is searched, its address templates, and its feeds.

pub mod description;
pub mod feed;
pub mod template;
