//! Equal requests of one person that are under way at the same time share one call.

use domain::contracts::{ConnectorError, SourceQuery, SourceResponse};
use domain::ids::{ProviderId, UserId};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::OnceCell;

type Answer = OnceCell<Result<SourceResponse, ConnectorError>>;

/// Whose call to which source; what it asks is told by two hashes with different seeds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    provider: ProviderId,
    owner: UserId,
    query: (u64, u64),
}

#[derive(Default)]
pub(crate) struct Calls {
    under_way: Mutex<HashMap<Key, Weak<Answer>>>,
}

impl Calls {
    /// Makes the call, or waits for an equal one that is under way. Who asks is part of what is equal:
    /// nobody gets an answer that was made for another person.
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
        let answer = self.answer(Key { provider, owner, query: fingerprint(query) });
        answer.get_or_init(call).await.clone()
    }

    fn answer(&self, key: Key) -> Arc<Answer> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.retain(|_, answer| answer.strong_count() > 0);
        if let Some(answer) = under_way.get(&key).and_then(Weak::upgrade) {
            return answer;
        }
        let answer = Arc::new(Answer::new());
        under_way.insert(key, Arc::downgrade(&answer));
        answer
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
            // An answer that was cut for one wish is too short for a larger one.
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
    async fn equal_calls_of_one_person_are_one() {
        let calls = Calls::default();
        let made = AtomicU32::new(0);
        let one = |owner: i64, text: &'static str, rows_max: u32| {
            let (calls, made) = (&calls, &made);
            async move {
                let built = query(text, rows_max);
                let call = || async {
                    made.fetch_add(1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    Ok(SourceResponse::Rows { found: 0, rows: Vec::new() })
                };
                calls.share(ProviderId(1), UserId(owner), &built, call).await.unwrap();
            }
        };
        let asked =
            [one(1, "a", 1), one(1, "a", 1), one(1, "a", 1), one(1, "b", 1), one(2, "a", 1), one(1, "a", 9)];
        join_all(asked).await;
        assert_eq!(
            made.load(Ordering::SeqCst),
            4,
            "a and b of the first person, a of the second, and more rows of a"
        );
        one(1, "a", 1).await;
        assert_eq!(made.load(Ordering::SeqCst), 5, "an answer is not kept");
    }
}
