//! CPU and disk work off the async runtime.

use domain::ports::BodyError;

/// Runs CPU or disk work off the async runtime.
pub(super) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BodyError> + Send + 'static,
) -> Result<T, BodyError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended
        .unwrap_or_else(|error| Err(BodyError::unreachable("the work on it was broken off").caused_by(error)))
}
