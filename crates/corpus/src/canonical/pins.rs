//! Pins: made and taken back by curators, listed for them.

use super::seen::Reader;
use super::{CanonicalError, PinEventSeen, PinSeen, is_curator, may_decide, tokens_of, visible};
use crate::SemanticCache;
use crate::ingest::{Document, IngestWish, asked_for};
use domain::contracts::{Page, PinFilter, PinOutcome};
use domain::corpus::{AclToken, NewPin, Origin, PinVia, Scope, query_key};
use domain::ids::SignalId;
use domain::user::Principal;
use std::time::Duration;

/// How long a pin waits for the text of a document that is not here yet.
const FETCH_WAIT: Duration = Duration::from_secs(10);

/// Somebody wants a document to be the answer to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinWish {
    pub signal_id: SignalId,
    pub query: String,
    pub scope: Scope,
    /// It takes the place of another document.
    pub force: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pinned {
    pub pin: PinSeen,
    /// False: it was pinned already, and nothing changed.
    pub is_new: bool,
}

/// Which pins, or which lines of their history, are wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinsAsked {
    /// Any form of the query.
    pub query: Option<String>,
    pub scope: Option<Scope>,
    pub signal_id: Option<SignalId>,
    pub offset: u64,
    pub limit: u64,
}

impl SemanticCache {
    /// Pins the document for the query and scope. One whose text is not here is fetched first, with this person's rights.
    pub async fn pin(&self, person: &Principal, wish: PinWish) -> Result<Pinned, CanonicalError> {
        may_decide(&self.parts, person)?;
        if query_key(&wish.query).is_empty() {
            return Err(CanonicalError::NoQuery);
        }
        let tokens = tokens_of(&self.parts, person).await?;
        let signal_id = self.must_be_here(person, &tokens, wish.signal_id).await?;
        let wanted = NewPin {
            query: wish.query,
            scope: wish.scope,
            signal_id,
            pinned_by: person.user,
            via: PinVia::Manual,
            run_id: None,
        };
        let outcome = self.parts.store.pin(wanted, wish.force, self.parts.clock.now()).await;
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

    /// Removes pins of the document: those of one query, of one scope, or all. How many were removed.
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
    pub async fn pins(&self, person: &Principal, asked: &PinsAsked) -> Result<Page<PinSeen>, CanonicalError> {
        let (reader, filter) = self.list(person, asked).await?;
        let page = self.parts.store.pins(&filter, asked.offset, asked.limit).await?;
        Ok(Page { items: reader.pins(page.items).await?, total: page.total })
    }

    /// For curators: what happened to pins of documents that they may see, newest first.
    pub async fn pin_history(
        &self,
        person: &Principal,
        asked: &PinsAsked,
    ) -> Result<Page<PinEventSeen>, CanonicalError> {
        let (reader, filter) = self.list(person, asked).await?;
        let page = self.parts.store.pin_history(&filter, asked.offset, asked.limit).await?;
        Ok(Page { items: reader.history(page.items).await?, total: page.total })
    }

    async fn list<'a>(
        &'a self,
        person: &'a Principal,
        asked: &PinsAsked,
    ) -> Result<(Reader<'a>, PinFilter), CanonicalError> {
        is_curator(person)?;
        let tokens = tokens_of(&self.parts, person).await?;
        let filter = PinFilter {
            query_key: asked.query.as_deref().map(query_key).filter(|key| !key.is_empty()),
            scope: asked.scope.clone(),
            signal_id: asked.signal_id,
            visible_to: Some(tokens.clone()),
        };
        Ok((Reader { parts: &self.parts, person, tokens }, filter))
    }

    /// The document that the person sees with its text; where they asked for it and it is not here, it is fetched now. The
    /// number of a request leads to the record that has its text.
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
        let Some(asked) = asked_for(parts, &known, person.user).await? else {
            return Err(CanonicalError::NotIndexed);
        };
        let wish = IngestWish {
            user: person.user,
            document: Document::Result { provider: asked.provider, item: asked.item },
            matter_tags: Vec::new(),
            origin: Origin::Ingest,
        };
        let id = match self.ingest_and_wait(wish, FETCH_WAIT).await {
            Ok(accepted) => accepted.signal.signal_id,
            Err(error) => {
                tracing::info!(signal.id = %id, "a document to be pinned did not come: {error}");
                id
            }
        };
        let seen = visible(parts, tokens, id).await?;
        seen.map(|signal| signal.signal_id).ok_or(CanonicalError::NotIndexed)
    }
}
