//! Fake mailboxes with sent mail: Outlook by Microsoft Graph and Gmail. Each accepts the parameters of its service and
//! no others, returns pages, and fails at the requests that a test names.

mod gmail;
mod mail_request;
mod mailbox;
mod outlook;

pub use mailbox::{Fault, Mailbox};

use super::http_listener::HttpListener;
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::str::FromStr;

/// The initial token of a mailbox.
pub const MAIL_TOKEN: &str = "mail-token-4c1a";

/// One sent message.
#[derive(Clone, Default)]
pub struct SentMessage {
    pub from: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    pub subject: String,
    /// The HTML body.
    pub html: String,
    /// Names, media types and contents.
    pub files: Vec<(String, String, Bytes)>,
}

/// A mailbox as a service on loopback.
pub struct MailServer {
    listener: HttpListener,
    pub mailbox: Mailbox,
    paths: Paths,
}

/// The paths of a service.
struct Paths {
    /// The base path.
    base: &'static str,
    /// A part of every path at which the text of a message is read.
    text: &'static str,
    /// A part of every path at which a file of a message is read.
    file: &'static str,
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

fn status_of(status: u16) -> Response {
    StatusCode::from_u16(status).expect("a status").into_response()
}

fn json(value: &Value) -> Response {
    ([("content-type", "application/json")], value.to_string()).into_response()
}

/// A number in an id.
fn number(id: &str, before: &str, after: &str) -> Option<usize> {
    id.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// The bounds in terms such as `after:7`; `None` if a term is unknown.
fn window<'a, T: FromStr>(
    terms: impl Iterator<Item = &'a str>,
    from: &str,
    until: &str,
) -> Option<(Option<T>, Option<T>)> {
    let mut window = (None, None);
    for term in terms {
        let bound = |prefix: &str| term.strip_prefix(prefix).and_then(|text| text.parse().ok());
        match (bound(from), bound(until)) {
            (Some(from), _) => window.0 = Some(from),
            (_, Some(until)) => window.1 = Some(until),
            _ => return None,
        }
    }
    Some(window)
}
