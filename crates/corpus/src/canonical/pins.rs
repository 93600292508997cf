//! Pins: curators create, remove and list them.

use super::access::{is_curator, may_decide, tokens_of, visible};
use super::error::CanonicalError;
use super::views::{Reader, VisiblePin, VisiblePinEvent};
use crate::SemanticCache;
use crate::ingest::{Document, IngestRequest, source_request};
use domain::corpus::{AclToken, NewPin, Origin, OwnedVisibility, PinVia, Scope, query_key};
use domain::ids::SignalId;
use domain::ports::{ExistingPin, Page, PinFilter, PinOutcome, chain};
use domain::user::Principal;
use std::time::Duration;

/// How long a pin request waits for a text that is being fetched.
const FETCH_WAIT: Duration = Duration::from_secs(10);

/// A request to pin a document for a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRequest {
    pub signal_id: SignalId,
    pub query: String,
    pub scope: Scope,
    /// What happens to another pinned document.
    pub existing: ExistingPin,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pinned {
    pub pin: VisiblePin,
    /// False: it was already pinned, and nothing changed.
    pub is_new: bool,
}

/// Filters for pins, or for their history. Default: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinQuery {
    /// Words of the query, as in lists of elections; empty: all.
    pub words: String,
    pub scope: Option<Scope>,
    pub signal_id: Option<SignalId>,
    pub offset: u64,
    pub limit: u64,
}

impl SemanticCache {
    /// Pins the document for the query and scope. If its text is missing, it is fetched first, with this person's
    /// permissions.
    pub async fn pin(&self, person: &Principal, request: PinRequest) -> Result<Pinned, CanonicalError> {
        may_decide(&self.parts, person)?;
        if query_key(&request.query).is_empty() {
            return Err(CanonicalError::NoQuery);
        }
        let tokens = tokens_of(&self.parts, person).await?;
        let signal_id = self.must_be_here(person, &tokens, request.signal_id).await?;
        let wanted = NewPin {
            query: request.query,
            scope: request.scope,
            signal_id,
            pinned_by: person.user,
            via: PinVia::Manual,
            run_id: None,
        };
        let outcome = self.parts.store.pin(wanted, request.existing, self.parts.clock.now()).await;
        let reader = Reader { parts: &self.parts, person, tokens };
        match outcome.map_err(CanonicalError::of)? {
            PinOutcome::Made(pin) | PinOutcome::Replaced { pin, .. } => {
                Ok(Pinned { pin: reader.pin(pin).await?, is_new: true })
            }
            PinOutcome::Same(pin) => Ok(Pinned { pin: reader.pin(pin).await?, is_new: false }),
            PinOutcome::Taken(pin) => {
                let pin = reader.pin(pin).await?;
                Err(CanonicalError::PinExists { visible: pin.document.is_some(), pin: Box::new(pin) })
            }
        }
    }

    /// Removes pins of the document: those of one query, of one scope, or all. Returns their number.
    pub async fn unpin(
        &self,
        person: &Principal,
        signal: SignalId,
        query: Option<&str>,
        scope: Option<&Scope>,
    ) -> Result<u64, CanonicalError> {
        may_decide(&self.parts, person)?;
        let tokens = tokens_of(&self.parts, person).await?;
        visible(&self.parts, &tokens, signal).await?.ok_or(CanonicalError::NotFound)?;
        let (key, now) = (query.map(query_key), self.parts.clock.now());
        let removed = self.parts.store.unpin(signal, key.as_deref(), scope, person.user, now).await;
        removed.map_err(CanonicalError::of)
    }

    /// For curators: pins of documents that they may see, newest first.
    pub async fn pins(
        &self,
        person: &Principal,
        asked: &PinQuery,
    ) -> Result<Page<VisiblePin>, CanonicalError> {
        let (reader, filter) = self.list(person, asked).await?;
        let page = self.parts.store.pins(&filter, asked.offset, asked.limit).await?;
        Ok(Page { items: reader.pins(page.items).await?, total: page.total })
    }

    /// For curators: the history of pins of documents that they may see, newest first.
    pub async fn pin_history(
        &self,
        person: &Principal,
        asked: &PinQuery,
    ) -> Result<Page<VisiblePinEvent>, CanonicalError> {
        let (reader, filter) = self.list(person, asked).await?;
        let page = self.parts.store.pin_history(&filter, asked.offset, asked.limit).await?;
        Ok(Page { items: reader.history(page.items).await?, total: page.total })
    }

    async fn list<'a>(
        &'a self,
        person: &'a Principal,
        asked: &PinQuery,
    ) -> Result<(Reader<'a>, PinFilter), CanonicalError> {
        is_curator(person)?;
        let tokens = tokens_of(&self.parts, person).await?;
        let filter = PinFilter {
            query_key: None,
            words: query_key(&asked.words),
            scope: asked.scope.clone(),
            signal_id: asked.signal_id,
            visible_to: OwnedVisibility::To(tokens.clone()),
        };
        Ok((Reader { parts: &self.parts, person, tokens }, filter))
    }

    /// The document with its text, if the person may see it; fetches the text if they requested it and it is missing.
    /// The id of a request leads to the record with its text.
    async fn must_be_here(
        &self,
        person: &Principal,
        tokens: &[AclToken],
        id: SignalId,
    ) -> Result<SignalId, CanonicalError> {
        let parts = &self.parts;
        if visible(parts, tokens, id).await?.is_some() {
            return Ok(id);
        }
        let known = self.document_of(person.user, id).await.map_err(CanonicalError::of)?;
        if !known.content_hash.is_empty() {
            return Ok(known.signal_id);
        }
        let Some(asked) = source_request(parts, &known, person.user).await? else {
            return Err(CanonicalError::NotIndexed);
        };
        let request = IngestRequest {
            user: person.user,
            document: Document::Result { provider: asked.provider, item: asked.item },
            matter_tags: Vec::new(),
            origin: Origin::Ingest,
        };
        let id = match self.ingest_and_wait(request, FETCH_WAIT).await {
            Ok(accepted) => accepted.signal.signal_id,
            Err(error) => {
                tracing::info!(
                    signal.id = %id,
                    "a document to be pinned could not be fetched: {}",
                    chain(&error)
                );
                id
            }
        };
        let seen = visible(parts, tokens, id).await?;
        seen.map(|signal| signal.signal_id).ok_or(CanonicalError::NotIndexed)
    }
}
