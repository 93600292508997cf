//! What went outside: a person's own sent mail is read with the person's own token, and the documents of the cache that
//! are found in messages to the outside become events. Of a message nothing is kept but the domains that it went to, when
//! it was sent and how the document was recognised.
//!
//! | Module | What lives there |
//! |---|---|
//! | `begin` | the wish for a scan |
//! | `records` | scans and events as their owner sees them |
//! | `task` | the scan in the background |
//! | `orphans` | scans that have lost their task |
//! | `walk` | the mailbox, page by page |
//! | `message` | one message: who got it, what was in it |
//! | `mail` | the two kinds of mailboxes, and what they share |
//! | `domains` | which recipients are outside |
//! | `links`, `drive` | what the links of a message lead to |
//! | `shelf` | the documents that the person may see, by what they are recognised by |
//! | `attachments` | which document an attachment is |

mod attachments;
mod begin;
mod domains;
mod drive;
mod links;
mod mail;
mod message;
mod orphans;
mod public_suffix;
mod records;
mod shelf;
mod task;
mod walk;

pub use begin::ScanWish;
pub use mail::ANSWER_BYTES_MAX as MAIL_ANSWER_BYTES_MAX;
pub use task::ScanSentMail;

use domain::contracts::{ExtractText, Fetch, QueueError, SourceTokens, StoreError};
use domain::corpus::Scan;
use domain::secret::Secret;
use std::sync::Arc;

/// What mailboxes are read with.
#[derive(Clone)]
pub struct MailParts {
    pub fetch: Arc<dyn Fetch>,
    /// Reads attachments.
    pub extract: Arc<dyn ExtractText>,
    pub tokens: Arc<dyn SourceTokens>,
    /// The key of the hashes by which messages are known again.
    pub key: Secret,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum EgressError {
    #[error("the license does not open the semantic cache")]
    Unlicensed,
    /// It is not there, or somebody else's.
    #[error("there is no such scan or event")]
    NotFound,
    /// The person has a scan that is not over.
    #[error("a scan of your sent mail is not over yet")]
    Running(Box<Scan>),
    /// A sentence for people.
    #[error("{0}")]
    NotConnected(String),
    /// The service that renews the person's token cannot be reached now.
    #[error("{0}")]
    Unavailable(String),
    /// The field, and a sentence for people.
    #[error("{1}")]
    Invalid(&'static str, String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
}
