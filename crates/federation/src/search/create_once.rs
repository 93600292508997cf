//! Idempotent creation of searches.

use crate::error::FederationError;
use crate::search::lifecycle::SearchLifecycle;
use domain::idempotency::{CreatedSearch, IdempotencyKey};
use domain::ids::{SearchId, UserId};
use domain::notice::Notice;
use domain::ports::{QueueName, StoreError};
use domain::request_context::current_request;
use domain::search::{Search, SearchSpec};

/// Outcome of a request for a new search.
#[derive(Debug)]
pub enum Creation {
    /// The search was created.
    New(Search),
    /// An equal request created this search earlier; it is returned as it was then.
    Repeated(Search),
    /// The key belongs to a different request.
    OtherRequest,
}

impl SearchLifecycle {
    /// Creates a search unless a request with this key already did. Concurrent requests create one search.
    pub async fn create_once(
        &self,
        owner: UserId,
        spec: SearchSpec,
        key: &IdempotencyKey,
    ) -> Result<Creation, FederationError> {
        if let Some(earlier) = self.created_earlier(owner, key).await? {
            return Ok(earlier);
        }
        let (spec, remarks) = self.validated(owner, spec).await?;
        let _permit = self.admission.admit_new(owner).await?;
        let now = self.context.clock.now();
        let mut notices = vec![Notice::banner()];
        notices.extend(remarks);
        let search = Search::created(SearchId(0), owner, spec, notices, now);
        match self.store.create_search_once(search, current_request().as_deref(), key).await? {
            Some(search) => {
                self.queue.notify(QueueName::Search);
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
        let Some(stored) = self.store.stored_response(owner, &key.key, self.context.clock.now()).await?
        else {
            return Ok(None);
        };
        if stored.fingerprint != key.fingerprint {
            return Ok(Some(Creation::OtherRequest));
        }
        let created: CreatedSearch =
            serde_json::from_value(stored.answer.unwrap_or_default()).map_err(|error| {
                let message = format!("cannot parse the stored response of an idempotency key: {error}");
                StoreError::failed(message).caused_by(error)
            })?;
        Ok(Some(Creation::Repeated(created.search(owner, stored.created))))
    }
}
