//! What every page shows: who is signed in, in which language and colours, and which organization runs it.

use super::assets::takes_gzip;
use super::words::{LANGUAGES, Language};
use crate::AppState;
use crate::auth::{Caller, Scheme, masked};
use crate::brand::BrandView;
use crate::error::ApiError;
use crate::paths::Prefix;
use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use axum_extra::extract::cookie::CookieJar;
use domain::contracts::Corpus;
use serde::Serialize;
use std::sync::Arc;

/// The cookies by which a browser remembers how pages should look. Modules write them.
pub const LANGUAGE_COOKIE: &str = "language";
pub const THEME_COOKIE: &str = "theme";

/// In templates: `frame`.
#[derive(Debug, Clone, Serialize)]
pub struct Frame {
    /// Empty when nobody is signed in.
    pub user: String,
    pub is_admin: bool,
    /// Decides which version of a document counts.
    pub is_curator: bool,
    /// The license opens the semantic cache.
    pub has_cache: bool,
    /// None when the caller came without a session; there is nothing to sign out of then. Masked anew for each page.
    pub csrf: Option<String>,
    pub language: Language,
    pub languages: &'static [Language],
    /// `light`, `dark`, or empty: as the system likes it.
    pub theme: &'static str,
    /// Where styles and modules lie.
    pub assets: String,
    /// The API's prefix, such as `/svc`.
    pub api: String,
    /// The page's own path, for links that come back.
    pub path: String,
    pub version: &'static str,
    /// Name, labels, logos and colours.
    pub brand: BrandView,
    /// The browser reads packed pages.
    #[serde(skip)]
    pub takes_gzip: bool,
}

impl FromRequestParts<Arc<AppState>> for Frame {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Self::Rejection> {
        let caller = parts.extensions.get::<Caller>();
        let csrf = caller.and_then(|caller| match &caller.scheme {
            Scheme::Session { csrf, .. } => Some(masked(csrf)),
            Scheme::Basic | Scheme::Bearer | Scheme::Token { .. } => None,
        });
        let jar = CookieJar::from_headers(&parts.headers);
        let chosen = |name: &str| jar.get(name).map(|cookie| cookie.value().to_owned()).unwrap_or_default();
        let accepted = parts.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let language = Language::of_code(&chosen(LANGUAGE_COOKIE))
            .or_else(|| Language::accepted(accepted?))
            .unwrap_or(LANGUAGES[0]);
        Ok(Self {
            user: caller.map(|caller| caller.principal.username.clone()).unwrap_or_default(),
            is_admin: caller.is_some_and(|caller| caller.principal.is_admin),
            is_curator: caller.is_some_and(|caller| caller.principal.may_curate()),
            has_cache: state.corpus.is_open(),
            csrf,
            language,
            languages: LANGUAGES,
            theme: ["light", "dark"].into_iter().find(|theme| *theme == chosen(THEME_COOKIE)).unwrap_or(""),
            assets: state.assets.base(),
            api: parts.extensions.get::<Prefix>().cloned().unwrap_or_default().0,
            path: parts.uri.path().to_owned(),
            version: domain::VERSION,
            brand: state.brand().await.view.clone(),
            takes_gzip: takes_gzip(&parts.headers),
        })
    }
}
