//! Copies of a document at other sources.

use super::result_text::{shortened, web_link};
use super::view_context::ViewContext;
use domain::result::Duplicate;
use serde::Serialize;

/// A copy of the document at another source.
#[derive(Debug, Clone, Serialize)]
pub struct Copy {
    source: String,
    title: String,
    href: Option<String>,
    date: String,
    /// Whether it is in the semantic cache.
    is_cached: bool,
}

impl ViewContext<'_> {
    pub fn copy(&self, copy: &Duplicate) -> Copy {
        Copy {
            source: copy.searchprovider.clone(),
            title: shortened(&copy.title),
            href: web_link(&copy.url),
            date: self.date(&copy.date_published, "").text,
            is_cached: copy.signal_id.is_some(),
        }
    }
}
