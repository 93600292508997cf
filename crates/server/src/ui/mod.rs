//! The pages for people: the search page, the sign-in page, the form for query transforms. Rendered here, no
//! script needed.

mod oidc;
mod pages;
mod search;
mod sign_in;
mod transform_form;
mod upload;

pub use pages::Pages;
pub use sign_in::local_path;

use crate::House;
use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use std::sync::Arc;

const STYLE: &str = include_str!("../../../../web/static/tributary.css");
const ICON: &str = include_str!("../../../../web/static/tributary.svg");
const KEPT: &str = "public, max-age=3600";

pub fn router() -> Router<Arc<House>> {
    Router::new()
        .route("/", get(search::search_page))
        .route("/login/", get(sign_in::sign_in_page).post(sign_in::sign_in))
        .route("/logout/", post(sign_in::sign_out))
        .route("/svc/oidc/{name}/login/", get(oidc::login))
        .route("/svc/callback/{name}/", get(oidc::callback))
        .route("/svc/query_transform_form/", get(transform_form::form_page).post(transform_form::upload))
        .route("/static/tributary.css", get(async || file("text/css; charset=utf-8", STYLE)))
        .route("/static/tributary.svg", get(async || file("image/svg+xml", ICON)))
}

fn file(content_type: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, KEPT)], text)
}
