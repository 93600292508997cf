//! The web pages.
//!
//! | Module | Contents |
//! |---|---|
//! | `assets`, `static_files`, `templates` | the files of `web/`, the template renderer and the headers of every page |
//! | `branding`, `opensearch` | logos and colors of the active branding; the description for search engines of browsers |
//! | `page_context`, `page_context_extractor`, `i18n` | what every page shows, and the languages |
//! | `search` | the search page; without JavaScript a plain list |
//! | `confirm_search` | confirmation of a search that another site started |
//! | `answer`, `chat` | the summary of a search, and the Assistant |
//! | `first_run` | first steps of a new installation |
//! | `history`, `account` | the user's searches, profile, tokens, connections and preferences |
//! | `review`, `egress` | elections among versions, and documents sent outside |
//! | `admin` | the console |
//! | `sign_in`, `session_view`, `oidc`, `notice`, `not_found` | sign-in, and pages with a single message |
//! | `transform_form`, `upload` | upload of query transforms |
//! | `truncate` | texts of limited length |

mod account;
mod admin;
mod answer;
pub mod assets;
mod branding;
mod chat;
mod confirm_search;
mod egress;
mod embedded_files;
mod first_run;
mod history;
mod i18n;
#[cfg(test)]
mod i18n_coverage_tests;
mod not_found;
mod notice;
mod oidc;
mod opensearch;
mod page_context;
mod page_context_extractor;
mod review;
mod search;
mod session_view;
mod sign_in;
mod static_files;
pub mod templates;
mod transform_form;
mod truncate;
mod upload;

pub use confirm_search::confirm_search;
pub use not_found::html_not_found;
pub use page_context::PageContext;
pub use sign_in::local_path;

use crate::state::AppState;
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
        .route("/static/{*path}", get(static_files::serve))
        .route("/branding/logo/{theme}/", get(branding::logo))
        .route("/branding/colours.css", get(branding::colors_css))
        .route("/branding/opensearch.xml", get(opensearch::description))
        .merge(chat::router())
        .merge(search::router())
        .merge(admin::router())
}
