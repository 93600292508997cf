//! Reads the context of a page from its request.

use super::assets::takes_gzip;
use super::page_context::PageContext;
use crate::auth::{Caller, Scheme, masked};
use crate::error::ApiError;
use crate::normalize_path::Prefix;
use crate::state::AppState;
use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use axum_extra::extract::cookie::CookieJar;
use domain::ports::Corpus;
use std::sync::Arc;

/// Cookies with the chosen language and theme, written by JavaScript.
const LANGUAGE_COOKIE: &str = "language";
const THEME_COOKIE: &str = "theme";
/// Whether summaries are folded, `open` or `folded`; written by JavaScript.
const ANSWER_COOKIE: &str = "answer";

impl FromRequestParts<Arc<AppState>> for PageContext {
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
        let languages = state.templates.languages()?;
        let language = languages
            .of_tag(&chosen(LANGUAGE_COOKIE))
            .or_else(|| languages.accepted(accepted?))
            .unwrap_or_else(|| languages.english());
        Ok(Self {
            user: caller.map(|caller| caller.principal.username.clone()).unwrap_or_default(),
            is_admin: caller.is_some_and(|caller| caller.principal.is_admin),
            is_curator: caller.is_some_and(|caller| caller.principal.may_curate()),
            has_cache: state.corpus.is_open(),
            csrf,
            language,
            languages,
            theme: ["light", "dark"].into_iter().find(|theme| *theme == chosen(THEME_COOKIE)).unwrap_or(""),
            opens_answers: chosen(ANSWER_COOKIE) == "open",
            assets: state.assets.base(),
            api: parts.extensions.get::<Prefix>().cloned().unwrap_or_default().0,
            path: parts.uri.path().to_owned(),
            version: domain::VERSION,
            brand: state.brand().await.view.clone(),
            takes_gzip: takes_gzip(&parts.headers),
        })
    }
}
