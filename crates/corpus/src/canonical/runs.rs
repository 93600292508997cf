//! Elections: curators and owners of the searches list and read them; curators approve and reject them.

use super::access::{may_decide, tokens_of};
use super::error::CanonicalError;
use super::views::{ElectionDetail, Reader, VisibleElection};
use crate::SemanticCache;
use domain::corpus::{COMMENT_CHARS_MAX, OwnedVisibility, RejectReason, RunStatus, query_key};
use domain::ids::RunId;
use domain::owner_scope::OwnerScope;
use domain::ports::{CanonicalStore, ExistingPin, Page, RunFilter, RunOutcome};
use domain::user::Principal;

/// Filters for elections. Default: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// None: all.
    pub ids: Option<Vec<RunId>>,
    /// Empty: all.
    pub status: Vec<RunStatus>,
    /// Words in the query.
    pub words: String,
    pub offset: u64,
    pub limit: u64,
}

impl SemanticCache {
    /// Elections whose winner the person may see, newest first: all for curators, those of their own searches for
    /// others.
    pub async fn runs(
        &self,
        person: &Principal,
        asked: &RunQuery,
    ) -> Result<Page<VisibleElection>, CanonicalError> {
        let tokens = tokens_of(&self.parts, person).await?;
        let filter = RunFilter {
            ids: asked.ids.clone(),
            visible_to: OwnedVisibility::To(tokens.clone()),
            search_owner: if person.may_curate() {
                OwnerScope::Everyone
            } else {
                OwnerScope::Only(person.user)
            },
            status: asked.status.clone(),
            words: query_key(&asked.words),
            cluster_key: None,
        };
        let page = CanonicalStore::runs(&*self.parts.store, &filter, asked.offset, asked.limit).await?;
        let reader = Reader { parts: &self.parts, person, tokens };
        Ok(Page { items: reader.runs(page.items).await?, total: page.total })
    }

    /// One election with the members that the person may see.
    pub async fn run(&self, person: &Principal, id: RunId) -> Result<ElectionDetail, CanonicalError> {
        let reader = self.reader(person).await?;
        let run = CanonicalStore::run(&*self.parts.store, id).await.map_err(CanonicalError::of)?;
        if !person.may_curate() && !self.parts.store.run_concerns_user(id, person.user).await? {
            return Err(CanonicalError::NotFound);
        }
        reader.detail(run).await?.ok_or(CanonicalError::NotFound)
    }

    /// Confirms the winner: it is pinned for the query and scope of the election.
    pub async fn approve(
        &self,
        person: &Principal,
        id: RunId,
        comment: &str,
        existing: ExistingPin,
    ) -> Result<ElectionDetail, CanonicalError> {
        may_decide(&self.parts, person)?;
        self.run(person, id).await?;
        let (comment, now) = (shortened(comment), self.parts.clock.now());
        let outcome = self.parts.store.approve_run(id, person.user, &comment, existing, now).await;
        self.decided(person, outcome.map_err(CanonicalError::of)?).await
    }

    /// Rejects the winner: it counts for less in later elections.
    pub async fn reject(
        &self,
        person: &Principal,
        id: RunId,
        reason: RejectReason,
        comment: &str,
    ) -> Result<ElectionDetail, CanonicalError> {
        may_decide(&self.parts, person)?;
        self.run(person, id).await?;
        let (comment, now) = (shortened(comment), self.parts.clock.now());
        let outcome = self.parts.store.reject_run(id, person.user, reason, &comment, now).await;
        self.decided(person, outcome.map_err(CanonicalError::of)?).await
    }

    async fn decided(
        &self,
        person: &Principal,
        outcome: RunOutcome,
    ) -> Result<ElectionDetail, CanonicalError> {
        let reader = self.reader(person).await?;
        match outcome {
            RunOutcome::Decided(run, _) => reader.detail(*run).await?.ok_or(CanonicalError::NotFound),
            RunOutcome::NotOpen(run) => Err(CanonicalError::AlreadyDecided(run)),
            RunOutcome::Taken(pin) => {
                let pin = reader.pin(pin).await?;
                Err(CanonicalError::PinExists { visible: pin.document.is_some(), pin: Box::new(pin) })
            }
        }
    }

    async fn reader<'a>(&'a self, person: &'a Principal) -> Result<Reader<'a>, CanonicalError> {
        let tokens = tokens_of(&self.parts, person).await?;
        Ok(Reader { parts: &self.parts, person, tokens })
    }
}

fn shortened(comment: &str) -> String {
    comment.chars().take(COMMENT_CHARS_MAX).collect()
}
