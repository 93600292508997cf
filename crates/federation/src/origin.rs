//! The request that work comes from, so that the log lines of a worker can be found by it.

tokio::task_local! {
    static REQUEST: String;
}

/// Does `work` for the request of this id: tasks that are made meanwhile carry it.
pub async fn within_request<F: Future>(id: String, work: F) -> F::Output {
    REQUEST.scope(id, work).await
}

/// The id of the request that is under way; none where nobody asked, such as in a command or a schedule.
pub(crate) fn request() -> Option<String> {
    REQUEST.try_with(String::clone).ok()
}
