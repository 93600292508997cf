//! A request to cache a document, and what comes of it.

use domain::corpus::{MatterTag, Origin, Signal};
use domain::ids::{TaskId, UserId};
use domain::ports::{BodyError, QueueError, StoreError};
use domain::provider::SearchProvider;
use domain::result::ResultItem;

/// A request to cache a document.
#[derive(Debug, Clone)]
pub struct IngestRequest {
    pub user: UserId,
    pub document: Document,
    pub matter_tags: Vec<MatterTag>,
    pub origin: Origin,
}

/// The requested document.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one of them is there at a time, and not for long")]
pub enum Document {
    /// The document behind a result, as its provider returned it.
    Result { provider: SearchProvider, item: ResultItem },
    /// The document at a typed URL. It is attributed to the provider only if the provider returned this URL to this
    /// person; else only the person may see it, and it is fetched with their account at the provider, or anonymously.
    Address { provider: Option<SearchProvider>, url: String, title: String, body: Option<String> },
}

/// An accepted request.
#[derive(Debug, Clone)]
pub struct Accepted {
    pub signal: Signal,
    /// None: there was nothing to do.
    pub job: Option<TaskId>,
    /// A result snippet becomes a document.
    pub upgraded: bool,
    /// The text is cached, and the person may see it.
    pub is_done: bool,
    /// For the user.
    pub message: String,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum IngestError {
    #[error("the license does not include the semantic cache")]
    Unlicensed,
    #[error("the document has no web address")]
    NoAddress,
    #[error("you may not use this source")]
    NotAllowed,
    #[error("the text is larger than the limit of {0} MB")]
    TooLarge(u32),
    /// For the user.
    #[error("{0}")]
    NoText(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the text could not be stored: {0}")]
    Storage(BodyError),
}

impl From<BodyError> for IngestError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(mb) => Self::TooLarge(mb),
            other => Self::Storage(other),
        }
    }
}
