//! Task-local id of the request that caused the work, so that a worker's log lines can be found by it.

use std::sync::Arc;

tokio::task_local! {
    static REQUEST: Arc<str>;
}

/// Runs `work` for the request with this id: tasks created meanwhile carry the id.
pub async fn within_request<F: Future>(id: Arc<str>, work: F) -> F::Output {
    REQUEST.scope(id, work).await
}

/// Runs one step of the work for a request, such as sending a part of its response.
pub fn step_within_request<T>(id: &Arc<str>, step: impl FnOnce() -> T) -> T {
    REQUEST.sync_scope(Arc::clone(id), step)
}

/// The id of the current request; None outside of a request, such as in a command or a schedule.
pub(crate) fn current_request() -> Option<Arc<str>> {
    REQUEST.try_with(Arc::clone).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_id_is_known_within_its_request_only() {
        let asked = async || current_request();
        assert_eq!(within_request("r-1".into(), asked()).await.as_deref(), Some("r-1"));
        assert_eq!(asked().await, None, "no request");
    }
}
