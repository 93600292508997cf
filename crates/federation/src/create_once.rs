//! New searches whose request may be repeated.

use crate::{Federation, FederationError, tasks};
use domain::contracts::{QueueName, StoreError};
use domain::idempotency::{CreatedSearch, IdempotencyKey};
use domain::ids::{SearchId, UserId};
use domain::message;
use domain::search::{Search, SearchSpec};

/// What became of a request for a new search.
#[derive(Debug)]
pub enum Creation {
    /// The search was created.
    New(Search),
    /// An equal request created this search earlier; it is told as it was then.
    Repeated(Search),
    /// The key belongs to another request.
    OtherRequest,
}

impl Federation {
    /// Creates a search unless a request with this key did. Requests at the same moment create one search.
    pub async fn create_once(
        &self,
        owner: UserId,
        spec: SearchSpec,
        key: &IdempotencyKey,
    ) -> Result<Creation, FederationError> {
        if let Some(earlier) = self.created_earlier(owner, key).await? {
            return Ok(earlier);
        }
        let (spec, remarks) = self.checked(owner, spec).await?;
        let _admitted = self.admit_new(owner).await?;
        let now = self.context.clock.now();
        let mut messages = vec![message::banner()];
        messages.extend(remarks);
        let search = Search::created(SearchId(0), owner, spec, messages, now);
        match self.store.create_search_once(search, tasks::run_search, key).await? {
            Some(search) => {
                self.queue.nudge(QueueName::Search);
                Ok(Creation::New(search))
            }
            None => self.created_earlier(owner, key).await?.ok_or(FederationError::Contended),
        }
    }

    async fn created_earlier(
        &self,
        owner: UserId,
        key: &IdempotencyKey,
    ) -> Result<Option<Creation>, FederationError> {
        let Some(kept) = self.store.kept_answer(owner, &key.key, self.context.clock.now()).await? else {
            return Ok(None);
        };
        if kept.fingerprint != key.fingerprint {
            return Ok(Some(Creation::OtherRequest));
        }
        let CreatedSearch { id, spec, messages } = serde_json::from_value(kept.answer.unwrap_or_default())
            .map_err(|error| {
                StoreError::Failed(format!("the answer of an idempotency key cannot be read: {error}"))
            })?;
        Ok(Some(Creation::Repeated(Search::created(id, owner, spec, messages, kept.created))))
    }
}
