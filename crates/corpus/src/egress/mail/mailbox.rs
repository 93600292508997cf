//! A mailbox: the interface that a scan needs. Parts of a message have no `Debug`, so that they cannot be logged.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use domain::corpus::Channel;
use domain::instant::Instant;
use domain::ports::Cause;
use domain::settings::Settings;

/// Most messages of one page.
pub const PAGE_MAX: usize = 100;
/// Most attachments of one message that are considered.
pub const ATTACHMENTS_MAX: usize = 20;
/// A larger attachment is not opened: by default no source gives the cache a larger file.
pub const ATTACHMENT_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// The largest response of a mailbox: such an attachment in Gmail's encoding, and some more.
pub const ANSWER_BYTES_MAX: u64 = ATTACHMENT_BYTES_MAX / 3 * 4 + 1024 * 1024;

/// Recipients and date of a message.
pub struct Head {
    pub id: String,
    pub sent_at: Instant,
    pub senders: Vec<String>,
    /// To, cc and bcc.
    pub recipients: Vec<String>,
    pub may_have_attachments: bool,
}

/// Some messages, newest first, and the cursor of the next page.
pub struct HeadPage {
    pub heads: Vec<Head>,
    pub next: Option<String>,
}

/// The content of a message.
#[derive(Default)]
pub struct Content {
    /// HTML and plain text.
    pub texts: Vec<String>,
    pub attachments: Vec<Attachment>,
}

pub struct Attachment {
    pub id: String,
    pub name: String,
    pub media_type: String,
    /// As the mailbox reports it; some include the encoding.
    pub size: u64,
    /// Included in the message.
    pub bytes: Option<Bytes>,
}

/// Why a mailbox gave nothing. Neither the messages nor the causes contain anything of a mail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// This message or attachment was deleted or is too large; others are not affected.
    #[error("the mailbox does not return this message")]
    Missing,
    #[error("{message}")]
    Failed { message: String, source: Option<Cause> },
}

impl MailError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Failed { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

/// A person's sent mail.
#[async_trait]
pub trait SentMail: Send + Sync {
    /// The first page, or the page of a cursor; about `at_most` messages.
    async fn page(&self, at: Option<&str>, at_most: usize) -> Result<HeadPage, MailError>;
    async fn content(&self, head: &Head) -> Result<Content, MailError>;
    async fn bytes(&self, head: &Head, attachment: &Attachment) -> Result<Bytes, MailError>;
}

/// The period of a scan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// Inclusive.
    pub from: Option<Instant>,
    /// Exclusive.
    pub until: Option<Instant>,
}

impl Window {
    pub fn of(first: Option<NaiveDate>, last: Option<NaiveDate>) -> Self {
        let midnight = |day: NaiveDate| DateTime::<Utc>::from_naive_utc_and_offset(day.into(), Utc);
        Self { from: first.map(midnight), until: last.and_then(|day| day.succ_opt()).map(midnight) }
    }

    pub fn holds(&self, moment: Instant) -> bool {
        self.from.is_none_or(|from| moment >= from) && self.until.is_none_or(|until| moment < until)
    }
}

/// The authenticator with which people connect such a mailbox.
pub fn authenticator(settings: &Settings, channel: Channel) -> &str {
    match channel {
        Channel::Outlook => &settings.egress_outlook_authenticator,
        Channel::Gmail => &settings.egress_gmail_authenticator,
    }
}

pub(super) fn unreadable() -> MailError {
    MailError::failed("the mailbox gave an answer that cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::chain;
    use std::error::Error;
    use std::io;
    use std::mem::discriminant;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let table = [
            (MailError::Missing, "the mailbox does not return this message", false),
            (MailError::failed("it does not answer"), "it does not answer", true),
        ];
        for (error, text, has_cause) in table {
            let caused = error.clone().caused_by(io::Error::other("timed out"));
            assert_eq!((caused.to_string().as_str(), discriminant(&caused)), (text, discriminant(&error)));
            assert_eq!(caused.source().is_some_and(|cause| cause.is::<io::Error>()), has_cause);
            assert_eq!(chain(&caused).ends_with(": timed out"), has_cause);
        }
    }

    #[test]
    fn both_days_are_part_of_a_window() {
        let day = |text: &str| text.parse::<NaiveDate>().ok();
        let at = |text: &str| text.parse::<Instant>().unwrap();
        let window = Window::of(day("2026-03-01"), day("2026-03-02"));
        let table = [
            ("2026-02-28T23:59:59Z", false),
            ("2026-03-01T00:00:00Z", true),
            ("2026-03-02T23:59:59Z", true),
            ("2026-03-03T00:00:00Z", false),
        ];
        for (moment, expected) in table {
            assert_eq!(window.holds(at(moment)), expected, "{moment}");
        }
        assert!(Window::of(None, None).holds(at("2026-03-03T00:00:00Z")));
        assert_eq!(Window::of(None, Some(NaiveDate::MAX)), Window::default());
    }
}
