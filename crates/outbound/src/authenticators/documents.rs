//! What services publish: fetched when it is needed, kept for a while, and asked for anew only so often.

use super::endpoints::{Place, request};
use domain::bounded_json::parse_object;
use domain::contracts::{Fetch, HttpMethod};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a document is good.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// How long nobody asks again: after a failure, and for keys that the document does not have.
const REST: Duration = Duration::from_secs(10);
/// Most documents that are kept. There are two for each authenticator.
const DOCUMENTS_MAX: usize = 200;
/// Largest document.
const DOCUMENT_BYTES_MAX: usize = 512 * 1024;
/// Most values in it. Documents are kept in memory.
const DOCUMENT_VALUES_MAX: usize = 10_000;

type Document = Arc<Map<String, Value>>;

pub(super) struct Documents {
    fetch: Arc<dyn Fetch>,
    slots: std::sync::Mutex<HashMap<Place, Arc<Mutex<Slot>>>>,
}

/// One document. Who holds it fetches; the others wait for what comes.
#[derive(Default)]
struct Slot {
    document: Option<(Document, Instant)>,
    asked: Option<Instant>,
    failure: String,
}

impl Documents {
    pub(super) fn new(fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, slots: std::sync::Mutex::default() }
    }

    /// The document, not older than an hour.
    pub(super) async fn kept(&self, place: &Place) -> Result<Document, String> {
        self.newer_than(place, None).await
    }

    /// A newer one than this, if it may be asked for already; else the same again.
    pub(super) async fn renewed(&self, place: &Place, than: &Document) -> Result<Document, String> {
        self.newer_than(place, Some(than)).await
    }

    async fn newer_than(&self, place: &Place, than: Option<&Document>) -> Result<Document, String> {
        let slot = self.slot(place);
        let mut slot = slot.lock().await;
        let is_resting = slot.asked.is_some_and(|asked| asked.elapsed() < REST);
        if let Some((document, at)) = &slot.document {
            let is_wanted = than.is_none_or(|than| !Arc::ptr_eq(than, document));
            if (is_wanted && at.elapsed() < KEPT) || is_resting {
                return Ok(Arc::clone(document));
            }
        } else if is_resting {
            return Err(slot.failure.clone());
        }
        slot.asked = Some(Instant::now());
        match self.read(place).await {
            Ok(document) => {
                let document = Arc::new(document);
                slot.document = Some((Arc::clone(&document), Instant::now()));
                Ok(document)
            }
            Err(reason) => {
                slot.failure.clone_from(&reason);
                Err(reason)
            }
        }
    }

    fn slot(&self, place: &Place) -> Arc<Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= DOCUMENTS_MAX && !slots.contains_key(place) {
            slots.clear();
        }
        Arc::clone(slots.entry(place.clone()).or_default())
    }

    async fn read(&self, place: &Place) -> Result<Map<String, Value>, String> {
        let host = place.url.host_str().unwrap_or_default().to_owned();
        let request = request(place, HttpMethod::Get).map_err(|error| error.to_string())?;
        let answer = self.fetch.fetch(&request).await.map_err(|error| error.to_string())?;
        if answer.status != 200 || answer.body.len() > DOCUMENT_BYTES_MAX {
            return Err(format!("{host} answers {} where its document should be", answer.status));
        }
        parse_object(&answer.body, DOCUMENT_VALUES_MAX)
            .ok_or_else(|| format!("{host} publishes something that is no JSON object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use bytes::Bytes;
    use domain::contracts::{FetchError, HttpRequest, HttpResponse};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::time::advance;
    use url::Url;

    /// Counts, and answers what it is told.
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

    fn documents(status: u16, body: &str) -> (Documents, Arc<Counted>) {
        let fetch = Arc::new(Counted { count: AtomicUsize::new(0), status, body: body.to_owned() });
        (Documents::new(fetch.clone()), fetch)
    }

    fn place(number: usize) -> Place {
        Place { url: Url::parse(&format!("https://hub.example/{number}")).unwrap(), is_trusted: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_document_is_kept_and_asked_for_anew_only_so_often() {
        let (documents, fetch) = documents(200, "{\"keys\": []}");
        let asked = || fetch.count.load(Ordering::SeqCst);
        let first = documents.kept(&place(1)).await.unwrap();
        advance(KEPT - Duration::from_secs(1)).await;
        assert!(Arc::ptr_eq(&first, &documents.kept(&place(1)).await.unwrap()));
        assert_eq!(asked(), 1);
        let newer = documents.renewed(&place(1), &first).await.unwrap();
        assert_eq!(asked(), 2);
        for _ in 0..100 {
            assert!(Arc::ptr_eq(&newer, &documents.renewed(&place(1), &newer).await.unwrap()));
        }
        assert_eq!(asked(), 2, "however many wrong tokens come");
        assert!(Arc::ptr_eq(&newer, &documents.renewed(&place(1), &first).await.unwrap()));
        advance(REST).await;
        documents.renewed(&place(1), &newer).await.unwrap();
        assert_eq!(asked(), 3);
        advance(KEPT).await;
        documents.kept(&place(1)).await.unwrap();
        assert_eq!(asked(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_remembered_for_a_moment() {
        let large = format!("{{\"x\": \"{}\"}}", "y".repeat(DOCUMENT_BYTES_MAX));
        for (status, body) in [(503, "{}"), (200, "<html>"), (200, "[]"), (200, large.as_str())] {
            let (documents, fetch) = documents(status, body);
            for _ in 0..3 {
                documents.kept(&place(1)).await.unwrap_err();
            }
            assert_eq!(fetch.count.load(Ordering::SeqCst), 1, "{status}");
            advance(REST).await;
            documents.kept(&place(1)).await.unwrap_err();
            assert_eq!(fetch.count.load(Ordering::SeqCst), 2, "{status}");
        }
    }

    #[tokio::test]
    async fn not_more_are_kept_than_there_may_be() {
        let (documents, _) = documents(200, "{}");
        for number in 0..=DOCUMENTS_MAX {
            documents.kept(&place(number)).await.unwrap();
            assert!(documents.slots.lock().unwrap().len() <= DOCUMENTS_MAX);
        }
    }
}
