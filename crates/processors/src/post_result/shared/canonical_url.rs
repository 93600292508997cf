//! Canonical form of a URL, equal for two addresses of the same page.

pub use domain::syntax::canonical_url::canonical;
