//! Single flight: equal concurrent requests of one user share one call.

use domain::ids::{ProviderId, UserId};
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, FetchedResponse, RequestDescription};
use domain::provider::SearchProvider;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::OnceCell;

type Response = Result<Box<dyn FetchedResponse>, ConnectorError>;
type ResponseCell = OnceCell<Response>;

/// Identifies a call. The request is represented by two hashes with different seeds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FlightKey {
    provider: ProviderId,
    /// A shared response is normalized as the first search read the provider.
    updated: Instant,
    /// Nobody gets a response that was made for another user.
    owner: UserId,
    request: (u64, u64),
}

impl FlightKey {
    pub fn of(provider: &SearchProvider, owner: UserId, request: &RequestDescription<'_>) -> Self {
        Self { provider: provider.id, updated: provider.date_updated, owner, request: fingerprint(request) }
    }
}

#[derive(Default)]
pub(crate) struct SingleFlight {
    in_flight: Mutex<HashMap<FlightKey, Weak<ResponseCell>>>,
}

impl SingleFlight {
    /// Makes the call, or waits for an equal one in flight.
    pub async fn share<F>(&self, key: FlightKey, call: impl FnOnce() -> F) -> Response
    where
        F: Future<Output = Response>,
    {
        let cell = self.cell(key);
        cell.get_or_init(call).await;
        let response = match Arc::try_unwrap(cell) {
            // Nobody shares the call: its rows are moved, not copied.
            Ok(own) => own.into_inner(),
            Err(shared) => shared.get().map(|response| match response {
                Ok(response) => Ok(response.cloned()),
                Err(error) => Err(error.clone()),
            }),
        };
        response.unwrap_or_else(|| Err(ConnectorError::new(ConnectorErrorKind::Unreadable, "no response")))
    }

    fn cell(&self, key: FlightKey) -> Arc<ResponseCell> {
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

fn fingerprint(request: &RequestDescription<'_>) -> (u64, u64) {
    let command = match request {
        RequestDescription::Command { body, .. } => body.to_string(),
        _ => String::new(),
    };
    let hash = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        match request {
            RequestDescription::Http(request) => {
                request.method.as_str().hash(&mut hasher);
                request.url.as_str().hash(&mut hasher);
                request.headers.hash(&mut hasher);
                for (name, value) in &request.secret_headers {
                    (name, value.expose()).hash(&mut hasher);
                }
                request.body.hash(&mut hasher);
            }
            // A response limited to fewer rows cannot serve a request for more.
            RequestDescription::Statement { text, values, rows_max } => {
                (text, values, rows_max).hash(&mut hasher)
            }
            RequestDescription::Command { place, rows_max, .. } => {
                (place, &command, rows_max).hash(&mut hasher)
            }
        }
        hasher.finish()
    };
    (hash(0), hash(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::{HttpResponse, NormalizedPage};
    use domain::provider::ProviderSpec;
    use futures_util::future::join_all;
    use serde_json::{Value, json};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    #[derive(Debug, Clone)]
    struct Rows(Vec<Value>);

    impl FetchedResponse for Rows {
        fn unparsed(&self) -> Option<&HttpResponse> {
            None
        }
        fn cloned(&self) -> Box<dyn FetchedResponse> {
            Box::new(self.clone())
        }
        fn normalize(self: Box<Self>) -> Result<NormalizedPage, ConnectorError> {
            Ok(NormalizedPage { items: self.0, ..NormalizedPage::default() })
        }
    }

    fn key(owner: i64, text: &str, rows_max: u32, updated_s: i64) -> FlightKey {
        let updated = Instant::from_timestamp(updated_s, 0).unwrap();
        let provider = SearchProvider::unsaved(ProviderSpec::default(), UserId(1), updated);
        let request = RequestDescription::Statement { text, values: &[], rows_max };
        FlightKey::of(&provider, UserId(owner), &request)
    }

    #[tokio::test]
    async fn equal_calls_of_one_user_are_one() {
        let single_flight = SingleFlight::default();
        let made = AtomicU32::new(0);
        let one = |key: FlightKey| {
            let (single_flight, made) = (&single_flight, &made);
            async move {
                let call = || async {
                    made.fetch_add(1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    Ok(Box::new(Rows(vec![json!({"title": "River"})])) as Box<dyn FetchedResponse>)
                };
                let response = single_flight.share(key, call).await.unwrap();
                assert_eq!(response.normalize().unwrap().items, [json!({"title": "River"})]);
            }
        };
        let calls = [
            one(key(1, "a", 1, 0)),
            one(key(1, "a", 1, 0)),
            one(key(1, "a", 1, 0)),
            one(key(1, "b", 1, 0)),
            one(key(2, "a", 1, 0)),
            one(key(1, "a", 9, 0)),
            one(key(1, "a", 1, 7)),
        ];
        join_all(calls).await;
        assert_eq!(
            made.load(Ordering::SeqCst),
            5,
            "a and b of the first user, a of the second, more rows of a, and a after a change of the provider"
        );
        one(key(1, "a", 1, 0)).await;
        assert_eq!(made.load(Ordering::SeqCst), 6, "a response is not cached");
    }

    #[tokio::test]
    async fn a_response_that_nobody_shares_is_not_copied() {
        let single_flight = SingleFlight::default();
        let rows = vec![json!({"title": "River"})];
        let address = rows.as_ptr();
        let call = || async move { Ok(Box::new(Rows(rows)) as Box<dyn FetchedResponse>) };
        let response = single_flight.share(key(1, "a", 1, 0), call).await.unwrap();
        assert_eq!(response.normalize().unwrap().items.as_ptr(), address);
    }
}
