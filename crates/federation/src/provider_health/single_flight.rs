//! Single flight: equal concurrent requests of one user share one call.

use domain::ids::{ProviderId, UserId};
use domain::ports::{ConnectorError, ConnectorErrorKind, SourceQuery, SourceResponse};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::OnceCell;

type ResponseCell = OnceCell<Result<SourceResponse, ConnectorError>>;

/// Identifies a call. The query is represented by two hashes with different seeds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    provider: ProviderId,
    owner: UserId,
    query: (u64, u64),
}

#[derive(Default)]
pub(crate) struct SingleFlight {
    in_flight: Mutex<HashMap<Key, Weak<ResponseCell>>>,
}

impl SingleFlight {
    /// Makes the call, or waits for an equal one in flight. The user is part of the key, so nobody gets a response that
    /// was made for another user.
    pub async fn share<F>(
        &self,
        provider: ProviderId,
        owner: UserId,
        query: &SourceQuery,
        call: impl FnOnce() -> F,
    ) -> Result<SourceResponse, ConnectorError>
    where
        F: Future<Output = Result<SourceResponse, ConnectorError>>,
    {
        let cell = self.cell(Key { provider, owner, query: fingerprint(query) });
        cell.get_or_init(call).await;
        let response = match Arc::try_unwrap(cell) {
            // Nobody shares the call: its rows are moved, not copied.
            Ok(own) => own.into_inner(),
            Err(shared) => shared.get().cloned(),
        };
        response.unwrap_or_else(|| Err(ConnectorError::new(ConnectorErrorKind::Unreadable, "no response")))
    }

    fn cell(&self, key: Key) -> Arc<ResponseCell> {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        in_flight.retain(|_, cell| cell.strong_count() > 0);
        if let Some(cell) = in_flight.get(&key).and_then(Weak::upgrade) {
            return cell;
        }
        let cell = Arc::new(ResponseCell::new());
        in_flight.insert(key, Arc::downgrade(&cell));
        cell
    }
}

fn fingerprint(query: &SourceQuery) -> (u64, u64) {
    let hash = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        match query {
            SourceQuery::Http(request) => {
                request.method.as_str().hash(&mut hasher);
                request.url.as_str().hash(&mut hasher);
                request.headers.hash(&mut hasher);
                for (name, value) in &request.secret_headers {
                    (name, value.expose()).hash(&mut hasher);
                }
                request.body.hash(&mut hasher);
            }
            // A response limited to fewer rows cannot serve a request for more.
            SourceQuery::Statement { text, values, rows_max, .. } => {
                (text, values, rows_max).hash(&mut hasher)
            }
            SourceQuery::Command { place, body, rows_max, .. } => {
                (place, body.to_string(), rows_max).hash(&mut hasher)
            }
        }
        hasher.finish()
    };
    (hash(0), hash(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    fn query(text: &str, rows_max: u32) -> SourceQuery {
        let time_max = Duration::from_secs(1);
        SourceQuery::Statement { text: text.into(), count_text: None, values: Vec::new(), rows_max, time_max }
    }

    #[tokio::test]
    async fn equal_calls_of_one_user_are_one() {
        let single_flight = SingleFlight::default();
        let made = AtomicU32::new(0);
        let one = |owner: i64, text: &'static str, rows_max: u32| {
            let (single_flight, made) = (&single_flight, &made);
            async move {
                let built = query(text, rows_max);
                let call = || async {
                    made.fetch_add(1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    Ok(SourceResponse::Rows { found: 0, rows: Vec::new() })
                };
                single_flight.share(ProviderId(1), UserId(owner), &built, call).await.unwrap();
            }
        };
        let calls =
            [one(1, "a", 1), one(1, "a", 1), one(1, "a", 1), one(1, "b", 1), one(2, "a", 1), one(1, "a", 9)];
        join_all(calls).await;
        assert_eq!(
            made.load(Ordering::SeqCst),
            4,
            "a and b of the first user, a of the second, and more rows of a"
        );
        one(1, "a", 1).await;
        assert_eq!(made.load(Ordering::SeqCst), 5, "a response is not cached");
    }

    #[tokio::test]
    async fn a_response_that_nobody_shares_is_not_copied() {
        let single_flight = SingleFlight::default();
        let rows = vec![serde_json::json!({"title": "River"})];
        let address = rows.as_ptr();
        let call = || async move { Ok(SourceResponse::Rows { found: 1, rows }) };
        let response = single_flight.share(ProviderId(1), UserId(1), &query("a", 1), call).await;
        let Ok(SourceResponse::Rows { rows, .. }) = response else { panic!("rows") };
        assert_eq!(rows.as_ptr(), address);
    }
}
