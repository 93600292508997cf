//! Page context: user, language, theme and branding, available to every template.

use super::i18n::{Language, Languages};
use crate::branding_cache::BrandView;
use serde::Serialize;
use std::sync::Arc;

/// In templates: `context`.
#[derive(Debug, Clone, Serialize)]
pub struct PageContext {
    /// Empty when nobody is signed in.
    pub user: String,
    pub is_admin: bool,
    /// Whether the user may decide elections.
    pub is_curator: bool,
    /// Whether the license includes the semantic cache.
    pub has_cache: bool,
    /// None without a session. Masked anew for each page.
    pub csrf: Option<String>,
    pub language: Arc<Language>,
    pub languages: Languages,
    /// `light`, `dark`, or empty to follow the system.
    pub theme: &'static str,
    /// Whether summaries are shown in full, not folded.
    pub opens_answers: bool,
    /// Base path of styles and scripts.
    pub assets: String,
    /// The API's prefix, such as `/svc`.
    pub api: String,
    /// The path of the page, for links that return to it.
    pub path: String,
    pub version: &'static str,
    /// Name, labels, logos and colors.
    pub brand: BrandView,
    /// Whether the browser accepts gzip.
    #[serde(skip)]
    pub takes_gzip: bool,
}
