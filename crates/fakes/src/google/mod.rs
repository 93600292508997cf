//! Fake Google Workspace: the lists of Drive, Gmail and Calendar, with their parameters and no others.

mod access;
mod calendar;
mod drive;
mod drive_query;
mod gmail;

pub use access::SCOPES;

use super::cloud_state::CloudState;
use super::http_listener::HttpListener;
use axum::Router;
use axum::routing::get;

pub struct Google {
    pub listener: HttpListener,
    pub state: CloudState,
}

impl Google {
    pub async fn start() -> Self {
        let state = CloudState::new(&SCOPES);
        let router = Router::new()
            .route("/drive/v3/files", get(drive::list))
            .route("/gmail/v1/users/me/messages", get(gmail::list))
            .route("/gmail/v1/users/me/messages/{id}", get(gmail::message))
            .route("/calendar/v3/calendars/primary/events", get(calendar::list))
            .with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}
