//! The error of a request to NATS.

use domain::ports::QueueError;
use std::error::Error;

pub(super) fn unreachable(error: impl Error + Send + Sync + 'static) -> QueueError {
    QueueError::unreachable(error.to_string()).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::chain;
    use std::io;

    #[test]
    fn the_error_of_the_client_is_kept_and_shown_once() {
        let error =
            unreachable(async_nats::error::Error::with_source("timed out", io::Error::other("no pong")));
        assert_eq!(error.to_string(), "the task queue is not reachable: timed out: no pong");
        assert_eq!(chain(&error), error.to_string());
        let cause = error.source().and_then(Error::source);
        assert!(cause.is_some_and(|cause| cause.is::<io::Error>()), "{error:?}");
    }
}
