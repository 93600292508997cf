//! Canonical form of a URL, equal for two addresses of the same page.

pub use syntax::canonical_url::{canonical, canonical_form};
