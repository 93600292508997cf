//! Mailboxes with sent mail: Outlook by Microsoft Graph and Gmail, as far as reading sent messages goes. Each knows the
//! parameters of its service and no others, gives pages, and makes trouble at the request that a test names.

mod gmail;
mod guest;
mod mailbox;
mod outlook;

pub use mailbox::{Mailbox, Trouble};

use super::stand::Stand;
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::str::FromStr;

/// The token that a mailbox takes at first.
pub const MAIL_TOKEN: &str = "mail-token-4c1a";

/// One sent message.
#[derive(Clone, Default)]
pub struct Letter {
    pub from: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    pub subject: String,
    /// A page.
    pub html: String,
    /// Names, media types and contents.
    pub files: Vec<(String, String, Bytes)>,
}

/// A mailbox as a service on loopback.
pub struct Post {
    stand: Stand,
    pub mailbox: Mailbox,
    paths: Paths,
}

/// How the requests of a service are known.
struct Paths {
    /// Below it everything lies.
    base: &'static str,
    /// A part of every address at which the text of a message is read.
    text: &'static str,
    /// A part of every address at which a file of a message is read.
    file: &'static str,
}

impl Post {
    /// The first letter is the newest; each is an hour older than the one before.
    pub async fn outlook(letters: Vec<Letter>, newest: DateTime<Utc>) -> Self {
        Self::start(outlook::router(), outlook::PATHS, Mailbox::new(letters, newest)).await
    }

    /// The same in Gmail.
    pub async fn gmail(letters: Vec<Letter>, newest: DateTime<Utc>) -> Self {
        Self::start(gmail::router(), gmail::PATHS, Mailbox::new(letters, newest)).await
    }

    async fn start(router: Router<Mailbox>, paths: Paths, mailbox: Mailbox) -> Self {
        let router = Router::new().nest(paths.base, router).with_state(mailbox.clone());
        Self { stand: Stand::start(router).await, mailbox, paths }
    }

    /// For `SVC_EGRESS_OUTLOOK_URL` or `SVC_EGRESS_GMAIL_URL`.
    pub fn url(&self) -> String {
        self.stand.at(self.paths.base)
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

/// The bounds that terms such as `after:7` name. None: one of them is not known.
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
