//! Mailboxes: what a scan needs of them, and the two kinds that there are. Nothing of a message can be printed: its
//! parts have no `Debug` form.

mod client;
mod gmail;
mod outlook;

pub use client::Access;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use domain::corpus::Channel;
use domain::instant::Instant;
use domain::settings::Settings;

/// Most messages of one page.
pub const PAGE_MAX: usize = 100;
/// Most attachments of one message that are looked at.
pub const ATTACHMENTS_MAX: usize = 20;
/// A larger attachment is not opened: no source gives the cache a larger file by default, so that it could be no document.
pub const ATTACHMENT_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// The largest answer of a mailbox: such an attachment as Gmail writes it, and some more.
pub const ANSWER_BYTES_MAX: u64 = ATTACHMENT_BYTES_MAX / 3 * 4 + 1024 * 1024;

/// Who got a message and when.
pub struct Head {
    pub id: String,
    pub sent_at: Instant,
    pub senders: Vec<String>,
    /// To, cc and bcc.
    pub recipients: Vec<String>,
    pub may_have_attachments: bool,
}

/// Some messages, newest first, and where the next ones are.
pub struct HeadPage {
    pub heads: Vec<Head>,
    pub next: Option<String>,
}

/// What was in a message.
#[derive(Default)]
pub struct Content {
    /// Pages and texts alike.
    pub texts: Vec<String>,
    pub attachments: Vec<Attachment>,
}

pub struct Attachment {
    pub id: String,
    pub name: String,
    pub media_type: String,
    /// As the mailbox says; some count their own wrapping, too.
    pub size: u64,
    /// It came with the message.
    pub bytes: Option<Bytes>,
}

/// Why a mailbox gave nothing. The sentences hold nothing of any message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// This one message or attachment is not there any more, or too large: the others are.
    #[error("the mailbox does not give this message")]
    Missing,
    #[error("{0}")]
    Failed(String),
}

/// A person's sent mail.
#[async_trait]
pub trait SentMail: Send + Sync {
    /// The first page, or the one that a page named as its next; about `at_most` messages.
    async fn page(&self, at: Option<&str>, at_most: usize) -> Result<HeadPage, MailError>;
    async fn content(&self, head: &Head) -> Result<Content, MailError>;
    async fn bytes(&self, head: &Head, attachment: &Attachment) -> Result<Bytes, MailError>;
}

/// The days of a scan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// The first moment that is part of it.
    pub from: Option<Instant>,
    /// The first moment that is not.
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

/// The authenticator by which people connect such a mailbox.
pub fn authenticator(settings: &Settings, channel: Channel) -> &str {
    match channel {
        Channel::Outlook => &settings.egress_outlook_authenticator,
        Channel::Gmail => &settings.egress_gmail_authenticator,
    }
}

pub async fn open(
    access: Access<'_>,
    channel: Channel,
    window: Window,
) -> Result<Box<dyn SentMail>, MailError> {
    let client = client::Client::open(access, channel).await?;
    Ok(match channel {
        Channel::Outlook => Box::new(outlook::Outlook { client, window }),
        Channel::Gmail => Box::new(gmail::Gmail { client, window }),
    })
}

fn unreadable() -> MailError {
    MailError::Failed("the mailbox gave an answer that cannot be read".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
