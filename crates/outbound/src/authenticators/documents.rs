//! What services publish: fetched when it is needed, kept for a while, and asked for anew only so often.

use super::endpoints::{Place, request};
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
        serde_json::from_slice(&answer.body)
            .map_err(|_| format!("{host} publishes something that is no JSON object"))
    }
}
