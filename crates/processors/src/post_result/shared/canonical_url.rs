//! The form of a URL in which two addresses of the same page are equal.

pub use domain::notation::canonical_url::canonical;
