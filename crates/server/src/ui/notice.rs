//! A page that says one thing and leads on.

use super::frame::Frame;
use super::words::t;
use crate::AppState;
use crate::error::ApiError;
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
    frame: &Frame,
    notice: Notice<'_>,
) -> Result<Response, ApiError> {
    state.pages.show(status, "notice.html", frame, notice)
}

pub fn only_administrators(state: &AppState, frame: &Frame) -> Result<Response, ApiError> {
    let notice = Notice {
        title: t("For administrators"),
        sentence: t("Only an administrator may see this page."),
        href: "/",
        link: t("To the search page"),
    };
    show(state, StatusCode::FORBIDDEN, frame, notice)
}
