//! Task-local id of the request that caused the work, so that a worker's log lines can be found by it.

tokio::task_local! {
    static REQUEST: String;
}

/// Runs `work` for the request with this id: tasks created meanwhile carry the id.
pub async fn within_request<F: Future>(id: String, work: F) -> F::Output {
    REQUEST.scope(id, work).await
}

/// The id of the current request; None outside of a request, such as in a command or a schedule.
pub(crate) fn current_request() -> Option<String> {
    REQUEST.try_with(String::clone).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_id_is_known_within_its_request_only() {
        let asked = async || current_request();
        assert_eq!(within_request("r-1".to_owned(), asked()).await.as_deref(), Some("r-1"));
        assert_eq!(asked().await, None, "no request");
    }
}
