//! Headers as text.

use axum::http::{HeaderMap, HeaderName};

/// None if the header is missing or is no text.
pub fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
