//! Fake mailboxes with sent mail: Outlook by Microsoft Graph and Gmail. Each accepts the parameters of its service and
//! no others, returns pages, and fails at the requests that a test names.

mod gmail;
mod mail_api;
mod mail_request;
mod mailbox;
mod message;
mod outlook;

pub use mailbox::{Fault, MAIL_TOKEN, Mailbox};
pub use message::SentMessage;

use super::http_listener::HttpListener;
use axum::Router;
use chrono::{DateTime, Utc};
use mail_api::Paths;

/// A mailbox as a service on loopback.
pub struct MailServer {
    listener: HttpListener,
    pub mailbox: Mailbox,
    paths: Paths,
}

impl MailServer {
    /// An Outlook mailbox. The first message is the newest; each is an hour older than the one before.
    pub async fn outlook(messages: Vec<SentMessage>, newest: DateTime<Utc>) -> Self {
        Self::start(outlook::router(), outlook::PATHS, Mailbox::new(messages, newest)).await
    }

    /// A Gmail mailbox, with messages as in [`Self::outlook`].
    pub async fn gmail(messages: Vec<SentMessage>, newest: DateTime<Utc>) -> Self {
        Self::start(gmail::router(), gmail::PATHS, Mailbox::new(messages, newest)).await
    }

    async fn start(router: Router<Mailbox>, paths: Paths, mailbox: Mailbox) -> Self {
        let router = Router::new().nest(paths.base, router).with_state(mailbox.clone());
        Self { listener: HttpListener::start(router).await, mailbox, paths }
    }

    /// For `SVC_EGRESS_OUTLOOK_URL` or `SVC_EGRESS_GMAIL_URL`.
    pub fn url(&self) -> String {
        self.listener.at(self.paths.base)
    }

    /// How often the text of a message was read.
    pub fn texts_read(&self) -> usize {
        self.mailbox.asked_for(self.paths.text)
    }

    /// How often a file of a message was read.
    pub fn files_read(&self) -> usize {
        self.mailbox.asked_for(self.paths.file)
    }
}
