//! The pages for people.
//!
//! | Module | What lives there |
//! |---|---|
//! | `assets`, `pages` | the files of `web/`, the templates and the headers of every page |
//! | `frame`, `words` | what all pages show, and the languages they speak |
//! | `search` | the search page; without a script a plain list |
//! | `admin` | the console |
//! | `sign_in`, `oidc`, `notice` | the ways in, and pages that say one thing |
//! | `transform_form`, `upload` | the upload of query transforms |

mod admin;
mod assets;
mod frame;
mod notice;
mod oidc;
mod pages;
mod search;
mod sign_in;
mod transform_form;
mod upload;
mod words;

pub use assets::Assets;
pub use pages::Pages;
pub use sign_in::local_path;

use crate::House;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

pub fn router() -> Router<Arc<House>> {
    Router::new()
        .route("/", get(search::search_page))
        .route("/login/", get(sign_in::sign_in_page).post(sign_in::sign_in))
        .route("/logout/", post(sign_in::sign_out))
        .route("/svc/oidc/{name}/login/", get(oidc::login))
        .route("/svc/callback/{name}/", get(oidc::callback))
        .route("/svc/query_transform_form/", get(transform_form::form_page).post(transform_form::upload))
        .route("/static/{*path}", get(assets::serve))
        .merge(admin::router())
}
