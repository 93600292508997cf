//! Errors of federation.

use domain::ports::{QueueError, StoreError, TaskError, TaskErrorKind};
use domain::status::SearchStatus;
use domain::validation::FieldErrors;

#[derive(Debug, Clone, thiserror::Error)]
pub enum FederationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the request is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("the search was modified concurrently; try again")]
    Contended,
    #[error("the search has not finished: {}", .0.as_str())]
    NotReady(SearchStatus),
    #[error("{max} of your searches are waiting to start; wait until some of them have finished")]
    TooManyWaiting { max: u64 },
    #[error("{max} searches of all users are waiting to start, the most that may; try again soon")]
    QueueFull { max: u64 },
    #[error(
        "you have {max} searches, the most that are kept for one user, and all are saved, subscribed or still running; \
         delete saved searches that you no longer need, or end subscriptions"
    )]
    TooManyKept { max: u64 },
}

impl FederationError {
    /// True if the cause may go away by itself, such as an unreachable database or a full queue.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Store(error) | Self::Queue(QueueError::Store(error)) => error.is_transient(),
            Self::Queue(QueueError::Unreachable { .. }) => true,
            Self::TooManyWaiting { .. } | Self::QueueFull { .. } => true,
            Self::Invalid(_) | Self::Contended | Self::NotReady(_) | Self::TooManyKept { .. } => false,
        }
    }
}

impl From<FederationError> for TaskError {
    fn from(error: FederationError) -> Self {
        let kind = if error.is_transient() { TaskErrorKind::Unavailable } else { TaskErrorKind::Failed };
        Self::from_cause(kind, error)
    }
}
