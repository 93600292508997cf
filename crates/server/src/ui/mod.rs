//! The pages for people.
//!
//! | Module | What lives there |
//! |---|---|
//! | `assets`, `pages` | the files of `web/`, the templates and the headers of every page |
//! | `branding` | logos and colours of the branding in use |
//! | `frame`, `words` | what all pages show, and the languages they speak |
//! | `search` | the search page; without a script a plain list |
//! | `confirm_search` | asks before a search that another site has begun |
//! | `answer`, `chat`, `prose` | the answer of a search, the Assistant, and what models write |
//! | `history`, `account` | one's own searches, and one's own profile, tokens, connections and wishes |
//! | `review`, `egress` | which version of a document counts, and what one sent outside |
//! | `admin` | the console |
//! | `sign_in`, `oidc`, `notice`, `nowhere` | the ways in, and pages that say one thing |
//! | `transform_form`, `upload` | the upload of query transforms |

mod account;
mod admin;
mod answer;
mod assets;
mod branding;
mod chat;
mod confirm_search;
mod egress;
mod frame;
mod history;
mod notice;
mod nowhere;
mod oidc;
mod pages;
mod prose;
mod review;
mod search;
mod sign_in;
#[cfg(test)]
mod spoken;
mod transform_form;
mod upload;
mod words;

pub use assets::Assets;
pub use confirm_search::confirm_search;
pub use nowhere::say_so;
pub use pages::Pages;
pub use sign_in::local_path;

use crate::AppState;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/history/", get(history::history_page))
        .route("/account/", get(account::account_page))
        .route("/review/", get(review::queue_page))
        .route("/review/{run_id}/", get(review::run_page))
        .route("/egress/", get(egress::egress_page))
        .route("/login/", get(sign_in::sign_in_page).post(sign_in::sign_in))
        .route("/logout/", post(sign_in::sign_out))
        .route("/svc/oidc/{name}/login/", get(oidc::login))
        .route("/svc/callback/{name}/", get(oidc::callback))
        .route("/svc/query_transform_form/", get(transform_form::form_page).post(transform_form::upload))
        .route("/static/{*path}", get(assets::serve))
        .route("/branding/logo/{theme}/", get(branding::logo))
        .route("/branding/colours.css", get(branding::colours))
        .route("/search/{id}/answer/", get(answer::answer_piece))
        .merge(chat::router())
        .merge(search::router())
        .merge(admin::router())
}
