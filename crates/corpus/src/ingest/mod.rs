//! The ways in, and the way that a document goes: a wish, a fetch for an answer or the best results of a search become a
//! record and a task; the task fetches, reads, cuts, embeds and indexes.
//!
//! | Module | What lives there |
//! |---|---|
//! | `begin` | a wish becomes a record and a task |
//! | `automatic` | what is kept without a wish: pages that were fetched for answers, the best results |
//! | `copy` | the text of a document that is in the cache |
//! | `errand` | what the task is told: which document, whose rights, which text |
//! | `extension` | the ending of a file's name |
//! | `external_id` | what must be known of a document to fetch it again |
//! | `records` | which records of an address are a person's |
//! | `source` | which source gives a document, and with whose rights it is asked |
//! | `run`, `fetched`, `miss` | the task itself: the text, what is made of it, and why it may not come in |
//! | `reading` | a text as it is kept: cleaned, with its hash, its language and its pieces |
//! | `embedding` | the vectors of pieces |
//! | `vectors` | the vector store follows the records |

mod automatic;
mod begin;
mod copy;
pub(crate) mod embedding;
mod errand;
mod extension;
mod external_id;
mod fetched;
mod miss;
mod reading;
mod records;
mod run;
mod source;
mod vectors;

pub(crate) use automatic::{keep, promote};
pub(crate) use copy::{kept, text, visible};
pub(crate) use errand::{Errand, TASK};
pub(crate) use reading::prepared;
pub(crate) use records::{all_visible_at, is_shared};
pub(crate) use run::{Outcome, run};
pub(crate) use source::{Asked, all_fetched_by, asked_for};
pub(crate) use vectors::{FollowError, put_vectors};

use crate::SemanticCache;
use domain::contracts::{BodyError, QueueError, StoreError};
use domain::corpus::{Origin, Signal};
use domain::ids::{TaskId, UserId};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::time::Duration;

/// Fewest words of a text that is kept.
pub const WORDS_MIN: usize = 40;
/// Fewest words of a text that a person gives with the wish; with fewer the document is fetched.
pub const SUPPLIED_WORDS_MIN: usize = 200;
/// Most tags that one wish may name.
pub const MATTER_TAGS_MAX: usize = 50;

/// Somebody wants a document to be kept.
#[derive(Debug, Clone)]
pub struct IngestWish {
    pub user: UserId,
    pub document: Document,
    /// With or without `matter:` before them.
    pub matter_tags: Vec<String>,
    pub origin: Origin,
}

/// Which document is wanted.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one of them is there at a time, and not for long")]
pub enum Document {
    /// The one behind a result of a search, as its provider gave it.
    Result { provider: SearchProvider, item: ResultItem },
    /// The one at an address that a person typed. It is the provider's only if the provider gave this person the address;
    /// else it is the person's alone, and is fetched with their account at the provider, or as anybody could.
    Address { provider: Option<SearchProvider>, url: String, title: String, body: Option<String> },
}

/// The wish is noted.
#[derive(Debug, Clone)]
pub struct Accepted {
    pub signal: Signal,
    /// None when there was nothing to do.
    pub job: Option<TaskId>,
    /// What was a mere snippet becomes a document.
    pub upgraded: bool,
    /// The text is in the cache, and the person sees it.
    pub is_done: bool,
    /// A sentence for people.
    pub message: String,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum IngestError {
    #[error("the license does not open the semantic cache")]
    Unlicensed,
    #[error("the document has no address on the web")]
    NoAddress,
    #[error("this source is not for you")]
    NotAllowed,
    #[error("the text is larger than the limit of {0} MB")]
    TooLarge(u32),
    /// A sentence for people.
    #[error("{0}")]
    NoText(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the text could not be stored: {0}")]
    Storage(BodyError),
}

impl From<BodyError> for IngestError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(mb) => Self::TooLarge(mb),
            other => Self::Storage(other),
        }
    }
}

impl SemanticCache {
    /// Notes the wish; the document comes in by a task. Wishing twice changes nothing.
    pub async fn ingest(&self, wish: IngestWish) -> Result<Accepted, IngestError> {
        begin::begin(&self.parts, wish).await
    }

    /// The same, and waits some time until the document is in. `is_done` says whether it is.
    pub async fn ingest_and_wait(
        &self,
        wish: IngestWish,
        at_most: Duration,
    ) -> Result<Accepted, IngestError> {
        begin::begin_and_wait(&self.parts, wish, at_most).await
    }
}
