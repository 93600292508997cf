//! A page with one message and a link.

use super::i18n::t;
use super::page_context::PageContext;
use crate::error::ApiError;
use crate::state::AppState;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;

#[derive(Serialize)]
pub struct Notice<'a> {
    pub title: &'a str,
    pub sentence: &'a str,
    pub href: &'a str,
    pub link: &'a str,
}

pub fn show(
    state: &AppState,
    status: StatusCode,
    context: &PageContext,
    notice: Notice<'_>,
) -> Result<Response, ApiError> {
    state.templates.render_page(status, "notice.html", context, notice)
}

pub fn only_administrators(state: &AppState, context: &PageContext) -> Result<Response, ApiError> {
    let notice = Notice {
        title: t("Administrators only"),
        sentence: t("Only administrators can view this page."),
        href: "/",
        link: t("Go to search"),
    };
    show(state, StatusCode::FORBIDDEN, context, notice)
}
