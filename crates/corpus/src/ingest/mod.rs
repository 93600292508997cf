//! Ingest: requests, pages fetched for summaries and the best results of a search become a record and a task; the task
//! fetches,
//! prepares, splits, embeds and indexes the document.
//!
//! | Module | Contents |
//! |---|---|
//! | `request`, `limits` | a request and its outcome |
//! | `enqueue` | turns a request into a record and a task |
//! | `automatic` | caching without a request |
//! | `cached_text` | the text of a cached document |
//! | `job` | the payload of the task |
//! | `extension` | file extensions |
//! | `external_id` | the id of a document at its source |
//! | `records` | a person's records of a URL |
//! | `source` | the source of a document, and whose credentials fetch it |
//! | `run`, `fetch`, `error` | the task |
//! | `prepare` | normalizing and analyzing a text |
//! | `embedding` | the vectors of chunks |
//! | `vectors` | keeps the vector store in sync with the records |

mod automatic;
mod cached_text;
pub(crate) mod embedding;
mod enqueue;
mod error;
mod extension;
mod external_id;
mod fetch;
mod job;
mod limits;
mod prepare;
mod records;
mod request;
mod run;
mod source;
mod vectors;

pub use limits::{MATTER_TAGS_MAX, SUPPLIED_WORDS_MIN, WORDS_MIN};
pub use request::{Accepted, Document, IngestError, IngestRequest};

pub(crate) use automatic::{keep, promote};
pub(crate) use cached_text::{cached_document, text, visible};
pub(crate) use job::{IngestJob, TASK};
pub(crate) use prepare::prepare;
pub(crate) use records::{all_visible_at, is_shared};
pub(crate) use run::{Outcome, run};
pub(crate) use source::{SourceRequest, all_fetched_by, source_request};
pub(crate) use vectors::{VectorSyncError, sync_vectors};

use crate::SemanticCache;
use std::time::Duration;

impl SemanticCache {
    /// Stores the request and queues its task. Idempotent.
    pub async fn ingest(&self, request: IngestRequest) -> Result<Accepted, IngestError> {
        enqueue::enqueue(&self.parts, request).await
    }

    /// Like [`Self::ingest`], but waits for the document. `is_done` reports whether it was ingested in time.
    pub async fn ingest_and_wait(
        &self,
        request: IngestRequest,
        at_most: Duration,
    ) -> Result<Accepted, IngestError> {
        enqueue::enqueue_and_wait(&self.parts, request, at_most).await
    }
}
