//! The error of a request to NATS.

use domain::ports::QueueError;

pub(super) fn unreachable(error: impl std::fmt::Display) -> QueueError {
    QueueError::Unreachable(error.to_string())
}
