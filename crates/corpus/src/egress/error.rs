//! Why a scan cannot be started, read or changed.

use domain::corpus::Scan;
use domain::ports::{QueueError, SourceTokenError, StoreError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum EgressError {
    #[error("the license does not include the semantic cache")]
    Unlicensed,
    /// It does not exist, or belongs to another person.
    #[error("there is no such scan or event")]
    NotFound,
    /// The person has an unfinished scan.
    #[error("a scan of your sent mail is still running")]
    Running(Box<Scan>),
    /// For the user.
    #[error("{0}")]
    NotConnected(String),
    /// The token service cannot be reached now.
    #[error(transparent)]
    Unavailable(SourceTokenError),
    /// The field, and a sentence for the user.
    #[error("{1}")]
    Invalid(&'static str, String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
}
