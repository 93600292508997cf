//! Cache of published documents (discovery and keys), with limited refetching.

use super::endpoint_url::{EndpointUrl, request};
use domain::bounded_json::parse;
use domain::ports::{Fetch, HttpMethod, ServiceError, ServiceErrorKind};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Time to live of a document.
const TTL: Duration = Duration::from_secs(60 * 60);
/// Minimum interval between fetches, after failures and for unknown keys.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of cached documents; each authenticator has two.
const DOCUMENTS_MAX: usize = 200;
/// Maximum size of a document.
const DOCUMENT_BYTES_MAX: usize = 512 * 1024;
/// Maximum number of JSON values in a document.
const DOCUMENT_VALUES_MAX: usize = 10_000;

type Document = Arc<Map<String, Value>>;

pub(super) struct DiscoveryCache {
    fetch: Arc<dyn Fetch>,
    slots: std::sync::Mutex<HashMap<EndpointUrl, Arc<Mutex<Slot>>>>,
}

/// A cached document. The holder of the lock fetches it while others wait.
#[derive(Default)]
struct Slot {
    document: Option<(Document, Instant)>,
    asked: Option<Instant>,
    failure: Option<ServiceError>,
}

impl DiscoveryCache {
    pub(super) fn new(fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, slots: std::sync::Mutex::default() }
    }

    /// The document, at most one hour old.
    pub(super) async fn get(&self, endpoint: &EndpointUrl) -> Result<Document, ServiceError> {
        self.newer_than(endpoint, None).await
    }

    /// A newer document than this one if it may be fetched already, else the same.
    pub(super) async fn refresh(
        &self,
        endpoint: &EndpointUrl,
        than: &Document,
    ) -> Result<Document, ServiceError> {
        self.newer_than(endpoint, Some(than)).await
    }

    async fn newer_than(
        &self,
        endpoint: &EndpointUrl,
        than: Option<&Document>,
    ) -> Result<Document, ServiceError> {
        let slot = self.slot(endpoint);
        let mut slot = slot.lock().await;
        let is_resting = slot.asked.is_some_and(|asked| asked.elapsed() < RETRY_INTERVAL);
        if let Some((document, at)) = &slot.document {
            let is_wanted = than.is_none_or(|than| !Arc::ptr_eq(than, document));
            if (is_wanted && at.elapsed() < TTL) || is_resting {
                return Ok(Arc::clone(document));
            }
        } else if is_resting {
            // Without a failure, the task that fetched it was aborted.
            let aborted = || ServiceError::new(ServiceErrorKind::Unreachable, "the last request was aborted");
            return Err(slot.failure.clone().unwrap_or_else(aborted));
        }
        slot.asked = Some(Instant::now());
        match self.fetch_document(endpoint).await {
            Ok(document) => {
                let document = Arc::new(document);
                slot.document = Some((Arc::clone(&document), Instant::now()));
                Ok(document)
            }
            Err(failure) => {
                slot.failure = Some(failure.clone());
                Err(failure)
            }
        }
    }

    fn slot(&self, endpoint: &EndpointUrl) -> Arc<Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= DOCUMENTS_MAX && !slots.contains_key(endpoint) {
            slots.clear();
        }
        Arc::clone(slots.entry(endpoint.clone()).or_default())
    }

    async fn fetch_document(&self, endpoint: &EndpointUrl) -> Result<Map<String, Value>, ServiceError> {
        let host = endpoint.url.host_str().unwrap_or_default().to_owned();
        let request = request(endpoint, HttpMethod::Get)
            .map_err(|error| ServiceError::from_cause(ServiceErrorKind::Configuration, error))?;
        let answer = self.fetch.fetch(&request).await;
        let answer =
            answer.map_err(|error| ServiceError::from_cause(ServiceErrorKind::Unreachable, error))?;
        let wrong = |sentence| ServiceError::new(ServiceErrorKind::Answer, sentence);
        if answer.status != 200 || answer.body.len() > DOCUMENT_BYTES_MAX {
            return Err(wrong(format!("{host} answers {} where its document should be", answer.status)));
        }
        let no_object = || wrong(format!("{host} publishes something that is no JSON object"));
        match parse(&answer.body, DOCUMENT_VALUES_MAX) {
            Ok(Value::Object(document)) => Ok(document),
            Ok(_) => Err(no_object()),
            Err(error) => Err(no_object().caused_by(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use bytes::Bytes;
    use domain::ports::{FetchError, HttpRequest, HttpResponse};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::time::advance;
    use url::Url;

    /// Counts requests and returns a fixed response.
    struct Counted {
        count: AtomicUsize,
        status: u16,
        body: String,
    }

    #[async_trait]
    impl Fetch for Counted {
        async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
            self.count.fetch_add(1, Ordering::SeqCst);
            let body = Bytes::from(self.body.clone());
            Ok(HttpResponse { status: self.status, headers: Vec::new(), body })
        }
    }

    fn cache(status: u16, body: &str) -> (DiscoveryCache, Arc<Counted>) {
        let fetch = Arc::new(Counted { count: AtomicUsize::new(0), status, body: body.to_owned() });
        (DiscoveryCache::new(fetch.clone()), fetch)
    }

    fn endpoint(number: usize) -> EndpointUrl {
        EndpointUrl { url: Url::parse(&format!("https://hub.example/{number}")).unwrap(), is_trusted: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_document_is_kept_and_asked_for_anew_only_so_often() {
        let (cache, fetch) = cache(200, "{\"keys\": []}");
        let asked = || fetch.count.load(Ordering::SeqCst);
        let first = cache.get(&endpoint(1)).await.unwrap();
        advance(TTL - Duration::from_secs(1)).await;
        assert!(Arc::ptr_eq(&first, &cache.get(&endpoint(1)).await.unwrap()));
        assert_eq!(asked(), 1);
        let newer = cache.refresh(&endpoint(1), &first).await.unwrap();
        assert_eq!(asked(), 2);
        for _ in 0..100 {
            assert!(Arc::ptr_eq(&newer, &cache.refresh(&endpoint(1), &newer).await.unwrap()));
        }
        assert_eq!(asked(), 2, "however many wrong tokens come");
        assert!(Arc::ptr_eq(&newer, &cache.refresh(&endpoint(1), &first).await.unwrap()));
        advance(RETRY_INTERVAL).await;
        cache.refresh(&endpoint(1), &newer).await.unwrap();
        assert_eq!(asked(), 3);
        advance(TTL).await;
        cache.get(&endpoint(1)).await.unwrap();
        assert_eq!(asked(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_remembered_for_a_moment() {
        let large = format!("{{\"x\": \"{}\"}}", "y".repeat(DOCUMENT_BYTES_MAX));
        for (status, body) in [(503, "{}"), (200, "<html>"), (200, "[]"), (200, large.as_str())] {
            let (cache, fetch) = cache(status, body);
            for _ in 0..3 {
                assert_eq!(cache.get(&endpoint(1)).await.unwrap_err().kind, ServiceErrorKind::Answer);
            }
            assert_eq!(fetch.count.load(Ordering::SeqCst), 1, "{status}");
            advance(RETRY_INTERVAL).await;
            cache.get(&endpoint(1)).await.unwrap_err();
            assert_eq!(fetch.count.load(Ordering::SeqCst), 2, "{status}");
        }
    }

    #[tokio::test]
    async fn not_more_are_kept_than_there_may_be() {
        let (cache, _) = cache(200, "{}");
        for number in 0..=DOCUMENTS_MAX {
            cache.get(&endpoint(number)).await.unwrap();
            assert!(cache.slots.lock().unwrap().len() <= DOCUMENTS_MAX);
        }
    }
}
