//! Mailboxes with sent mail: Outlook by Microsoft Graph and Gmail, as far as reading sent messages goes. Each knows the
//! parameters of its service and no others, gives pages, and makes trouble at the request that a test names.

mod gmail;
mod outlook;

pub use gmail::GmailPost;
pub use outlook::OutlookPost;

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

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

/// What happens at a request.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// This status, and how many seconds to wait.
    Refuse(u16, Option<u32>),
    /// From here on only this token is taken.
    Token(String),
}

/// Clones share one mailbox.
#[derive(Clone)]
pub struct Mailbox(Arc<Mutex<Inner>>);

pub struct Inner {
    letters: Vec<Letter>,
    newest: DateTime<Utc>,
    token: String,
    requests: usize,
    /// By the number of the request, from 1.
    troubles: BTreeMap<usize, Trouble>,
    /// The paths of all requests, without their parameters.
    paths: Vec<String>,
    is_endless: bool,
}

impl Inner {
    fn sent(&self, number: usize) -> DateTime<Utc> {
        self.newest - TimeDelta::hours(i64::try_from(number).expect("a small number"))
    }
}

impl Mailbox {
    /// The first letter is the newest; each is an hour older than the one before.
    fn new(letters: Vec<Letter>, newest: DateTime<Utc>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            letters,
            newest,
            token: MAIL_TOKEN.to_owned(),
            requests: 0,
            troubles: BTreeMap::new(),
            paths: Vec::new(),
            is_endless: false,
        })))
    }

    pub fn trouble(&self, request: usize, trouble: Trouble) {
        self.lock().troubles.insert(request, trouble);
    }

    pub fn requests(&self) -> usize {
        self.lock().requests
    }

    /// Requests whose path holds this text.
    pub fn asked_for(&self, part: &str) -> usize {
        self.lock().paths.iter().filter(|path| path.contains(part)).count()
    }

    /// From now on there is nothing on any page, and always a next one.
    pub fn make_endless(&self) {
        self.lock().is_endless = true;
    }

    fn is_endless(&self) -> bool {
        self.lock().is_endless
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("a mailbox")
    }

    /// The numbers of the letters and when they were sent.
    fn times(&self) -> Vec<(usize, DateTime<Utc>)> {
        let inner = self.lock();
        (0..inner.letters.len()).map(|number| (number, inner.sent(number))).collect()
    }

    fn letter(&self, number: usize) -> Option<(DateTime<Utc>, Letter)> {
        let inner = self.lock();
        Some((inner.sent(number), inner.letters.get(number)?.clone()))
    }

    /// Lets a request in, or gives the answer that turns it away.
    fn admit(&self, headers: &HeaderMap, path: &str) -> Result<(), Box<Response>> {
        let mut inner = self.lock();
        inner.requests += 1;
        inner.paths.push(path.to_owned());
        let number = inner.requests;
        match inner.troubles.remove(&number) {
            Some(Trouble::Token(token)) => inner.token = token,
            Some(Trouble::Refuse(status, wait)) => {
                let mut answer = status_of(status);
                if let Some(wait) = wait {
                    answer.headers_mut().insert("retry-after", wait.into());
                }
                return Err(Box::new(answer));
            }
            None => {}
        }
        let given = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if given == format!("Bearer {}", inner.token) { Ok(()) } else { Err(Box::new(status_of(401))) }
    }
}

fn status_of(status: u16) -> Response {
    StatusCode::from_u16(status).expect("a status").into_response()
}

fn json(value: &Value) -> Response {
    ([("content-type", "application/json")], value.to_string()).into_response()
}

fn value<'a>(given: &'a [(String, String)], name: &str) -> Option<&'a str> {
    given.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

/// A parameter that is not known.
fn has_unknown(given: &[(String, String)], known: &[&str]) -> bool {
    given.iter().any(|(name, _)| !known.contains(&name.as_str()))
}
