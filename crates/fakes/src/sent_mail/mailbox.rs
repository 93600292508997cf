//! A mailbox: its messages, its access token, and the faults of its requests.

use super::message::SentMessage;
use axum::http::StatusCode;
use axum::http::request::Parts;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The initial token of a mailbox.
pub const MAIL_TOKEN: &str = "mail-token-4c1a";

/// A fault at a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// This status, and how many seconds to wait.
    Refuse(u16, Option<u32>),
    /// From here on only this token is accepted.
    Token(String),
}

/// A rejection: a status, and how many seconds to wait.
pub(super) type Refusal = (StatusCode, Option<u32>);

/// Clones share one mailbox.
#[derive(Clone)]
pub struct Mailbox(Arc<Mutex<Inner>>);

struct Inner {
    messages: Vec<SentMessage>,
    newest: DateTime<Utc>,
    token: String,
    /// By the number of the request, from 1.
    faults: BTreeMap<usize, Fault>,
    /// The paths of all requests, with their parameters.
    asked: Vec<String>,
    is_endless: bool,
}

impl Inner {
    fn sent(&self, number: usize) -> DateTime<Utc> {
        self.newest - TimeDelta::hours(i64::try_from(number).expect("a small number"))
    }
}

impl Mailbox {
    pub(super) fn new(messages: Vec<SentMessage>, newest: DateTime<Utc>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            messages,
            newest,
            token: MAIL_TOKEN.to_owned(),
            faults: BTreeMap::new(),
            asked: Vec::new(),
            is_endless: false,
        })))
    }

    pub fn fail_request(&self, request: usize, fault: Fault) {
        self.lock().faults.insert(request, fault);
    }

    pub fn requests(&self) -> usize {
        self.lock().asked.len()
    }

    /// Requests whose address contains this text.
    pub(super) fn asked_for(&self, part: &str) -> usize {
        self.lock().asked.iter().filter(|address| address.contains(part)).count()
    }

    /// Makes all pages empty, each with a next one.
    pub fn make_endless(&self) {
        self.lock().is_endless = true;
    }

    /// The numbers of the messages sent within a time, newest first, and where the next page begins.
    pub(super) fn page(
        &self,
        start: usize,
        most: usize,
        is_within: impl Fn(DateTime<Utc>) -> bool,
    ) -> (Vec<usize>, Option<usize>) {
        let inner = self.lock();
        if inner.is_endless {
            return (Vec::new(), Some(start + 1));
        }
        let within = (0..inner.messages.len()).filter(|number| is_within(inner.sent(*number)));
        let mut rest = within.skip(start);
        let page = rest.by_ref().take(most).collect();
        (page, rest.next().map(|_| start + most))
    }

    pub(super) fn message(&self, number: usize) -> Option<(DateTime<Utc>, SentMessage)> {
        let inner = self.lock();
        Some((inner.sent(number), inner.messages.get(number)?.clone()))
    }

    /// Admits a request or rejects it.
    pub(super) fn admit(&self, request: &Parts) -> Result<(), Refusal> {
        let mut inner = self.lock();
        inner.asked.push(request.uri.to_string());
        let number = inner.asked.len();
        match inner.faults.remove(&number) {
            Some(Fault::Token(token)) => inner.token = token,
            Some(Fault::Refuse(status, wait)) => {
                return Err((StatusCode::from_u16(status).expect("a status"), wait));
            }
            None => {}
        }
        let given = request.headers.get("authorization").and_then(|value| value.to_str().ok());
        let is_known = given.unwrap_or_default() == format!("Bearer {}", inner.token);
        if is_known { Ok(()) } else { Err((StatusCode::UNAUTHORIZED, None)) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("a mailbox")
    }
}
